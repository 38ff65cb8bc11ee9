// Finds the words of a section that the code of an image reads, for sections to which data refers as well: relative
// lists of Objective-C methods keep their selectors in __objc_selrefs, beside the selectors that code sends.
//
// Code reads such a word relative to itself. On arm64 an ADRP gives the page, and an LDR after it the place in the
// page; if the word is near, linkers replace the two by one LDR or an ADR. On x86_64 an instruction ends with, or
// contains, the distance from its end. Anything that may be such a reference counts as a reference: a register keeps
// the page of the last ADRP, whatever runs in between, and any four bytes may be a distance. So a word that is not
// found is not read in these ways, but a word that is found may not be read.
// Arm Architecture Reference Manual, C6.2.14 ADRP and C6.2.222 LDR (immediate)

import Addresses
import ByteReading

extension MachOFile {
  /// The addresses in `range` that code may read.
  ///
  /// - Throws: the error in a section of code; `unsupported` for another instruction set.
  /// - Complexity: O(*n*) for *n* bytes of code.
  package func slots(
    readByCodeIn range: AddressRange
  ) throws(ParseError) -> Set<StatedAddress> {
    var found: Set<StatedAddress> = []
    var budget = ByteBudget(limit: UInt64(self.range.byteCount))
    for section in sections where section.holdsInstructions && !section.type.isZeroFill {
      let contents = try contents(of: section)
      try budget.take(contents.byteCount, "sections that share bytes", at: contents.lowerBound)
      switch header.architecture.cpuType {
      case MachOArchitecture.arm64.cpuType:
        addLoads(in: contents.indices, at: section.range.start, within: range, to: &found)
      case MachOArchitecture.x8664.cpuType:
        addDistances(in: contents.indices, at: section.range.start, within: range, to: &found)
      default:
        throw ParseError(
          .unsupported(found: "\(header.architecture)"), "cputype", at: self.range.lowerBound)
      }
    }
    return found
  }

  private func addLoads(
    in contents: Range<Int>, at start: StatedAddress, within range: AddressRange,
    to found: inout Set<StatedAddress>
  ) {
    func note(_ value: UInt64) {
      let address = StatedAddress(rawValue: value)
      if range.contains(address) { found.insert(address) }
    }
    var pages = [UInt64?](repeating: nil, count: 32)
    var place = start.rawValue
    var index = contents.lowerBound
    while index + 4 <= contents.upperBound {
      let code = UInt32(littleEndian: bytes.loadUnaligned(UInt32.self, at: index))
      let base = pages[Int(code >> 5 & 31)]
      if code & 0x9f00_0000 == 0x9000_0000 {  // ADRP
        pages[Int(code & 31)] = (place & ~0xfff) &+ Self.distance(code) << 12
      } else if code & 0x9f00_0000 == 0x1000_0000 {  // ADR
        note(place &+ Self.distance(code))
      } else if code & 0xff00_0000 == 0x5800_0000 {  // LDR of a literal of 64 bits
        note(place &+ Self.distance(code) & ~3)
      } else if code & 0xffc0_0000 == 0xf940_0000, let base {  // LDR, 64 bits
        note(base &+ UInt64(code >> 10 & 0xfff) * 8)
      } else if code & 0xffc0_0000 == 0x9100_0000, let base {  // ADD
        note(base &+ UInt64(code >> 10 & 0xfff))
      }
      index += 4
      place = place &+ 4
    }
  }

  /// The signed number of 21 bits in an ADR or ADRP; its upper 19 bits are the distance of a literal, in words.
  private static func distance(_ code: UInt32) -> UInt64 {
    let high = Int64(Int32(bitPattern: code << 8) >> 11) & ~3
    return UInt64(bitPattern: high | Int64(code >> 29 & 3))
  }

  private func addDistances(
    in contents: Range<Int>, at start: StatedAddress, within range: AddressRange,
    to found: inout Set<StatedAddress>
  ) {
    guard contents.count >= 4 else { return }
    for index in contents.lowerBound...contents.upperBound - 4 {
      let stored = Int32(littleEndian: bytes.loadUnaligned(Int32.self, at: index))
      let end = start.rawValue &+ UInt64(index - contents.lowerBound) &+ 4
      let address = StatedAddress(rawValue: end &+ UInt64(bitPattern: Int64(stored)))
      if range.contains(address) { found.insert(address) }
    }
  }
}
