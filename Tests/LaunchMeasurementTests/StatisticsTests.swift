import Foundation
import LaunchMeasurement
import TestSupport
import Testing

/// What numpy and scipy say of a pair of samples: Tests/Fixtures/statistics.
struct JudgedSamples: Decodable, CustomTestStringConvertible {
  struct Summary: Decodable {
    var minimum, lowerQuartile, median, mean, upperQuartile, percentile95, maximum: Double
    var standardDeviation: Double
  }
  struct JudgedTrend: Decodable {
    /// `nil` where scipy divides by 0: all values are equal.
    var p: Double?
    var slope: Double
  }

  var name: String
  var a, b: [Double]
  var summaryA, summaryB: Summary
  var u: Double
  var p: Double
  var asymptoticP: Double?
  var trendA, trendB: JudgedTrend
  var interval: [Double]?

  var testDescription: String { name }

  static let all: [JudgedSamples] = {
    struct Document: Decodable { var cases: [JudgedSamples] }
    guard let bytes = try? fixture("statistics/expected.json"),
      let document = try? JSONDecoder().decode(Document.self, from: Data(bytes))
    else { return [] }
    return document.cases
  }()
}

/// Whether two numbers agree to so many digits.
private func agree(_ a: Double, _ b: Double, digits: Double = 10) -> Bool {
  abs(a - b) <= pow(10, -digits) * max(1e-300, max(abs(a), abs(b)))
}

@Suite struct StatisticsTests {
  @Test func theFixtureIsThere() { #expect(JudgedSamples.all.count == 11) }

  @Test(arguments: JudgedSamples.all) func summariesAreNumpys(_ judged: JudgedSamples) {
    for (values, expected) in [(judged.a, judged.summaryA), (judged.b, judged.summaryB)] {
      let summary = SampleSummary(values)
      for (found, expected) in [
        (summary.minimum, expected.minimum), (summary.lowerQuartile, expected.lowerQuartile),
        (summary.median, expected.median), (summary.mean, expected.mean),
        (summary.upperQuartile, expected.upperQuartile),
        (summary.percentile95, expected.percentile95), (summary.maximum, expected.maximum),
        (summary.standardDeviation, expected.standardDeviation),
      ] {
        #expect(agree(found, expected), "\(found), expected \(expected)")
      }
    }
  }

  @Test(arguments: JudgedSamples.all) func rankSumsAreScipys(_ judged: JudgedSamples) {
    let test = RankSumTest(judged.a, judged.b)
    #expect(test.u == judged.u)
    #expect(agree(test.p, judged.p, digits: 9), "\(test.p), expected \(judged.p)")
    let isTied = Set(judged.a + judged.b).count < judged.a.count + judged.b.count
    #expect(test.isExact == (!isTied && judged.a.count <= 50))
    // What the exact number is near to is the approximation: where scipy has both.
    if let asymptotic = judged.asymptoticP, judged.a.count >= 30 {
      #expect(abs(test.p - asymptotic) < 0.01)
    }
  }

  @Test(arguments: JudgedSamples.all) func trendsAreScipys(_ judged: JudgedSamples) {
    for (values, expected) in [(judged.a, judged.trendA), (judged.b, judged.trendB)] {
      let trend = Trend(values)
      #expect(agree(trend.slope, expected.slope), "\(trend.slope), expected \(expected.slope)")
      #expect(agree(trend.p, expected.p ?? 1, digits: 9), "\(trend.p), expected \(expected)")
    }
  }

  /// Other random numbers give another interval; with 100,000 draws against 4000 it differs by
  /// little.
  @Test(arguments: JudgedSamples.all.filter { $0.interval != nil })
  func intervalsAreNearScipys(_ judged: JudgedSamples) throws {
    let expected = try #require(judged.interval)
    let found = MedianDifference(judged.a, judged.b, draws: 4000)
    #expect(found.difference == judged.summaryB.median - judged.summaryA.median)
    let width = expected[1] - expected[0]
    #expect(abs(found.low - expected[0]) < 0.15 * width, "\(found), expected \(expected)")
    #expect(abs(found.high - expected[1]) < 0.15 * width, "\(found), expected \(expected)")
  }
}

/// Closed forms: what can be worked out on paper.
@Suite struct StatisticsByHandTests {
  @Test func quantilesAreInterpolated() {
    let summary = SampleSummary([40, 10, 30, 20])
    #expect(summary.lowerQuartile == 17.5)
    #expect(summary.median == 25)
    #expect(summary.upperQuartile == 32.5)
    #expect(agree(summary.percentile95, 38.5))
    #expect(agree(summary.variation, (500.0 / 3).squareRoot() / 25))
  }

