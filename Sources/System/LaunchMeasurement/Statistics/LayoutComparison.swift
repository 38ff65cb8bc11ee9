// Is a difference larger than what layout alone makes?
//
// The time of a program depends on where its functions are: on which of them share a page, a cache line or an entry of
// a branch predictor. Any change of the source moves functions, so two builds differ by some percent although neither
// does more work. Many launches of one pair of builds only show this difference more clearly. Mytkowicz and others
// found that the link order alone can be worth more than an optimization.
//
// So each build is linked in many random layouts, and the layouts are the sample, not the launches. The model has two
// levels. Build b takes in launch j of layout i the time
//
//     log t(b, i, j) = m(b) + layout(b, i) + launch(b, i, j)
//
// For each layout take the typical logarithm d(i) of the ratio of both builds over the launches of a round
// (`TypicalChange`): d(i) = m(after) - m(before) + the difference of two layouts + the rest of the launches. If
// both builds are the same program, each d(i) is as likely to be positive as negative, and the d(i) are independent,
// because the layouts are drawn independently. So the signed-rank test of the d(i) is exact, whatever the layouts and
// launches do, and the interval of `TypicalChange` over the d(i) needs no further assumption either.
//
// Which build is linked first is drawn for each layout, too. Of two equal files, the one that was written last was 0.3%
// faster (standard error 0.1%) while other processes wrote files. With the build before always linked first, 11 of 100
// comparisons of equal builds claimed a difference.
//
// The levels are told apart by their variances. The variance of the logarithms within a layout, divided by the number
// of rounds, is the part of the launches in the variance of the d(i). The rest is the part of the layouts of both
// builds.
//
// Example: ten layouts with d = 2%, -1%, 3%, 1%, ... If eight are positive and two small ones negative, W is 50 of 55,
// and p = 0.02. A hundred launches of the first layout alone would have claimed 2% with any certainty.
//
// Several metrics are compared, with Holm's correction, so that at most 5% of all reports on equal programs claim a
// difference. `ProgramComparison` uses 1%; the layouts are fewer than launches, because each takes two links.
//
// Bound: p is at least 2 / 2^n for n layouts, so fewer than `leastLayouts` can't claim anything. The comparison leaves
// out the layouts of data and of the heap, and the environment. It also leaves out the order of functions that launches
// use: these functions keep their order, because `orderfile` compares this order.
//
// Mytkowicz, Diwan, Hauswirth, Sweeney, "Producing wrong data without doing anything obviously wrong!", ASPLOS 2009.
// Curtsinger and Berger, "STABILIZER: statistically sound performance evaluation", ASPLOS 2013.
// Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, for the levels.

import LibC

/// The difference between two builds in one metric, over random layouts of both.
package struct LayoutComparison: Hashable, Sendable {
  package var metric: LaunchMetric
  /// The typical change of each layout, as a share.
  package var changes: [Double]
  /// The change from the first build to the second.
  package var change: TypicalChange
  /// The probability of at least such a difference between equal programs.
  package var p: Double
  /// `p`, corrected for the number of comparisons in the report; at least `p`.
  package var correctedP: Double
  /// The standard deviation of the changes that is due to the layouts of both builds, as a share.
  package var layoutNoise: Double
  /// The standard deviation of the ratio of two launches within a layout, as a share.
  package var launchNoise: Double

  /// At most this share of all reports claims any difference between equal programs.
  package static let level = 0.05
  /// The number of layouts below which no difference can be claimed in three metrics: 3 * 2 / 2^7 is below 5%.
  package static let leastLayouts = 7

  package var verdict: ProgramComparison.Verdict {
    guard correctedP < Self.level else { return .notShown }
    return change.share < 0 ? .less : .more
  }

  /// Compares launches by layouts.
  ///
  /// - Parameters:
  ///   - before: for each layout, the launches by rounds.
  ///   - after: the same, for the other build.
  /// - Returns: `nil` if a launch lacks this figure.
  /// - Precondition: both builds have the same number of layouts, at least one, and each layout of both builds has the
  ///   same number of launches, at least one.
  package init?(_ metric: LaunchMetric, _ before: [[MeasuredLaunch]], _ after: [[MeasuredLaunch]]) {
    precondition(before.count == after.count && !before.isEmpty, "layouts are whole")
    var logarithms: [[Double]] = []
    for (first, second) in zip(before, after) {
      let firsts = first.compactMap(metric.value)
      let seconds = second.compactMap(metric.value)
      guard firsts.count == first.count, seconds.count == second.count else { return nil }
      logarithms.append(
        zip(firsts, seconds).map { log(Double(max($1, 1)) / Double(max($0, 1))) })
    }
    self.init(metric, logarithms: logarithms)
  }

  /// Compares by the logarithms of the ratio of the second build to the first.
  ///
  /// - Parameter logarithms: the logarithms of each layout by rounds; at least one layout with at least one round.
  package init(_ metric: LaunchMetric, logarithms: [[Double]]) {
    let typical = logarithms.map { log1p(TypicalChange(logarithms: $0).share) }
    self.metric = metric
    changes = typical.map { expm1($0) }
    change = TypicalChange(logarithms: typical)
    p = SignedRankTest(typical).p
    correctedP = p
    let within = Self.mean(logarithms.map(Self.variance))
    let rounds = Self.mean(logarithms.map { Double($0.count) })
    launchNoise = within.squareRoot()
    layoutNoise = max(0, Self.variance(typical) - within / rounds).squareRoot()
  }

  /// Makes a comparison from figures that were computed earlier.
  package init(
    metric: LaunchMetric, changes: [Double], change: TypicalChange, p: Double, correctedP: Double,
    layoutNoise: Double, launchNoise: Double
  ) {
    self.metric = metric
    self.changes = changes
    self.change = change
    self.p = p
    self.correctedP = correctedP
    self.layoutNoise = layoutNoise
    self.launchNoise = launchNoise
  }

  private static func mean(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(values.count)
  }

  private static func variance(_ values: [Double]) -> Double {
    guard values.count > 1 else { return 0 }
    let mean = mean(values)
    return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
  }
}
