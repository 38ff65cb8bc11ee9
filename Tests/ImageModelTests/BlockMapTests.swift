import Addresses
import ImageModel
import Testing

@Suite struct BlockMapTests {
  static func range(_ start: UInt64, _ size: UInt64) -> AddressRange {
    AddressRange(start: StatedAddress(rawValue: start), size: size)
  }

  @Test func emptyAndOverlappingBlocksAreLeftOut() {
    let map = BlockMap([
      Self.range(0x1010, 4), Self.range(0x1000, 16), Self.range(0x1010, 0), Self.range(0x1000, 8),
      Self.range(0x1008, 16), Self.range(0x1014, 2), Self.range(0x1014, 2),
    ])
    #expect(
      map.blocks == [Self.range(0x1000, 16), Self.range(0x1010, 4), Self.range(0x1014, 2)])
    #expect(map.contains(Self.range(0x1010, 4)) && !map.contains(Self.range(0x1010, 5)))
    #expect(!map.contains(Self.range(0x1011, 3)) && !map.contains(Self.range(0x2000, 3)))
    #expect(map.block(at: StatedAddress(rawValue: 0x1014))?.size == 2)
    #expect(BlockMap([]).block(at: StatedAddress(rawValue: 0)) == nil)
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
