// Functions that cannot run
//
// A compiler that inlines a function into all its callers keeps the function itself, if another file could call it. The
// image then has its code, and a trace of an older build has its name, but it never runs. It runs only if something
// refers to it. So a function is unreferenced if no bytes of the image that are in memory can denote its address:
//
//     64 bits                      an address: in data, or in tables of symbols or relocations
//     32 bits                      an address, in an instruction of a position-dependent image
//     32 bits, relative            in code to the end of the instruction, which is up to 4 bytes later; in data to
//                                  their own place
//     8 bits, relative             a short jump on x86-64
//     an AArch64 instruction       a branch, ADR, or ADRP of its page
//
// All positions are tried, as in `CodeScan`, so bytes can match by chance. A function that is matched by chance counts
// as referenced. So does a function to which only an unreferenced function refers. Unwind tables name all functions and
// are left out.
//
// What it leaves out: offsets from other places, such as those in relative vtables of C++. If more than three quarters
// of an image's functions seem to be unreferenced, the image must refer to functions in such a way, and no function
// counts as unreferenced.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension ImageCode {
  /// Returns the addresses of functions to which nothing in the image refers; the result is empty if this cannot be
  /// determined, because the image is for another machine than x86-64 and AArch64, has no sections, or has compressed
  /// relocations.
  ///
  /// - Parameter layout: the layout of the image.
  /// - Complexity: O(*b*) on average for *b* bytes of the file.
  package func unreferencedFunctions(of layout: Layout) -> Set<StatedAddress> {
    guard let scan, !file.sections.isEmpty else { return [] }
    let functions = Set(layout.functions.map(\.address))
    var search = AddressSearch(
      functions, scan, isPositionDependent: file.header.type != .sharedObject)
    search.note(file.header.entry.rawValue)
    var budget = ByteBudget(limit: UInt64(file.bytes.count))
    for section in file.sections where section.flags.contains(.allocated) {
      guard !Self.compressedRelocations.contains(section.type.rawValue) else { return [] }
      let name = file.bytes.text(section.name.indices)
      guard section.type != .noBits, !Self.unwindTables.contains(name) else { continue }
      // No linker makes sections that share bytes.
      guard let contents = try? file.contents(of: section), budget.take(contents.byteCount) else {
        return []
      }
      search.search(
        file.bytes, contents.indices, at: section.range.start.rawValue,
        isCode: section.flags.contains(.executable))
    }
    let unreferenced = search.unreferenced
    return 4 * unreferenced.count > 3 * functions.count ? [] : unreferenced
  }

  private static let unwindTables: Set<String> = [".eh_frame", ".eh_frame_hdr", ".sframe"]
  /// SHT_CREL, SHT_ANDROID_REL, SHT_ANDROID_RELA.
  private static let compressedRelocations: Set<UInt32> = [0x4000_0014, 0x6000_0001, 0x6000_0002]
}

/// A search for bytes that denote addresses of functions. `unreferenced` has the addresses that no bytes denote so far.
private struct AddressSearch {
  private var wanted: Set<UInt64>
  private let lowest: UInt64
  private let span: UInt64
  private let scan: CodeScan
  /// The pages of 4 KiB that an ADRP names.
  private var namedPages: Set<UInt64> = []

  private let isPositionDependent: Bool

  init(_ functions: Set<StatedAddress>, _ scan: CodeScan, isPositionDependent: Bool) {
    self.isPositionDependent = isPositionDependent
    wanted = Set(functions.map(\.rawValue))
    lowest = wanted.min() ?? 0
    span = (wanted.max() ?? 0) - lowest
    self.scan = scan
  }

  var unreferenced: Set<StatedAddress> {
    Set(wanted.filter { !namedPages.contains($0 >> 12) }.map { StatedAddress(rawValue: $0) })
  }

  /// - Parameter value: the address that some bytes may denote.
  mutating func note(_ value: UInt64) {
    if value &- lowest <= span { wanted.remove(value) }
  }

  mutating func search(
    _ bytes: FileBytes, _ range: Range<Int>, at start: UInt64, isCode: Bool
  ) {
    for index in range {
      let left = range.upperBound - index
      let place = start &+ UInt64(index - range.lowerBound)
      if left >= 8 { note(UInt64(littleEndian: bytes.loadUnaligned(UInt64.self, at: index))) }
      if left >= 4 {
        let word = UInt32(littleEndian: bytes.loadUnaligned(UInt32.self, at: index))
        if isPositionDependent { note(UInt64(word)) }
        noteRelative(
          place &+ UInt64(bitPattern: Int64(Int32(bitPattern: word))), isCode: isCode)
        if scan == .aarch64, isCode, place % 4 == 0 { note(instruction: word, at: place) }
      }
      if left >= 2, scan == .x8664, isCode, bytes[index] == 0xeb || bytes[index] & 0xf0 == 0x70 {
        let distance = Int8(bitPattern: bytes[index + 1])
        note(place &+ 2 &+ UInt64(bitPattern: Int64(distance)))
      }
    }
  }

  /// - Parameter sum: the sum of a distance and its place.
  private mutating func noteRelative(_ sum: UInt64, isCode: Bool) {
    guard sum &- lowest &+ 8 <= max(span, span &+ 16) else { return }
    if isCode {
      for end: UInt64 in [4, 5, 6, 8] { note(sum &+ end) }
    } else {
      // Relative pointers of Swift keep flags in the lowest bits.
      note(sum)
      note(sum & ~1)
      note(sum & ~3)
    }
  }

  private mutating func note(instruction word: UInt32, at place: UInt64) {
    func target(_ field: UInt32, bits: UInt32, scale: Int64) -> UInt64 {
      let sign = UInt32(1) << (bits - 1)
      let value = Int64(field & (sign << 1 &- 1) ^ sign) - Int64(sign)
      return place &+ UInt64(bitPattern: value * scale)
    }
    if word & 0x7c00_0000 == 0x1400_0000 {
      note(target(word, bits: 26, scale: 4))  // B, BL
    } else if word & 0xff00_0010 == 0x5400_0000 || word & 0x7e00_0000 == 0x3400_0000 {
      note(target(word >> 5, bits: 19, scale: 4))  // B.cond, CBZ, CBNZ
    } else if word & 0x7e00_0000 == 0x3600_0000 {
      note(target(word >> 5, bits: 14, scale: 4))  // TBZ, TBNZ
    } else if word & 0x1f00_0000 == 0x1000_0000 {
      let field = (word >> 5 & 0x7ffff) << 2 | word >> 29 & 3
      if word >> 31 == 0 {
        note(target(field, bits: 21, scale: 1))  // ADR
      } else {
        // The instruction is an ADRP, whose target is relative to the page of the instruction.
        namedPages.insert(target(field, bits: 21, scale: 4096) >> 12)
      }
    }
  }
}
