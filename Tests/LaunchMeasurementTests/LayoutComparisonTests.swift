import Foundation
import LaunchMeasurement
import TestSupport
import Testing

/// Whether equal programs are told from different ones when their layouts differ. All numbers are simulated, with fixed
/// seeds.
@Suite struct LayoutComparisonTests {
  /// A simulated machine that launches two builds in random layouts. The standard deviations are relative to the time
  /// of a launch.
  private struct Machine {
    var random: SeededRandom
    var layout = 0.02
    var launch = 0.05
    /// The share of the launches that something else delays.
    var delayed = 0.05

    init(_ seed: Int) { random = SeededRandom(seed: UInt64(seed)) }

    private mutating func uniform() -> Double {
      (Double(random.next() >> 11) + 0.5) / Double(1 << 53)
    }

    /// A number of the standard normal distribution (Box and Muller, 1958).
    private mutating func normal() -> Double {
      (-2 * log(uniform())).squareRoot() * cos(2 * .pi * uniform())
    }

    /// The logarithms of the ratios of two launches. Something else delays every twentieth launch.
    mutating func logarithms(change: Double, layouts: Int, rounds: Int) -> [[Double]] {
      (0..<layouts).map { _ in
        let place = log1p(change) + (normal() - normal()) * layout
        return (0..<rounds).map { _ in
          func time() -> Double { normal() * launch + (uniform() < delayed ? 0.5 : 0) }
          return place + time() - time()
        }
      }
    }
  }

  private static func found(change: Double, layout: Double = 0.02) -> Int {
    (1...100).count { seed in
      var machine = Machine(seed)
      machine.layout = layout
      let logarithms = machine.logarithms(change: change, layouts: 20, rounds: 10)
      return LayoutComparison(.wallTime, logarithms: logarithms).verdict != .notShown
    }
  }

  @Test(.needs(.time), arguments: [0, 0.005, 0.02, 0.05])
  func atMostTenOfAHundredTrialsFindADifferenceBetweenEqualBuilds(layout: Double) {
    #expect(Self.found(change: 0, layout: layout) <= 10)
  }

  @Test(arguments: [0.03, -0.03]) func threePercentAreFoundInEightyOfAHundredTrials(change: Double)
  {
    #expect(Self.found(change: change) >= 80)
  }

  /// If all these launches use a single layout, most trials report a difference between equal builds.
  @Test func launchesOfOneLayoutAloneClaimWhatLayoutMakes() {
    let wrong = (1...100).count { seed in
      var machine = Machine(seed)
      let launches = machine.logarithms(change: 0, layouts: 1, rounds: 200)[0]
      return SignedRankTest(launches).p < LayoutComparison.level
    }
    #expect(wrong >= 50)
  }

  @Test func theLevelsAreToldApart() {
    var machine = Machine(7)
    machine.delayed = 0
    let found = LayoutComparison(
      .cpuTime, logarithms: machine.logarithms(change: 0, layouts: 200, rounds: 20))
    // The ratio of two layouts, or of two launches, varies more than a single layout or launch does, by the factor
    // square root of 2.
    #expect(abs(found.layoutNoise - 0.02 * 2.0.squareRoot()) < 0.006)
    #expect(abs(found.launchNoise - 0.05 * 2.0.squareRoot()) < 0.01)
    #expect(found.changes.count == 200 && found.metric == .cpuTime)
  }

  @Test func fewLayoutsClaimNothing() {
    func verdict(_ layouts: Int) -> ProgramComparison.Verdict {
      var found = LayoutComparison(
        .wallTime, logarithms: (0..<layouts).map { [0.5 + Double($0) / 100] })
      found.correctedP = min(1, 3 * found.p)
      return found.verdict
    }
    #expect(verdict(LayoutComparison.leastLayouts - 1) == .notShown)
    #expect(verdict(LayoutComparison.leastLayouts) == .more)
  }

  @Test func aMissingFigureIsNotCompared() {
    let launch = MeasuredLaunch(wallNanoseconds: 100)
    #expect(LayoutComparison(.instructions, [[launch]], [[launch]]) == nil)
    #expect(LayoutComparison(.wallTime, [[launch]], [[launch]])?.changes == [0])
  }
}
