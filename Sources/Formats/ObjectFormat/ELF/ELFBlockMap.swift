// The basic blocks of the functions of an image, as clang writes them with -fbasic-block-address-map:
// SHT_LLVM_BB_ADDR_MAP has an entry for each function. The section is not loaded, so no loader relocates it,
// and the addresses in it are stated addresses.
//
//     version        1 byte
//     features       1 byte, from version 5 on 2
//     ranges         ULEB128; only with the feature MultiBBRange, else there is 1
//     for each range: one run of code, more than one where a function was split
//       address      of a pointer's size
//       blocks       ULEB128
//       for each block, not with OmitBBEntries:
//         ID         ULEB128, from version 2 on
//         gap        ULEB128, bytes from the end of the block before, or from the range's address
//         with CallsiteEndOffsets: their number, and each as its distance from the one before; ULEB128
//         size       ULEB128, bytes from the last call site's end, or from the block's start
//         metadata   ULEB128
//         with BBHash: 8 bytes
//     with FuncEntryCount:  ULEB128
//     with BBFreq or BrProb, for each block of all ranges:
//       with BBFreq:       ULEB128
//       with PostLinkCfg:  ULEB128
//       with BrProb:       the number of successors, and for each its ID, its probability and, with
//                          PostLinkCfg, its frequency; ULEB128
//
// clang 16 writes version 1, clang 19 version 2, clang 21 version 3, clang 22 version 5. Version 1 has no
// features. Older compilers write another type of section, without versions; it is not read.
// <https://llvm.org/docs/Extensions.html>, SHT_LLVM_BB_ADDR_MAP

import Addresses
import ByteReading

/// The basic blocks of all functions of an image that were compiled with a map.
package struct ELFBlockMap: Sendable {
  /// One run of code: a function, or a part of a function that was split.
  package struct Run: Equatable, Sendable {
    /// The address of its first byte. For discarded code it is 0 or another address outside of all sections.
    package var address: StatedAddress
    /// The indexes of the blocks in `blocks`.
    package var blocks: Range<Int>
    /// Whether it belongs to the same function as the run before it.
    package var isFurtherPart: Bool
    /// Whether the map states the IDs of its blocks. If not, the IDs count the function's blocks.
    package var statesIDs: Bool
    /// The index in `hashes` of the hash of its first block; `nil` if its blocks have no hashes.
    package var firstHash: Int?
  }

  package struct Block: Equatable, Sendable {
    /// The distance of the block from the run's address, in bytes.
    package var offset: UInt32
    /// The size of the block in bytes; a block may be empty.
    package var size: UInt32
    /// The ID of the block, which is unique within the function.
    package var id: UInt32
    package var flags: Flags
  }

  /// The metadata of a block.
  package struct Flags: OptionSet, Hashable, Sendable {
    package var rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let endsWithReturn = Self(rawValue: 1)  // HasReturn
    package static let landingPad = Self(rawValue: 4)  // IsEHPad
    package static let fallsThrough = Self(rawValue: 8)  // CanFallThrough
  }

  /// The runs of all functions, in the order of the file.
  package fileprivate(set) var runs: [Run] = []
  package fileprivate(set) var blocks: [Block] = []
  /// The hashes of the code of blocks, run by run, for runs that have hashes.
  package fileprivate(set) var hashes: [UInt64] = []
}

extension ELFFile {
  /// The map of an image; `nil` if no part of the image was compiled with a map.
  ///
  /// - Throws: `unsupported` for an unknown version or feature, `truncated`, or `invalid` for numbers that no
  ///   function can have.
  /// - Complexity: O(*n*) for a section of *n* bytes.
  package func blockMap() throws(ParseError) -> ELFBlockMap? {
    var map: ELFBlockMap?
    for section in sections where section.type == .blockMap {
      var input: ByteCursor
      if let unpacked = try decompressedContents(of: section) {
        input = ByteCursor(unpacked, endianness: header.endianness)
      } else {
        input = ByteCursor(bytes, in: try contents(of: section), endianness: header.endianness)
      }
      var all = map ?? ELFBlockMap()
      while !input.isAtEnd { try all.readFunction(&input, is64Bit: header.is64Bit) }
      map = all
    }
    return map
  }
}

/// The features of an entry (`feature`).
private struct Features: OptionSet {
  let rawValue: UInt16
  static let entryCount = Self(rawValue: 1)  // FuncEntryCount
  static let blockFrequency = Self(rawValue: 2)  // BBFreq
  static let branchProbability = Self(rawValue: 4)  // BrProb
  static let severalRanges = Self(rawValue: 8)  // MultiBBRange
  static let withoutBlocks = Self(rawValue: 16)  // OmitBBEntries
  static let callSites = Self(rawValue: 32)  // CallsiteEndOffsets, from version 3 on
  static let hash = Self(rawValue: 64)  // BBHash, from version 4 on
  static let postLink = Self(rawValue: 128)  // PostLinkCfg, from version 5 on

  /// All features that entries of `version` can have.
  static func known(in version: UInt8) -> Self {
    let bits: [UInt16] = [0, 0, 0x1f, 0x3f, 0x7f, 0xff]
    return Self(rawValue: bits[Int(version)])
  }
}

