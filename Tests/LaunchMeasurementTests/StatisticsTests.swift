import Foundation
import LaunchMeasurement
import TestSupport
import Testing

/// The results of numpy and scipy for a pair of samples, from Tests/Fixtures/statistics.
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
  struct JudgedChange: Decodable {
    var share: Double
    /// The confidence interval; `nil` for fewer than 6 rounds.
    var interval: [Double]?
  }

  /// The statistic W of the signed-rank test for the differences b - a.
  var w: Double
  var p: Double
  var trendA, trendB: JudgedTrend
  /// `nil` for values that have no logarithm.
  var change: JudgedChange?
  struct JudgedApart: Decodable {
    var u, p, difference: Double
    /// The confidence intervals of the difference and of the median of `a`; `nil` for too few values.
    var interval, medianInterval: [Double]?
  }

  /// `a` and the first two thirds of `b`, compared as two samples without rounds.
  var apart: JudgedApart

  var testDescription: String { name }

  static let all: [JudgedSamples] = {
    struct Document: Decodable { var cases: [JudgedSamples] }
    guard let bytes = try? fixture("statistics/expected.json"),
      let document = try? JSONDecoder().decode(Document.self, from: Data(bytes))
    else { return [] }
    return document.cases
  }()
}

/// Whether two numbers agree in `digits` significant digits.
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

  @Test(arguments: JudgedSamples.all) func signedRanksAreScipys(_ judged: JudgedSamples) {
    let test = SignedRankTest(zip(judged.a, judged.b).map { $1 - $0 })
    #expect(test.w == judged.w)
    #expect(agree(test.p, judged.p, digits: 9), "\(test.p), expected \(judged.p)")
    #expect(test.isExact == (judged.a.count <= 50))
  }

  @Test(arguments: JudgedSamples.all.filter { $0.change != nil })
  func changesAndTheirIntervalsAreNumpys(_ judged: JudgedSamples) throws {
    let expected = try #require(judged.change)
    let change = TypicalChange(logarithms: zip(judged.a, judged.b).map { log($1 / $0) })
    #expect(agree(change.share, expected.share), "\(change), expected \(expected)")
    #expect((change.interval == nil) == (expected.interval == nil))
    guard let found = change.interval, let ends = expected.interval else {
      #expect(judged.a.count < 6)
      return
    }
    #expect(agree(found.lowerBound, ends[0]), "\(found), expected \(ends)")
    #expect(agree(found.upperBound, ends[1]), "\(found), expected \(ends)")
  }

  @Test(arguments: JudgedSamples.all)
  func samplesWithoutRoundsAreComparedAsByScipy(_ judged: JudgedSamples) throws {
    let before = try #require(WeightedSample(judged.a))
    let after = try #require(WeightedSample(Array(judged.b.prefix(2 * judged.b.count / 3 + 1))))
    let expected = judged.apart
    let test = RankSumTest(before, after)
    #expect(test.u == expected.u)
    #expect(agree(test.p, expected.p, digits: 9), "\(test.p), expected \(expected.p)")
    let change = SampleChange(from: before, to: after)
    let range = (judged.a + judged.b).map { abs($0) }.max() ?? 0
    func isNear(_ found: Double?, _ expected: Double?) -> Bool {
      guard let found, let expected else { return found == nil && expected == nil }
      return abs(found - expected) <= 1e-10 * range
    }
    #expect(isNear(change.difference, expected.difference), "\(change), expected \(expected)")
    #expect(isNear(change.interval?.lowerBound, expected.interval?[0]))
    #expect(isNear(change.interval?.upperBound, expected.interval?[1]))
    #expect(isNear(before.medianInterval?.lowerBound, expected.medianInterval?[0]))
    #expect(isNear(before.medianInterval?.upperBound, expected.medianInterval?[1]))
    #expect(isNear(before.median, judged.summaryA.median))
    #expect(isNear(before.lowerQuartile, judged.summaryA.lowerQuartile))
    #expect(isNear(before.upperQuartile, judged.summaryA.upperQuartile))
  }

  @Test(arguments: JudgedSamples.all) func trendsAreScipys(_ judged: JudgedSamples) {
    for (values, expected) in [(judged.a, judged.trendA), (judged.b, judged.trendB)] {
      let trend = Trend(values)
      #expect(agree(trend.slope, expected.slope), "\(trend.slope), expected \(expected.slope)")
      #expect(agree(trend.p, expected.p ?? 1, digits: 9), "\(trend.p), expected \(expected)")
    }
  }
}

