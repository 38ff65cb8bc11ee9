import FaultEstimate
import ImageModel
import Testing

@Suite struct FaultCostTests {
  @Test(arguments: [
    (0, "0"), (150_000, "0.15"), (60_000, "0.06"), (1_000_000, "1"), (-3_000_000, "-3"),
    (-150_000, "-0.15"), (1, "0.000001"), (120_300_000, "120.3"),
    (.min, "-9223372036854.775808"),
  ])
  func millisecondsAreExactDecimals(nanoseconds: Int, expected: String) {
    #expect(Milliseconds(nanoseconds: nanoseconds).description == expected)
  }

  @Test(arguments: [
    (150_000, 94, 14_100_000), (150_000, -2, -300_000), (0, .min, 0), (.max, 2, .max),
    (.max, -2, .min), (-2, .max, .min), (-2, .min, .max),
  ])
  func multiplyingStaysInRange(nanoseconds: Int, factor: Int, expected: Int) {
    #expect((Milliseconds(nanoseconds: nanoseconds) * factor).nanoseconds == expected)
  }

  @Test func aCostOfOnesOwnIsANarrowBand() throws {
    let cost = try #require(FaultCost(milliseconds: 0.25, source: "--cost-ms"))
    #expect(cost.low.nanoseconds == 250_000)
    #expect(cost.low == cost.typical && cost.typical == cost.high)
    #expect(cost.source == "--cost-ms")
  }

  @Test(arguments: [-0.1, .nan, .infinity, 1000.1])
  func aCostThatIsNoneIsRefused(milliseconds: Double) {
    #expect(FaultCost(milliseconds: milliseconds, source: "") == nil)
  }

  @Test func thePublishedBandAscendsAndIsOfApplesSystemsAlone() throws {
    #expect(FaultCost.published(for: .elf) == nil)
    let published = try #require(FaultCost.published(for: .machO))
    #expect("\(published.low) \(published.typical) \(published.high)" == "0.06 0.15 0.8")
  }
}
