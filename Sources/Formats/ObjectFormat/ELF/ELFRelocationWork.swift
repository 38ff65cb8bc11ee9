// What the loader writes into an image before it runs: how many words, why, and where.
//
// SHT_REL and SHT_RELA have an entry for each word. SHT_RELR lists words to which only the load address is added: an
// even entry is the address of one word; an odd entry is a bitmap of the 63 words (31 in a 32-bit image) that follow.
// <https://gabi.xinuos.com/elf/06-reloc.html>

import Addresses
import ByteReading

/// What a dynamic relocation writes, whatever the machine calls it.
package enum ELFRelocationKind: String, CaseIterable, Sendable {
  /// The loader adds the load address to the word: `R_*_RELATIVE`.
  case relative
  /// The loader adds the load address to the word, which the compact table `SHT_RELR` lists.
  case relr
  /// The address of a symbol, in data: `R_X86_64_64`, `R_AARCH64_ABS64`.
  case symbolic
  /// The address of a symbol, in the global offset table: `R_*_GLOB_DAT`.
  case globalData
  /// The address of a function, for a linkage table: `R_*_JUMP_SLOT`.
  case jumpSlot
  /// The loader writes the result of a resolver function: `R_*_IRELATIVE`.
  case indirect
  /// The loader copies a variable of a library into the program: `R_*_COPY`.
  case copy
  /// The loader writes the place of a thread-local variable.
  case threadLocal
  case other
}

extension ELFMachine {
  /// Returns what a relocation of `type` writes.
  package func kind(of type: ELFRelocationType, is64Bit: Bool) -> ELFRelocationKind {
    if type == relative { return .relative }
    if type == absolute(is64Bit: is64Bit) { return .symbolic }
    guard let index = relocationNumbers.firstIndex(where: { $0.contains(type.rawValue) }) else {
      return .other
    }
    return [.globalData, .jumpSlot, .indirect, .copy, .threadLocal, .relative][index]
  }

  /// The numbers of GLOB_DAT, JUMP_SLOT, IRELATIVE, COPY, relocations of thread-local variables, and other relative
  /// relocations.
  private var relocationNumbers: [[UInt32]] {
    switch self {
    case .x8664: [[6], [7], [37], [5], [16, 17, 18, 36], [38]]
    case .i386: [[6], [7], [42], [5], [14, 35, 36, 37, 41], []]
    case .aarch64: [[1025], [1026], [1032], [1024], [1028, 1029, 1030, 1031], []]
    case .arm: [[21], [22], [160], [20], [13, 17, 18, 19], []]
    case .riscv: [[], [5], [58], [4], [6, 7, 8, 9, 10, 11, 12], []]
    default: [[], [], [], [], [], []]
    }
  }
}

extension ELFFile {
  /// Calls `body` with each word that the loader writes, in the order of the tables.
  ///
  /// - Throws: the error in a table; `tooLarge` for tables that list more words than the file has bytes.
  /// - Complexity: O(*n*) for *n* words.
  package func forEachRelocatedWord(
    _ body: (ELFRelocationKind, StatedAddress) -> Void
  ) throws(ParseError) {
    let everything = AddressRange(start: StatedAddress(rawValue: 0), size: .max)
    try forEachDynamicRelocation(in: everything) { relocation in
      body(header.machine.kind(of: relocation.type, is64Bit: header.is64Bit), relocation.address)
    }
    var budget = ByteBudget(limit: UInt64(bytes.count))
    for table in try relocationTables() where table.encoding == .bitmaps {
      try forEachRelativeWord(in: table.range, &budget) { body(.relr, $0) }
    }
  }

  private func forEachRelativeWord(
    in table: ByteRange, _ budget: inout ByteBudget, _ body: (StatedAddress) -> Void
  ) throws(ParseError) {
    let wordSize: UInt64 = header.is64Bit ? 8 : 4
    let bitCount = wordSize * 8 - 1
    var next: UInt64 = 0
    var at = table.indices.lowerBound
    while at + Int(wordSize) <= table.indices.upperBound {
      let entry = loadWord(at: at)
      at += Int(wordSize)
      let words = entry & 1 == 0 ? 1 : (entry >> 1).nonzeroBitCount
      try budget.take(words, "words in SHT_RELR", at: table.lowerBound)
      guard entry & 1 == 1 else {
        body(StatedAddress(rawValue: entry))
        next = entry &+ wordSize
        continue
      }
      var bits = entry >> 1
      while bits != 0 {
        let place = UInt64(bits.trailingZeroBitCount)
        body(StatedAddress(rawValue: next &+ place * wordSize))
        bits &= bits - 1
      }
      next = next &+ bitCount * wordSize
    }
  }
}