  @Test func oneValueIsItsOwnSummary() {
    let summary = SampleSummary([3])
    #expect(summary.minimum == 3 && summary.percentile95 == 3 && summary.maximum == 3)
    #expect(summary.standardDeviation == 0 && summary.outliers == 0)
  }

  @Test func farValuesAreOutliers() {
    #expect(SampleSummary([1, 2, 3, 4, 5, 100]).outliers == 1)
    // The fence is at 4.75 + 3 * 2.5.
    #expect(SampleSummary([1, 2, 3, 4, 5, 12.25]).outliers == 0)
    #expect(SampleSummary([1, 1, 1, 1, 1, 1, 1, 1, 1.1]).outliers == 1)
    #expect(SampleSummary([-100, 2, 3, 4, 5, 6]).outliers == 0, "no launch is too fast")
  }

  @Test func exactProbabilitiesAreCounted() {
    // Of 20 ways to deal six ranks, U = 0 and U = 9 are one each.
    #expect(agree(RankSumTest([1, 2, 3], [4, 5, 6]).p, 2.0 / 20))
    #expect(agree(RankSumTest([1, 2, 4], [3, 5, 6]).p, 4.0 / 20))
    #expect(RankSumTest([1, 4], [2, 3]).p == 1)
    // Samples of different sizes: U = 0 is one of five ways, on either side.
    #expect(agree(RankSumTest([1], [2, 3, 4, 5]).p, 2.0 / 5))
    #expect(agree(RankSumTest([2, 3, 4, 5], [1]).p, 2.0 / 5))
  }

  @Test func theLargestExactTestAddsUpToOne() {
    // Interleaved: U is as near to its mean as it can be, so all ways are as far off.
    let pairs: [(Double, Double)] = (0..<50).map { pair in
      let first = Double(2 * pair)
      return pair % 2 == 0 ? (first + 1, first) : (first, first + 1)
    }
    let (odd, even) = (pairs.map(\.0), pairs.map(\.1))
    let test = RankSumTest(odd, even)
    #expect(test.isExact && test.u == 1250 && test.p == 1)
    #expect(RankSumTest(odd, even.map { $0 + 1000 }).p < 1e-28)
  }

  @Test func roundsThatDifferByTheSameHaveNoInterval() {
    let before: [Double] = [10, 12, 11, 40, 9]
    let found = MedianDifference(before, before.map { $0 - 3 })
    #expect(found.difference == -3 && found.low == -3 && found.high == -3)
    #expect(found.excludesZero)
    let same = MedianDifference(before, before)
    #expect(same.difference == 0 && same.low == 0 && same.high == 0 && !same.excludesZero)
  }

  @Test func precisionIsHalfTheIntervalOfTheMean() {
    // CV = 0.1: sqrt(sum of squares / 99) with fifty each side of 100.
    let values = (0..<100).map { $0 % 2 == 0 ? 90.0 : 110.0 }
    let sample = SampleSummary(values)
    let variation = (10_000.0 / 99).squareRoot() / 100
    let reached = 1.959963984540054 * variation / 10
    #expect(agree(MeasurementPrecision.reached(sample), reached))
    #expect(MeasurementPrecision.launchesNeeded(reached * 1.0001, sample) == 100)
    #expect(MeasurementPrecision.launchesNeeded(reached / 2, sample) == 400)
    let steady = SampleSummary([5, 5, 5])
    #expect(MeasurementPrecision.reached(steady) == 0)
    #expect(MeasurementPrecision.launchesNeeded(0.01, steady) == 1)
    #expect(MeasurementPrecision.launchesNeeded(1e-12, sample) == 1_000_000)
  }

  @Test func driftIsSeenAndNoiseIsNot() {
    var random = SeededRandom(seed: 11)
    let noise = (0..<40).map { _ in Double.random(in: 99...101, using: &random) }
    #expect(!Trend(noise).isNotable)
    let rising = noise.enumerated().map { $0.element + 0.2 * Double($0.offset) }
    #expect(Trend(rising).isNotable && Trend(rising).slope > 0.15)
    #expect(Trend(rising.reversed()).slope == -Trend(rising).slope)
    // Sure, but by less than 1% in all.
    let creeping = (0..<40).map { 1000 + 0.1 * Double($0) }
    #expect(Trend(creeping).p < 1e-9 && !Trend(creeping).isNotable)
    #expect(Trend([5]).p == 1 && Trend([5]).slope == 0)
  }

