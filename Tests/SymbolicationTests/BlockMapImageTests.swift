import Addresses
import ByteReading
import ImageModel
import Symbolication
import TestSupport
import Testing

/// Tests how basic block address maps of images are read into the model.
@Suite struct BlockMapImageTests {
  struct Block {
    var id: UInt8
    var size: UInt8
    var flags: UInt8 = 0
    var hash: UInt64?
  }

  /// The map of an image with code at 0x1000 and one function, whose parts are `runs`.
  static func map(_ runs: [(address: UInt64, blocks: [Block])], version: UInt8 = 4) throws
    -> BlockMap?
  {
    var section = ByteWriter()
    let hasHashes = runs[0].blocks[0].hash != nil
    section.write([version, hasHashes ? 0x48 : 8, UInt8(runs.count)])
    for run in runs {
      section.write(run.address)
      section.write([UInt8(run.blocks.count)])
      for block in run.blocks {
        section.write([block.id, 0, block.size, block.flags])
        if let hash = block.hash { section.write(hash) }
      }
    }
    var elf = ELFWriter()
    elf.addText(size: 0x1000)
    elf.add(.init(".llvm_bb_addr_map", type: 0x6fff_4c0a, flags: 0x80, contents: section.bytes))
    return try BlockMap(
      of: FileBytes(elf.bytes()), functions: [StatedAddress(rawValue: runs[0].address)])
  }

  @Test func theBlocksOfASplitFunctionAreOneFunctions() throws {
    let map = try #require(
      try Self.map([
        (0x1100, [Block(id: 0, size: 8), Block(id: 5, size: 4)]),
        (0x1010, [Block(id: 2, size: 6, flags: 4), Block(id: 1, size: 0)]),
      ]))
    #expect(map.functions.count == 1 && map.functions[0].isSplit && map.statesIDs)
    #expect(map.blocks.map(\.id) == [0, 5, 2, 1])
    #expect(map.blocks.map(\.isLandingPad) == [false, false, true, false])
    #expect(map.ranges.map(\.start.rawValue) == [0x1010, 0x1100, 0x1108])
  }

  /// A hash with the parts offset, opcodes, instructions and neighbors.
  private func hash(_ parts: (UInt64, UInt64, UInt64, UInt64)) -> UInt64 {
    parts.0 | parts.1 << 16 | parts.2 << 32 | parts.3 << 48
  }

  @Test func hashesTellOtherCodeButNotASplitFunction() throws {
    func map(_ first: UInt64, _ second: UInt64, isSplit: Bool = false) throws -> BlockMap {
      let blocks = [Block(id: 0, size: 8, hash: first), Block(id: 1, size: 4, hash: second)]
      var runs: [(address: UInt64, blocks: [Block])] = [(0x1100, blocks)]
      if isSplit { runs = [(0x1100, [blocks[0]]), (0x1010, [blocks[1]])] }
      return try #require(try Self.map(runs))
    }
    let recorded = try map(hash((0, 7, 8, 9)), hash((2, 17, 18, 19)))
    func difference(_ other: BlockMap) -> BlockDifference? {
      other.difference(of: other.functions[0], from: recorded.functions[0], in: recorded)
    }
    #expect(difference(try map(hash((0, 7, 8, 9)), hash((3, 17, 99, 19)), isSplit: true)) == nil)
    #expect(difference(try map(hash((0, 7, 8, 9)), hash((2, 99, 18, 19)))) == .code)
    #expect(difference(try map(hash((0, 7, 8, 99)), hash((2, 17, 18, 19)))) == .code)
    // If the compiler writes no map, there is no warning.
    let plain = try #require(
      try Self.map([(0x1100, [Block(id: 0, size: 8), Block(id: 1, size: 4)])]))
    #expect(difference(plain) == nil)
  }

  @Test func whatDiffersIsSaid() throws {
    func map(_ blocks: [Block]) throws -> BlockMap {
      try #require(try Self.map([(0x1100, blocks)]))
    }
    let recorded = try map([Block(id: 0, size: 8), Block(id: 1, size: 4, flags: 4)])
    func drift(_ blocks: [Block]) throws -> String? {
      let other = try map(blocks)
      return other.drift(of: other.functions[0], from: recorded.functions[0], in: recorded)?
        .description
    }
    #expect(try drift([Block(id: 1, size: 4, flags: 4), Block(id: 0, size: 8)]) == nil)
    #expect(try drift([Block(id: 0, size: 8)]) == "1 and 2 basic blocks")
    #expect(
      try drift([Block(id: 0, size: 8), Block(id: 2, size: 4, flags: 4)]) == "other block IDs")
    #expect(try drift([Block(id: 0, size: 8), Block(id: 1, size: 4)]) == "other landing pads")
    #expect(
      try drift([Block(id: 0, size: 9), Block(id: 1, size: 4, flags: 4)]) == "13 and 12 bytes")
  }
}
