// How much more does B take than A? The estimate of Hodges and Lehmann, with its confidence interval
//
// For each round take the logarithm of B / A: noise that delays both launches of a round by the same share drops out.
// Compute the mean of each pair of these numbers, and of each number with itself. The median of all these means is the
// estimate: it moves little if something else delays a launch, and uses more of the data than the median of the
// logarithms.
//
// The number of positive means is W of the signed-rank test. So the changes that this test would not reject are a
// confidence interval that needs no further assumption: from the c-th smallest mean to the c-th largest, where c is the
// largest number such that W is below c with a probability of at most 2.5%. The test and the interval agree: if the
// test is significant below 5%, 0 lies outside of the interval, unless rounds are equal to the last digit.
//
// Example: rounds in which B takes 2, 2.2 and 1.9 times as much as A. The means of their logarithms, as
// factors, are 1.9, 1.95, 2, 2.04, 2.1 and 2.2: the estimate is 2.02, +102%. Three rounds have no 95%
// interval: all three are positive in one of eight cases even if A and B are the same program.
//
// There are n(n + 1)/2 means, half a million for 1000 rounds. They are not stored: `WalshAverages` finds the mean at a
// given place by halving the range in which it lies, and counting the means below.
//
// Hodges and Lehmann, "Estimates of location based on rank tests", Annals of Mathematical Statistics 34, 1963;
// the interval is Tukey's, in Walker and Lev, "Statistical inference", 1953.

import LibC

/// The typical change from the first value of a round to the second, with its 95% confidence interval.
package struct TypicalChange: Hashable, Sendable {
  /// The change as a share of the first value: -0.1 if the second takes 10% less.
  package let share: Double
  /// The 95% confidence interval of `share`; `nil` for fewer than 6 rounds, which have no such interval.
  package let interval: ClosedRange<Double>?

  /// - Parameter logarithms: for each round, the logarithm of the ratio of the second value to the first.
  /// - Precondition: at least one, all finite.
  /// - Complexity: O(*n* log *n*) for *n* rounds.
  package init(logarithms: [Double]) {
    precondition(!logarithms.isEmpty, "rounds are whole")
    let averages = WalshAverages(logarithms)
    let count = averages.count
    func share(_ place: Int) -> Double { expm1(averages.value(at: place)) }
    self.share = expm1(
      (averages.value(at: (count + 1) / 2) + averages.value(at: count / 2 + 1)) / 2)
    let first = Self.firstInside(rounds: logarithms.count)
    interval = first > 0 ? share(first)...share(count + 1 - first) : nil
  }

  /// Computes the change from the first value of each round to the second; a value below 1 counts as 1.
  ///
  /// - Precondition: both have the same number of values, at least one.
  package init(from before: [Double], to after: [Double]) {
    precondition(before.count == after.count, "rounds are whole")
    self.init(logarithms: zip(before, after).map { log(max($1, 1) / max($0, 1)) })
  }

  /// Makes a change from figures that were computed earlier.
  package init(share: Double, interval: ClosedRange<Double>?) {
    self.share = share
    self.interval = interval
  }

  /// Returns the place, from 1, of the mean at which the interval begins; 0 if there is no interval.
  private static func firstInside(rounds: Int) -> Int {
    if rounds <= SignedRankTest.mostForExact {
      return RankSubsets(1...rounds).quantile(0.025)
    }
    let n = Double(rounds)
    let mean = n * (n + 1) / 4
    let deviation = (n * (n + 1) * (2 * n + 1) / 24).squareRoot()
    return Int((mean - NormalDistribution.reachOf95Percent * deviation).rounded(.down))
  }
}

/// The means of each pair of some values, and of each value with itself, by size.
package struct WalshAverages {
  private let values: [Double]

  /// - Precondition: at least one value.
  package init(_ values: [Double]) { self.values = values.sorted() }

  package var count: Int { values.count * (values.count + 1) / 2 }

  /// The mean at `place` (1...`count`) in the ascending list of the means. The error is at most 2⁻⁶⁰ of the values'
  /// range.
  ///
  /// - Complexity: O(*n*).
  package func value(at place: Int) -> Double {
    var (low, high) = (values[0], values[values.count - 1])
    guard low < high, place > 1 else { return low }
    guard place < count else { return high }
    for _ in 0..<60 {
      let middle = low + (high - low) / 2
      if numberAtMost(middle) >= place { high = middle } else { low = middle }
    }
    return high
  }

  private func numberAtMost(_ limit: Double) -> Int {
    var number = 0
    var partner = values.count - 1
    for index in values.indices {
      while partner >= index, values[index] + values[partner] > 2 * limit { partner -= 1 }
      guard partner >= index else { break }
      number += partner - index + 1
    }
    return number
  }
}
