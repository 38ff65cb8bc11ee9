/// How the wall times of one side's launches differ from another's, in nanoseconds.
package struct LaunchComparison: Hashable, Sendable {
  package let medianDifference: MedianDifference
  package let rankSum: RankSumTest
  /// `medianDifference` as a share of the first side's median; 0 for a median of 0.
  package let relativeDifference: Double

  package enum Verdict: String, CaseIterable, Hashable, Sendable {
    case faster
    case slower
    /// Not that there is no difference: only that these launches do not show one.
    case notShown = "not shown"
  }

  /// A difference is shown if the confidence interval excludes 0 and the ranks differ with p below
  /// 1 %. At 5 % one of five reports with two states and a control would claim a difference between
  /// equal programs.
  package var verdict: Verdict {
    guard medianDifference.excludesZero, rankSum.p < 0.01 else { return .notShown }
    return medianDifference.difference < 0 ? .faster : .slower
  }

  /// - Parameters:
  ///   - before, after: wall times by round.
  ///   - draws: of the bootstrap.
  /// - Precondition: as many values each, at least one.
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
