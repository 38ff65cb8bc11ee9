import TestSupport
import Testing

@Suite(.serialized) struct CostGrowthTests {
  /// Does work in proportion to `count`, which no optimizer can leave out.
  private func work(_ count: Int) {
    var hasher = Hasher()
    for number in 0..<count { hasher.combine(number) }
    withExtendedLifetime(hasher.finalize()) {}
  }

  /// At the first sizes, the fixed cost is many times the cost that grows.
  @Test func fixedCostsDoNotHideASquare() {
    #expect(costGrowth(from: 16, by: 4) { work(10_000 + $0 * $0) } > 10)
    #expect(costGrowth(from: 16, by: 4) { work(10_000 + 100 * $0) } < 8)
  }

  @Test func costsThatDoNotGrowAreNoSquare() {
    #expect(costGrowth(from: 16, by: 4) { _ in work(10_000) } < 8)
  }
}
