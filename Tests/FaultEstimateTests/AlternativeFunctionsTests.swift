import Addresses
import FaultEstimate
import ImageModel
import ModelSamples
import Testing

@Suite struct AlternativeFunctionsTests {
  /// The functions `a` to `f`, 16 bytes each, two on each page.
  static let layout = sampleLayout(
    "abcdef".enumerated().map { index, name in
      SampleFunction(
        name: SymbolName(String(name)), address: 0x1000 + 0x800 * UInt64(index), size: 16,
        section: 0)
    }, sections: [SampleSection(name: ".text", address: 0x1000, size: 0x3000)])

  /// A launch that used `count` of the functions with the given indexes; it is not known which.
  static func use(_ indexes: [Int], _ count: Int = 1, _ name: SymbolName = "n") -> MatchedFunction {
    let match = MatchedFunction.Match(
      indexes.map { Part($0) }, alternatives: indexes.count > 1 ? Set(indexes) : [])
    var use = MatchedFunction(name: name, matches: [match], recordedBytes: 16)
    use.bodies = count
    return use
  }

  static func choose(_ uses: [MatchedFunction]) -> [StartupFunction] {
    uses.startupFunctions(of: [layout], pageSize: .fourKibibytes)[0]
  }

  static func estimate(_ uses: [MatchedFunction]) -> LayoutEstimate {
    uses.estimates(of: [layout])[0]
  }

  @Test func onePageThatIsUsedAnywayIsPreferred() {
    // `f` was certainly used. `e` is on its page, so of `a`, `c` and `e`, `e` costs nothing, in any order of the uses.
    for uses in [
      [Self.use([0, 2, 4]), Self.use([5], 1, "f")], [Self.use([5], 1, "f"), Self.use([0, 2, 4])],
    ] {
      let estimate = Self.estimate(uses)
      #expect(estimate.faults.total.pages == 1 && estimate.atMost == 3)
      #expect(estimate.functions == 2 && estimate.present == 2)
    }
  }

  @Test func choicesThatAddNothingComeBeforeThoseThatDo() {
    // `c` was certainly used, so the first use can be `d`, which adds no page. `a` and `e` each add one.
    let estimate = Self.estimate([
      Self.use([1, 3], 1, "x"), Self.use([2], 1, "c"), Self.use([0, 4], 1, "y"),
    ])
    #expect(estimate.faults.total.pages == 2 && estimate.atMost == 3)
  }

  @Test func asManyAreChosenAsRan() {
    #expect(Self.choose([Self.use([0, 2, 4], 2)])[0].parts.map(\.function) == [0, 2])
    #expect(Self.choose([Self.use([0, 2, 4], 3)])[0].parts.map(\.function) == [0, 2, 4])
    let most = Self.estimate([Self.use([0, 2, 4], 5)])
    #expect(most.faults.total.pages == 3 && most.present == 3 && most.functions == 5)
  }

  @Test func blocksOfOneFunctionAreOfTheSameChoice() {
    func use(_ block: UInt64) -> MatchedFunction {
      var use = Self.use([0, 2])
      use.matches[0].parts = use.matches[0].parts.map {
        Part($0.function, blocks: [FunctionBlock(offset: block, size: 4)])
      }
      return use
    }
    let chosen = Self.choose([use(0), use(8), Self.use([3], 1, "d")])
    #expect(chosen.map { $0.parts.map(\.function) } == [[2], [2], [3]])
    #expect(chosen.map { $0.others.map(\.function) } == [[0], [0], []])
    #expect(chosen.map(\.number) == [0, 0, 1])
  }

  @Test func whoHasNoChoiceIsLeftAlone() {
    let uses = [Self.use([0]), Self.use([], 1, "gone")]
    let chosen = Self.choose(uses)
    #expect(chosen.map(\.parts) == uses.map { $0.matches[0].parts })
    #expect(chosen.allSatisfy { $0.others.isEmpty })
  }

  /// Two functions of the layout before have one name in the layout after. Both ran, so both count.
  @Test func howManyRanIsAQuestionOfAllLayouts() {
    let other = sampleLayout([
      SampleFunction(name: "n", address: 0x1000), SampleFunction(name: "n", address: 0x9000),
    ])
    let uses = [0, 2].map { index in
      MatchedFunction(
        name: "n",
        matches: [
          MatchedFunction.Match([Part(index)]),
          MatchedFunction.Match([Part(0), Part(1)], alternatives: [0, 1]),
        ], recordedBytes: 16)
    }
    let both = uses.estimates(of: [Self.layout, other])
    #expect(both.map(\.faults.total.pages) == [2, 2])
    #expect(both.map(\.present) == [2, 2])
    let alone = uses.map { use in
      var use = use
      use.matches.removeFirst()
      return use
    }.estimates(of: [other])[0]
    #expect(alone.faults.total.pages == 1 && alone.atMost == 2 && alone.functions == 1)
  }
}