  @Test func aDifferenceIsSaidOnlyIfItIsSure() {
    let steady = (0..<30).map { 100 + Double($0 % 7) * 0.1 }
    #expect(LaunchComparison(steady, steady.map { $0 - 5 }).verdict == .faster)
    #expect(LaunchComparison(steady, steady.map { $0 + 5 }).verdict == .slower)
    #expect(LaunchComparison(steady, steady).verdict == .notShown)
    // Three of each can't: the least p there is is 0.1.
    #expect(LaunchComparison([1, 2, 3], [11, 12, 13]).verdict == .notShown)
  }
}

/// What holds for any samples, tried on seeded ones.
@Suite struct StatisticsPropertyTests {
  static func samples(_ seed: UInt64, count: Int) -> (a: [Double], b: [Double]) {
    var random = SeededRandom(seed: seed)
    // Rounded, so that there are ties.
    func value() -> Double { Double.random(in: 0..<40, using: &random).rounded() }
    return ((0..<count).map { _ in value() }, (0..<count).map { _ in value() })
  }

  @Test(arguments: 1...20) func swappingTheSamplesSwapsTheSigns(seed: UInt64) {
    let (a, b) = Self.samples(seed, count: 5 + Int(seed))
    let (forth, back) = (
      MedianDifference(a, b, draws: 500, seed: seed),
      MedianDifference(b, a, draws: 500, seed: seed)
    )
    #expect(forth.difference == -back.difference)
    #expect(abs(forth.low + back.high) < 1e-9 && abs(forth.high + back.low) < 1e-9)
    let (u, v) = (RankSumTest(a, b), RankSumTest(b, a))
    #expect(u.u + v.u == Double(a.count * b.count))
    #expect(abs(u.p - v.p) < 1e-12 && (0...1).contains(u.p))
  }

  @Test(arguments: 1...20) func intervalsMoveAndScaleWithTheirValues(seed: UInt64) {
    let (a, b) = Self.samples(seed, count: 12)
    let plain = MedianDifference(a, b, draws: 300, seed: seed)
    #expect(plain.low <= plain.difference && plain.difference <= plain.high)
    let moved = MedianDifference(a, b.map { $0 + 1000 }, draws: 300, seed: seed)
    #expect(abs(moved.low - plain.low - 1000) < 1e-6)
    let scaled = MedianDifference(a.map { $0 * 8 }, b.map { $0 * 8 }, draws: 300, seed: seed)
    #expect(scaled.low == plain.low * 8 && scaled.high == plain.high * 8)
    #expect(plain == MedianDifference(a, b, draws: 300, seed: seed), "the seed decides")
  }

  /// 200 measurements of 20 rounds whose true difference is 2: the interval has to hold it in about
  /// 95% of them or more, and is no use if it holds everything.
  @Test func theIntervalCoversTheTruth() {
    var random = SeededRandom(seed: 3)
    // The sum of twelve is near to normal; the round's own part is common to both.
    func normal() -> Double {
      (0..<12).reduce(-6.0) { sum, _ in sum + .random(in: 0..<1, using: &random) }
    }
    var (covered, narrow) = (0, 0)
    for seed in 1...200 {
      var (before, after): ([Double], [Double]) = ([], [])
      for _ in 0..<20 {
        let round = 3 * normal()
        before.append(100 + round + normal())
        after.append(102 + round + normal())
      }
      let found = MedianDifference(before, after, draws: 200, seed: UInt64(seed))
      narrow += found.high - found.low < 6 ? 1 : 0
      if found.low <= 2, 2 <= found.high { covered += 1 }
    }
    #expect(covered >= 186, "\(covered) of 200")
    #expect(narrow >= 180, "\(narrow) of 200")
  }

  /// Of 200 comparisons of a program with itself at most a few may claim a difference.
  @Test func equalProgramsAreSeldomSaidToDiffer() {
    var random = SeededRandom(seed: 8)
    var wrong = 0
    for seed in 1...200 {
      // A long tail on one side, as launches have.
      func launch() -> Double { 5 - Double.random(in: 1e-6..<1, using: &random).squareRoot() }
      let a = (0..<15).map { _ in launch() }
      let b = (0..<15).map { _ in launch() }
      if LaunchComparison(a, b, draws: 200, seed: UInt64(seed)).verdict != .notShown { wrong += 1 }
    }
    #expect(wrong <= 5, "\(wrong) of 200")
  }
}
