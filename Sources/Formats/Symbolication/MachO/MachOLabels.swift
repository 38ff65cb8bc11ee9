// Which starts of code are labels within a function?
//
// A label of hand-written assembly begins an atom, and so the linker lists it in LC_FUNCTION_STARTS. If the label is stripped,
// or has a name like an assembler's label (`Lloop`, `SkipLoad`), it looks like a function. An example is a loop:
//
//     _kernel:   ...            a function
//     (no name)  ...            runs on from the code before: a label
//                b.ne (no name)
//                b _out
//     (no name)  ...            a conditional branch before it leads here: a label
//
// The code shows the difference. Compilers end a function with an instruction after which nothing runs, and branch to
// another function only without a condition. A Python extension (onnxruntime 1.32, arm64) has 61,552 named functions.
// One of these functions follows code that runs on, and no function is the target of a conditional branch. By these
// rules, 519 of the extension's 520 starts without a name are labels.
//
// What it leaves out: code for other instruction sets than AArch64, whose instructions can't be read backwards.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

/// Finds labels among the starts of code in an AArch64 image.
struct MachOLabels {
  private let bytes: FileBytes
  /// The sections of code, ascending by address, with the ranges of their bytes.
  private var sections: [(range: AddressRange, bytes: Range<Int>)]

  /// - Returns: `nil` for another instruction set.
  init?(of image: MachOFile) {
    guard [.arm64, .arm64e].contains(image.architecture) else { return nil }
    bytes = image.bytes
    sections = image.sections.filter(\.holdsInstructions).compactMap { section in
      guard let contents = try? image.contents(of: section) else { return nil }
      return (section.range, contents.indices)
    }
    sections.sort { $0.range.start < $1.range.start }
  }

  /// Returns the starts that are labels.
  ///
  /// - Parameters:
  ///   - starts: ascending.
  ///   - functions: the starts that are certainly functions, ascending.
  /// - Complexity: O(*n* log *n* + *b*) for *n* starts and functions, and *b* bytes of code from the certain function
  ///   before each start to the certain function after it.
  func startsInFunctions(
    among starts: [StatedAddress], functions: [StatedAddress]
  ) -> Set<StatedAddress> {
    var inner = Set(starts.filter(runsOn))
    let others = Set(starts).subtracting(inner)
    guard !others.isEmpty else { return inner }
    var scanned = StatedAddress(rawValue: 0)
    for start in starts where others.contains(start) && start >= scanned {
      guard let section = section(holding: start) else { continue }
      let next = functions.partitioningIndex { $0 > start }
      let begin = max(section.range.start, next > 0 ? functions[next - 1] : section.range.start)
      let end = min(section.range.end, next < functions.count ? functions[next] : section.range.end)
      scanned = end
      var site = begin
      while site < end, let word = word(at: site, in: section) {
        if let distance = AArch64Word(word).conditionalBranchDistance, distance > 0 {
          let target = site + UInt64(distance)
          if others.contains(target) { inner.insert(target) }
        }
        site = site + 4
      }
    }
    return inner
  }

  /// Whether the code before `address` runs on into the code at `address`. No-operations may align `address`.
  private func runsOn(into address: StatedAddress) -> Bool {
    guard let section = section(holding: address) else { return false }
    for distance in 1...16 {
      let offset = UInt64(4 * distance)
      guard address.rawValue >= section.range.start.rawValue + offset,
        let found = word(at: StatedAddress(rawValue: address.rawValue - offset), in: section)
      else { return false }
      let word = AArch64Word(found)
      if !word.isNoOperation { return !word.mayEndCode }
    }
    return false
  }

  private func section(holding address: StatedAddress) -> (range: AddressRange, bytes: Range<Int>)?
  {
    let next = sections.partitioningIndex { $0.range.start > address }
    return next > 0 && sections[next - 1].range.contains(address) ? sections[next - 1] : nil
  }

  private func word(
    at address: StatedAddress, in section: (range: AddressRange, bytes: Range<Int>)
  ) -> UInt32? {
    let offset = section.bytes.lowerBound + Int(clamping: address - section.range.start)
    guard offset >= 0, offset + 4 <= section.bytes.upperBound else { return nil }
    return (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) }
  }
}

/// An AArch64 instruction: whether code after it may run, and how far it branches.
private struct AArch64Word {
  private let word: UInt32

  init(_ word: UInt32) { self.word = word }

  var isNoOperation: Bool { word == 0xd503_201f }

  /// Whether code may end with this word: a branch without a condition, a call (it may not return), a trap, or no instruction.
  var mayEndCode: Bool {
    let isBranch = word >> 26 == 0x05 || word >> 26 == 0x25  // B, BL
    // BR, BLR, RET and their variants that authenticate the address: unconditional branches to a register.
    let isIndirect = word >> 25 == 0x6b
    let isTrap = word & 0xffe0_001f == 0xd420_0000 || word >> 16 == 0  // BRK, UDF
    let isUnallocated = [0b0001, 0b0011].contains(word >> 25 & 0xf)
    return isBranch || isIndirect || isTrap || isUnallocated
  }

  /// The distance in bytes to the target of a conditional branch; `nil` for other instructions.
  var conditionalBranchDistance: Int64? {
    let isOnFlags = word & 0xff00_0000 == 0x5400_0000  // B.cond
    let isOnRegister = word & 0x7e00_0000 == 0x3400_0000  // CBZ, CBNZ
    if isOnFlags || isOnRegister { return signed(word >> 5 & 0x7_ffff, bits: 19) * 4 }
    guard word & 0x7e00_0000 == 0x3600_0000 else { return nil }  // TBZ, TBNZ
    return signed(word >> 5 & 0x3fff, bits: 14) * 4
  }

  private func signed(_ field: UInt32, bits: UInt32) -> Int64 {
    Int64(field) - (field >> (bits - 1) == 1 ? 1 << Int64(bits) : 0)
  }
}
