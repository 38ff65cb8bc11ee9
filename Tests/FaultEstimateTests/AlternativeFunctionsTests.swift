import Addresses
import FaultEstimate
import ImageModel
import ModelSamples
import Testing

@Suite struct AlternativeFunctionsTests {
  /// `a` to `f` of 16 bytes, two on each page.
  static let layout = sampleLayout(
    "abcdef".enumerated().map { index, name in
      SampleFunction(
        name: SymbolName(String(name)), address: 0x1000 + 0x800 * UInt64(index), size: 16,
        section: 0)
    }, sections: [SampleSection(name: ".text", address: 0x1000, size: 0x3000)])

  /// A use of `count` of the functions with the given indexes.
  static func use(_ indexes: [Int], _ count: Int = 1, _ name: SymbolName = "n") -> StartupFunction {
    let parts = indexes.map { Part($0) }
    var use = StartupFunction(name: name, before: parts, after: parts, recordedBytes: 16)
    use.bodies = count
    if indexes.count > 1 {
      use.alternativesBefore = Set(indexes)
      use.alternativesAfter = Set(indexes)
    }
    return use
  }

  static func choose(_ uses: [StartupFunction]) -> [StartupFunction] {
    uses.choosingAlternatives(before: layout, after: layout, pageSize: .fourKibibytes)
  }

  static func comparison(_ uses: [StartupFunction]) -> LayoutComparison {
    LayoutComparison(
      before: layout, after: layout, startup: choose(uses), pageSize: .fourKibibytes)
  }

  @Test func onePageThatIsUsedAnywayIsPreferred() {
    // `f` is certain, so of `a`, `c` and `e` the last costs nothing, whichever comes first.
    for uses in [
      [Self.use([0, 2, 4]), Self.use([5], 1, "f")], [Self.use([5], 1, "f"), Self.use([0, 2, 4])],
    ] {
      let comparison = Self.comparison(uses)
      #expect(comparison.total.after.pages == 1 && comparison.atMost == (before: 3, after: 3))
      #expect(comparison.presence == Presence(all: 2, before: 2, after: 2))
    }
  }

  @Test func choicesThatAddNothingComeBeforeThoseThatDo() {
    // The second one has only `c` and `e` to choose from; the first can then share a page with it.
    let comparison = Self.comparison([
      Self.use([1, 3], 1, "x"), Self.use([2], 1, "c"), Self.use([0, 4], 1, "y"),
    ])
    #expect(comparison.total.after.pages == 2 && comparison.atMost.after == 3)
  }

  @Test func asManyAreChosenAsRan() {
    #expect(Self.choose([Self.use([0, 2, 4], 2)])[0].after.map(\.function) == [0, 2])
    #expect(Self.choose([Self.use([0, 2, 4], 3)])[0].after.map(\.function) == [0, 2, 4])
    let most = Self.comparison([Self.use([0, 2, 4], 5)])
    #expect(most.total.after.pages == 3 && most.presence.after == 3 && most.presence.all == 5)
  }

  @Test func blocksOfOneFunctionAreOfTheSameChoice() {
    func use(_ block: UInt64) -> StartupFunction {
      var use = Self.use([0, 2])
      use.before = use.before.map {
        Part($0.function, blocks: [FunctionBlock(offset: block, size: 4)])
      }
      use.after = use.before
      return use
    }
    let chosen = Self.choose([use(0), use(8), Self.use([3], 1, "d")])
    #expect(chosen.map { $0.after.map(\.function) } == [[2], [2], [3]])
    #expect(chosen.map { $0.othersAfter.map(\.function) } == [[0], [0], []])
  }

  @Test func whoHasNoChoiceIsLeftAlone() {
    let uses = [Self.use([0]), Self.use([], 1, "gone")]
    #expect(Self.choose(uses).map(\.identity) == uses.map(\.identity))
  }
}
