import Addresses
import ImageModel
import Testing

@Suite struct BlockMapTests {
  static func address(_ rawValue: UInt64) -> StatedAddress { StatedAddress(rawValue: rawValue) }
  static func range(_ start: UInt64, _ size: UInt64) -> AddressRange {
    AddressRange(start: address(start), size: size)
  }

  /// A function with blocks at these addresses and with these sizes. The block numbers begin at 0.
  typealias Sample = (entry: UInt64, hash: UInt64?, blocks: [(start: UInt64, size: UInt32)])

  static func map(_ functions: [Sample]) -> BlockMap {
    BlockMap(
      of: functions.map { BlockMap.Function(entry: address($0.entry), hash: $0.hash) }
    ) { index, blocks in
      for (id, block) in functions[index].blocks.enumerated() {
        blocks.append(
          BlockMap.Block(start: address(block.start), size: block.size, id: UInt32(id)))
      }
    }
  }

  @Test func emptyAndOverlappingBlocksAreFoundByTheirFunctionAlone() {
    let map = Self.map([
      (0x1010, nil, [(0x1010, 4), (0x1010, 0), (0x1014, 2), (0x1014, 2)]),
      (0x1000, nil, [(0x1000, 16), (0x1000, 8), (0x1008, 16)]),
    ])
    #expect(
      map.ranges == [Self.range(0x1000, 16), Self.range(0x1010, 4), Self.range(0x1014, 2)])
    #expect(map.block(at: Self.address(0x1010))?.range == Self.range(0x1010, 4))
    #expect(map.block(at: Self.address(0x1011)) == nil)
    #expect(map.block(at: Self.address(0x1014))?.id == 2)
    #expect(map.block(containing: Self.address(0x100f))?.start == Self.address(0x1000))
    #expect(map.block(containing: Self.address(0x1016)) == nil)
    #expect(Self.map([]).block(at: Self.address(0)) == nil)
    #expect(Self.map([]).block(containing: Self.address(0)) == nil)
    #expect(map.functions.map { map.blocks(of: $0).count } == [3, 4])
  }

  @Test func aFunctionHasItsBlocksWhereverTheyLie() throws {
    let map = Self.map([
      (0x2000, 7, [(0x2000, 4)]), (0x1000, nil, [(0x1000, 8), (0x9000, 8), (0x1008, 0)]),
      (0x1000, nil, [(0x1000, 1)]),
    ])
    #expect(map.functions.map(\.entry.rawValue) == [0x1000, 0x2000])
    let first = try #require(map.function(at: Self.address(0x1000)))
    #expect(map.blocks(of: first).map(\.id) == [0, 1, 2])
    #expect(map.block(at: Self.address(0x9000)).map(map.function(of:)) == first)
    #expect(map.function(at: Self.address(0x9000)) == nil)
    #expect(map.function(at: Self.address(0x2000))?.hash == 7)
  }

  struct Parts: Sendable {
    var parts: [(UInt64, UInt64)]
    var limit: UInt64 = 100
    var bytes: UInt64
  }

  @Test(arguments: [
    Parts(parts: [], bytes: 0), Parts(parts: [(0, 8), (8, 4)], bytes: 12),
    Parts(parts: [(20, 5), (0, 8)], bytes: 13),
    Parts(parts: [(0, 10), (2, 4), (5, 10)], bytes: 15),
    Parts(parts: [(90, 20)], bytes: 10), Parts(parts: [(100, 4), (200, 4)], bytes: 0),
    Parts(parts: [(1, .max), (.max, .max)], bytes: 99), Parts(parts: [(0, 8)], limit: 0, bytes: 0),
  ])
  func aByteOfSeveralPartsCountsOnce(_ example: Parts) {
    let blocks = example.parts.map { FunctionBlock(offset: $0.0, size: $0.1) }
    #expect(FunctionBlock.bytes(in: blocks, upTo: example.limit) == example.bytes)
  }
}