extension ELFBlockMap {
  fileprivate mutating func readFunction(
    _ input: inout ByteCursor, is64Bit: Bool
  ) throws(ParseError) {
    let start = input.position
    let version = try input.read(UInt8.self, "BB address map version")
    guard 1...5 ~= version else {
      throw ParseError(
        .unsupported(found: "\(version), this tool reads 1 to 5"), "BB address map version",
        at: start)
    }
    let position = input.position
    let bits =
      version < 5
      ? UInt16(try input.read(UInt8.self, "feature")) : try input.read(UInt16.self, "feature")
    let features = Features(rawValue: bits)
    guard Features.known(in: version).isSuperset(of: features) else {
      throw ParseError(
        .unsupported(found: "\(hexadecimal(UInt64(bits))) in version \(version)"), "feature",
        at: position)
    }
    let firstBlock = blocks.count
    let count = features.contains(.severalRanges) ? try input.readULEB128("BB ranges") : 1
    for index in 0..<count {
      try readRun(
        &input, features, is64Bit: is64Bit, statesIDs: version > 1, isFurtherPart: index > 0)
    }
    try Self.skipAnalysis(&input, features, blockCount: blocks.count - firstBlock)
  }

  private mutating func readRun(
    _ input: inout ByteCursor, _ features: Features, is64Bit: Bool, statesIDs: Bool,
    isFurtherPart: Bool
  ) throws(ParseError) {
    let address = try input.readWord(is64Bit: is64Bit, "BB range address")
    let count = try input.readULEB128("BB count")
    let first = blocks.count
    let firstHash = features.contains(.hash) ? hashes.count : nil
    var end: UInt64 = 0
    if !features.contains(.withoutBlocks) {
      // Each block takes at least 3 bytes, so with a damaged count the loop ends at the end of the section.
      for number in 0..<count {
        end = try readBlock(&input, features, number: statesIDs ? nil : number, behind: end)
      }
    }
    runs.append(
      Run(
        address: StatedAddress(rawValue: address), blocks: first..<blocks.count,
        isFurtherPart: isFurtherPart, statesIDs: statesIDs, firstHash: firstHash))
  }

  /// - Parameter number: the block's ID; `nil` if the map states the ID.
  /// - Returns: the end of the block.
  private mutating func readBlock(
    _ input: inout ByteCursor, _ features: Features, number: UInt64?, behind end: UInt64
  ) throws(ParseError) -> UInt64 {
    let start = input.position
    let id: UInt64
    if let number { id = number } else { id = try input.readULEB128("BB ID") }
    let offset = end.addingReportingOverflow(try input.readULEB128("BB offset"))
    var size: (partialValue: UInt64, overflow: Bool) = (0, false)
    func grow(by bytes: UInt64) {
      let sum = size.partialValue.addingReportingOverflow(bytes)
      size = (sum.partialValue, size.overflow || sum.overflow)
    }
    if features.contains(.callSites) {
      for _ in 0..<(try input.readULEB128("BB call sites")) {
        grow(by: try input.readULEB128("BB call site"))
      }
    }
    grow(by: try input.readULEB128("BB size"))
    let metadata = try input.readULEB128("BB metadata")
    if features.contains(.hash) { hashes.append(try input.read(UInt64.self, "BB hash")) }
    guard id <= UInt64(UInt32.max) else {
      throw ParseError(
        .invalid(expected: "at most \(UInt32.max)", found: "\(id)"), "BB ID", at: start)
    }
    let newEnd = offset.partialValue.addingReportingOverflow(size.partialValue)
    guard !offset.overflow, !size.overflow, !newEnd.overflow,
      newEnd.partialValue <= UInt64(UInt32.max)
    else {
      throw ParseError(
        .invalid(expected: "a function below 4 GiB", found: "a larger one"), "BB size", at: start)
    }
    blocks.append(
      Block(
        offset: UInt32(offset.partialValue), size: UInt32(size.partialValue), id: UInt32(id),
        flags: Flags(rawValue: UInt8(truncatingIfNeeded: metadata))))
    return newEnd.partialValue
  }

  /// Skips the profile data of the function.
  private static func skipAnalysis(
    _ input: inout ByteCursor, _ features: Features, blockCount: Int
  ) throws(ParseError) {
    if features.contains(.entryCount) { _ = try input.readULEB128("function entry count") }
    guard !features.isDisjoint(with: [.blockFrequency, .branchProbability]) else { return }
    for _ in 0..<blockCount {
      if features.contains(.blockFrequency) { _ = try input.readULEB128("BB frequency") }
      if features.contains(.postLink) { _ = try input.readULEB128("BB post-link frequency") }
      guard features.contains(.branchProbability) else { continue }
      for _ in 0..<(try input.readULEB128("BB successors")) {
        _ = try input.readULEB128("BB successor")
        _ = try input.readULEB128("BB successor probability")
        if features.contains(.postLink) { _ = try input.readULEB128("BB successor frequency") }
      }
    }
  }
}
