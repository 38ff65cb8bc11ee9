import FunctionOrder
import ImageModel
import TestSupport
import Testing

@Suite struct MergedLaunchesTests {
  static let layout = OrderedPartsTests.layout(
    (0..<40).map { ("f\($0)", 0x1000 + UInt64($0 / 2) * 0x100, 0x100) })

  static func randomLaunch(_ random: inout SeededRandom) -> [Part] {
    (0..<Int.random(in: 0...15, using: &random)).map { _ in
      let function = Int.random(in: 0..<40, using: &random)
      let offset = UInt64.random(in: 0...1, using: &random) * 16
      return Bool.random(using: &random)
        ? Part(function) : Part(function, blocks: [FunctionBlock(offset: offset, size: 16)])
    }
  }

  static func merging(_ launches: some Sequence<[Part]>) -> MergedLaunches {
    var merged = MergedLaunches()
    for launch in launches { merged.append(launch, in: layout) }
    return merged
  }

  @Test(arguments: 0..<20) func launchesMergeTheSameInAnyGrouping(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let launches = (0..<9).map { _ in Self.randomLaunch(&random) }
    let one = Self.merging(launches)
    for cut in 0...launches.count {
      var parts = Self.merging(launches[..<cut])
      parts.append(Self.merging(launches[cut...]))
      #expect(parts == one, "cut at \(cut)")
    }
    #expect(Set(one.parts).count == one.parts.count)
    let order = OrderedParts(parts: one.parts, layout: Self.layout)
    #expect(order.parts == OrderedParts(launches: launches, layout: Self.layout).parts)
  }

  @Test func partsOfAFunctionStandWhereTheyAreUsed() {
    let (hot, late) = (FunctionBlock(offset: 0, size: 16), FunctionBlock(offset: 32, size: 16))
    let merged = Self.merging([
      [Part(0, blocks: [hot]), Part(4), Part(1, blocks: [late])]
    ])
    #expect(merged.parts == [Part(0, blocks: [hot]), Part(4), Part(0, blocks: [late])])
    let order = OrderedParts(parts: merged.parts, layout: Self.layout, largeFunctionBytes: 0x100)
    #expect(
      order.parts == [
        Part(0, blocks: [hot]), Part(1, blocks: [hot]), Part(0, blocks: [late]),
        Part(1, blocks: [late]), Part(4), Part(5),
      ])
  }
}