/// Results that can be computed by hand.
@Suite struct StatisticsByHandTests {
  @Test func theSharesOfRankSumsAreCounted() throws {
    func test(_ before: [Double], _ after: [Double]) throws -> RankSumTest {
      RankSumTest(
        try #require(WeightedSample(before)), try #require(WeightedSample(after)))
    }
    // Of the 20 choices of three of six launches, one has all nine pairs, and one has none.
    #expect(try test([1, 2, 3], [4, 5, 6]).u == 9)
    #expect(agree(try test([1, 2, 3], [4, 5, 6]).p, 2.0 / 20))
    #expect(agree(try test([4, 5, 6], [1, 2, 3]).p, 2.0 / 20))
    #expect(try test([1], [1]).p == 1 && test([1], [1]).u == 0.5)
  }

  @Test func observationsOfOneValueCountAsOften() throws {
    let listed = try #require(WeightedSample([5, 1, 1, 9, 5, 5, 7]))
    let counted = try #require(
      WeightedSample(counts: [(value: 9, count: 1), (1, 2), (7, 1), (5, 3), (3, 0)]))
    #expect(listed == counted && counted.count == 7 && counted.median == 5)
    #expect(WeightedSample([]) == nil)
    #expect(WeightedSample(counts: [(value: 1, count: .max)]) == nil)
    let many = try #require(
      WeightedSample(counts: [(value: 1, count: 1 << 52), (2, 1 << 51)]))
    let change = SampleChange(from: listed, to: many)
    #expect(change.interval != nil && change.difference == -4)
  }

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
    // Values above 4.75 + 3 * 2.5 are outliers.
    #expect(SampleSummary([1, 2, 3, 4, 5, 12.25]).outliers == 0)
    #expect(SampleSummary([1, 1, 1, 1, 1, 1, 1, 1, 1.1]).outliers == 1)
    #expect(SampleSummary([-100, 2, 3, 4, 5, 6]).outliers == 0, "no launch is too fast")
  }

  @Test func exactProbabilitiesAreCounted() {
    // 1...5 has 32 subsets. Five of them have a sum of at least 12, and five a sum of at most 3.
    let test = SignedRankTest([1, 2, -3, 4, 5])
    #expect(test.w == 12 && agree(test.p, 10.0 / 32))
    #expect(agree(SignedRankTest([-1, -2, 3, -4, -5]).p, 10.0 / 32))
    #expect(agree(SignedRankTest([7, 8, 9]).p, 2.0 / 8))
    // The two differences of equal size have rank 1.5 each. Of the eight subsets of the ranks, one has the sum 0 and
    // one the sum 6.
    #expect(agree(SignedRankTest([2, 2, 3]).p, 2.0 / 8))
    #expect(SignedRankTest([-2, 2]).p == 1)
    #expect(SignedRankTest([0, 0]).p == 1 && SignedRankTest([0, 5, 6, 7]).w == 6)
  }

  @Test func theLargestExactTestAddsUpToOne() {
    // The signs of each four neighbors cancel each other out, so W is as near to its mean as possible.
    let signs: [Double] = [1, -1, -1, 1]
    let differences = (0..<48).map { (place: Int) in Double(place + 1) * signs[place % 4] }
    let test = SignedRankTest(differences)
    #expect(test.isExact && test.w == 588 && agree(test.p, 1))
    #expect(SignedRankTest((1...50).map(Double.init)).p < 1e-14)
  }

  @Test func roundsThatDifferByTheSameShareHaveNoInterval() {
    let change = TypicalChange(logarithms: [Double](repeating: log(0.7), count: 6))
    #expect(agree(change.share, -0.3) && agree(change.interval?.lowerBound ?? 0, -0.3))
    #expect(change.interval?.lowerBound == change.interval?.upperBound)
    #expect(TypicalChange(logarithms: [0, 0, 0, 0, 0, 0]).interval == 0...0)
    let few = TypicalChange(logarithms: [2, 2.2, 1.9].map { log($0) })
    #expect(few.interval == nil && abs(few.share - 1.02) < 0.01)
  }

  @Test func moreComparisonsNeedSmallerProbabilities() {
    let corrected = ProgramComparison.corrected([0.3, 0.001, 0.004])
    #expect(zip(corrected, [0.3, 0.003, 0.008]).allSatisfy { agree($0, $1) })
    #expect(ProgramComparison.corrected([0.6, 0.5]) == [1, 1], "none above 1, and none below")
    #expect(ProgramComparison.corrected([0.01, 0.009]) == [0.018, 0.018])
    #expect(ProgramComparison.corrected([]).isEmpty)
    #expect(ProgramComparison.leastRounds(comparisons: 1) == 8)
    #expect(ProgramComparison.leastRounds(comparisons: 6) == 11)
  }

  @Test func precisionIsHalfTheIntervalOfTheMean() {
    // The coefficient of variation is about 0.1: fifty values lie 10 below 100, and fifty 10 above.
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
    // The drift is significant, but less than 1% in total.
    let creeping = (0..<40).map { 1000 + 0.1 * Double($0) }
    #expect(Trend(creeping).p < 1e-9 && !Trend(creeping).isNotable)
    #expect(Trend([5]).p == 1 && Trend([5]).slope == 0)
  }

  @Test func aDifferenceIsSaidOnlyIfItIsSure() throws {
    let steady = (0..<30).map { 1_000_000 + UInt64($0 % 7) * 1000 }
    func verdict(_ before: [UInt64], _ after: [UInt64]) throws -> ProgramComparison.Verdict {
      func launches(_ times: [UInt64]) -> [MeasuredLaunch] {
        times.map { MeasuredLaunch(wallNanoseconds: $0) }
      }
      return try #require(
        ProgramComparison(.wallTime, launches(before), launches(after))
      ).verdict
    }
    #expect(try verdict(steady, steady.map { $0 - 50_000 }) == .less)
    #expect(try verdict(steady, steady.map { $0 + 50_000 }) == .more)
    #expect(try verdict(steady, steady) == .notShown)
    // The difference is significant, but less than 0.1%.
    #expect(try verdict(steady, steady.map { $0 + 500 }) == .notShown)
    // Seven rounds are too few: the smallest possible p is 2 / 128.
    #expect(try verdict(Array(steady[..<7]), steady[..<7].map { $0 * 2 }) == .notShown)
    // A coarse clock gives 0 for each launch.
    #expect(try verdict(steady.map { _ in 0 }, steady.map { _ in 0 }) == .notShown)
  }

  @Test func aMetricThatALaunchLacksIsNotCompared() {
    let counted = MeasuredLaunch(wallNanoseconds: 1, instructions: 5)
    let uncounted = MeasuredLaunch(wallNanoseconds: 1)
    #expect(ProgramComparison(.instructions, [counted, counted], [counted, uncounted]) == nil)
    #expect(ProgramComparison(.instructions, [counted], [counted])?.p == 1)
  }
}

