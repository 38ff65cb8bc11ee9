// How much longer do the launches of one set take than those of another set?
//
// `TypicalChange` pairs the launches of a round. Launches of two sets have no rounds, so each launch of one set is
// compared with each launch of the other: the median of all differences is the estimate of Hodges and Lehmann for two
// samples. The change as a share is the same estimate for the logarithms.
//
// The number of positive differences is U of the rank-sum test. So the changes that this test would not reject are a
// confidence interval: from the c-th smallest difference to the c-th largest, where c is the largest number such that U
// is below c with a probability of at most 2.5%.
//
// There are m n differences, 73,000 for 270 launches of each set. They are not stored: the difference at a given place is
// found by halving the range in which it lies, and counting the differences below (`WalshAverages` does the same).
//
// Hodges and Lehmann, "Estimates of location based on rank tests", Annals of Mathematical Statistics 34, 1963; Conover,
// "Practical nonparametric statistics", 1971, for the interval.

import LibC

/// The change from one set of launches to another set that was launched separately.
package struct SampleChange: Hashable, Sendable {
  /// The change as a share of the first set's values.
  package let relative: TypicalChange
  /// The change in the unit of the values: the second set's values minus the first set's.
  package let difference: Double
  /// The 95% confidence interval of `difference`; `nil` if both sets have too few launches for such an interval.
  package let interval: ClosedRange<Double>?
  /// The probability of at least such a difference between two sets of one program.
  package let p: Double

  /// - Complexity: O(*n* log *n*) for *n* values of both sets.
  /// - Precondition: no value is negative. For the share, a value below 1 counts as 1.
  package init(from before: WeightedSample, to after: WeightedSample) {
    let test = RankSumTest(before, after)
    p = test.p
    let first = Self.firstInside(before.count, after.count)
    let absolute = Estimate(PairwiseDifferences(before, after), first)
    difference = absolute.value
    interval = absolute.interval
    let logarithms = Estimate(
      PairwiseDifferences(before.mapped { log(max($0, 1)) }, after.mapped { log(max($0, 1)) }),
      first)
    relative = TypicalChange(
      share: expm1(logarithms.value),
      interval: logarithms.interval.map { expm1($0.lowerBound)...expm1($0.upperBound) })
  }

  /// Makes a change from figures that were computed earlier.
  package init(
    relative: TypicalChange, difference: Double, interval: ClosedRange<Double>?, p: Double
  ) {
    self.relative = relative
    self.difference = difference
    self.interval = interval
    self.p = p
  }

  private struct Estimate {
    var value: Double
    var interval: ClosedRange<Double>?

    init(_ differences: PairwiseDifferences, _ first: Double) {
      let count = differences.count
      let lower = differences.value(at: ((count + 1) / 2).rounded(.down))
      let upper = differences.value(at: (count / 2).rounded(.down) + 1)
      value = lower + (upper - lower) / 2
      guard first > 0 else { return }
      let low = differences.value(at: first)
      interval = low...max(low, differences.value(at: count + 1 - first))
    }
  }

  /// Returns the place, from 1, of the difference at which the interval begins; 0 if there is no interval.
  private static func firstInside(_ before: Int, _ after: Int) -> Double {
    if Double(before) + Double(after) <= Double(RankSumTest.mostForExact) {
      let apart = [Int](repeating: 1, count: before + after)
      return Double(RankSums(apart, choosing: after).quantile(0.025))
    }
    let (m, n) = (Double(before), Double(after))
    let deviation = (m * n * (m + n + 1) / 12).squareRoot()
    return max(0, (m * n / 2 - NormalDistribution.reachOf95Percent * deviation).rounded(.down))
  }
}

/// The differences of each value of one sample and each value of another sample, by size. Their number may exceed an
/// `Int`, so places are floating-point numbers.
struct PairwiseDifferences {
  private let before: WeightedSample
  private let after: WeightedSample

  init(_ before: WeightedSample, _ after: WeightedSample) {
    self.before = before
    self.after = after
  }

  var count: Double { Double(before.count) * Double(after.count) }

  /// The difference at `place` (1...`count`) in the ascending list of the differences. The error is at most 2⁻⁶⁰ of the
  /// range of the differences.
  ///
  /// - Complexity: O(*n*) for *n* different values of both samples.
  func value(at place: Double) -> Double {
    var low = after.values[0] - before.values[before.values.count - 1]
    var high = after.values[after.values.count - 1] - before.values[0]
    if numberAtMost(low) >= place { return low }
    for _ in 0..<60 where low < high {
      let middle = low + (high - low) / 2
      if numberAtMost(middle) >= place { high = middle } else { low = middle }
    }
    return high
  }

  private func numberAtMost(_ limit: Double) -> Double {
    var number = 0.0
    // As the value of `before` grows, more values of `after` are at most `limit` above it.
    var partner = 0
    var smaller = 0.0
    for (value, count) in zip(before.values, before.counts) {
      while partner < after.values.count, after.values[partner] - value <= limit {
        smaller += Double(after.counts[partner])
        partner += 1
      }
      number += Double(count) * smaller
    }
    return number
  }
}
