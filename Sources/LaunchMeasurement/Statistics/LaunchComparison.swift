/// The difference between the wall times of two sides, in nanoseconds.
package struct LaunchComparison: Hashable, Sendable {
  package let medianDifference: MedianDifference
  package let rankSum: RankSumTest
  /// `medianDifference` as a share of the first side's median; 0 for a median of 0.
  package let relativeDifference: Double

  package enum Verdict: String, CaseIterable, Hashable, Sendable {
    case faster
    case slower
    /// These launches do not show a difference, which does not mean that there is none.
    case notShown = "not shown"
  }

  /// A difference is shown if the confidence interval excludes 0 and the rank-sum test has p below 1%. With
  /// 5%, one of five reports with two states and a control would claim a difference between equal programs.
  package var verdict: Verdict {
    guard medianDifference.excludesZero, rankSum.p < 0.01 else { return .notShown }
    return medianDifference.difference < 0 ? .faster : .slower
  }

  /// - Parameters:
  ///   - before, after: wall times by round.
  ///   - draws: the number of bootstrap draws.
  /// - Precondition: both have the same number of values, at least one.
  package init(
    _ before: [Double], _ after: [Double], draws: Int = MedianDifference.usualDraws,
    seed: UInt64 = 1
  ) {
    medianDifference = MedianDifference(before, after, draws: draws, seed: seed)
    rankSum = RankSumTest(before, after)
    let median = SampleSummary(before).median
    relativeDifference = median == 0 ? 0 : medianDifference.difference / median
  }
}