/// Properties that hold for all samples, tested with pseudorandom samples.
@Suite struct StatisticsPropertyTests {
  static func logarithms(_ seed: UInt64, count: Int) -> [Double] {
    var random = SeededRandom(seed: seed)
    // The values are rounded, so that some are equal and some are zero.
    return (0..<count).map { _ in (Double.random(in: -4..<6, using: &random)).rounded() / 16 }
  }

  @Test(arguments: 1...20) func swappingTheProgramsSwapsTheSigns(seed: UInt64) throws {
    let forth = Self.logarithms(seed, count: 5 + 7 * Int(seed))
    let back = forth.map { -$0 }
    #expect(abs(SignedRankTest(forth).p - SignedRankTest(back).p) < 1e-12)
    #expect((0...1).contains(SignedRankTest(forth).p))
    let (there, here) = (TypicalChange(logarithms: forth), TypicalChange(logarithms: back))
    #expect(abs((1 + there.share) * (1 + here.share) - 1) < 1e-12)
    let (a, b) = (try #require(there.interval), try #require(here.interval))
    #expect(abs((1 + a.lowerBound) * (1 + b.upperBound) - 1) < 1e-12)
    #expect(a.contains(there.share))
  }

  /// If no two differences have the same size, the interval contains 0 if and only if p is at least 5%.
  @Test(arguments: 1...40) func theTestAndTheIntervalAgree(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let shift = Double(seed % 5) / 20
    let values = (0..<30).map { _ in shift + Double.random(in: -0.5..<0.5, using: &random) }
    let interval = try #require(TypicalChange(logarithms: values).interval)
    #expect(interval.contains(0) == (SignedRankTest(values).p > 0.05))
  }

  @Test(arguments: 1...10) func noMeanIsStoredAndAllAreFound(seed: UInt64) {
    let values = Self.logarithms(seed, count: 3 + Int(seed) * 3)
    let sorted = values.indices.flatMap { i in values[i...].map { (values[i] + $0) / 2 } }.sorted()
    let averages = WalshAverages(values)
    #expect(averages.count == sorted.count)
    for (index, mean) in sorted.enumerated() {
      #expect(abs(averages.value(at: index + 1) - mean) < 1e-15)
    }
  }
}
