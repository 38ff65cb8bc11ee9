import FunctionOrder
import ImageModel
import Testing

@Suite struct UsedPartsTests {
  private static let layout = OrderedPartsTests.five

  private static func used(_ launches: [(weight: UInt64, names: [String])], others: [String] = [])
    -> UsedParts
  {
    UsedParts(
      launches: launches.map {
        UsedParts.Launch(
          weight: $0.weight, uses: OrderedPartsTests.launch($0.names, in: layout))
      }, others: OrderedPartsTests.launch(others, in: layout))
  }

  private static func names(_ parts: [Part]) -> [String] {
    parts.map { layout.name(of: layout.functions[$0.function]).description }
  }

  @Test(arguments: OrderStrategy.allCases)
  func whatOnlyOtherLaunchesUseIsLast(strategy: OrderStrategy) {
    let used = Self.used([(1, ["parse", "log"])], others: ["setup", "log", "main"])
    #expect(
      Self.names(used.ordered(by: strategy, in: Self.layout)) == ["parse", "log", "setup", "main"])
  }

  /// Only the ratio of the weights matters: a weight of a million does not make a million copies of a launch.
  @Test func theHeaviestLaunchDecides() {
    let used = Self.used([(1_000_000, ["main", "log"]), (1, ["parse", "setup"])])
    let order = Self.names(used.ordered(by: .balanced, in: Self.layout))
    #expect(order == ["main", "log", "parse", "setup"])
  }

  @Test func aPreviousOrderStaysWithOrWithoutWhatIsNotUsed() {
    let used = Self.used([(1, ["setup", "log"])])
    let previous = OrderedPartsTests.launch(["log", "open64", "setup"], in: Self.layout)
      .map { Self.layout.canonical($0) }
    func order(keepsUnused: Bool) -> [String] {
      Self.names(
        used.ordered(
          by: .firstHit, keeping: .init(previous, keepsUnused: keepsUnused), in: Self.layout
        ).parts)
    }
    #expect(order(keepsUnused: false) == ["log", "setup"])
    #expect(order(keepsUnused: true) == ["log", "open64", "setup"])
  }

  @Test func partsThatAreMappedToNothingAreLeftOut() {
    let used = Self.used([(1, ["parse", "log"])], others: ["main"]).mapParts { part in
      Self.names([part]) == ["log"] ? nil : part
    }
    #expect(Self.names(used.ordered(by: .firstHit, in: Self.layout)) == ["parse", "main"])
  }
}
