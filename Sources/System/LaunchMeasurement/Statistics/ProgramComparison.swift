// Which program takes less, and how sure is that?
//
// A layout may change the time that a user waits, the time that the processor works, and the instructions that it
// executes. Users care about wall time, but on a busy machine other programs take most of it: with seven other threads
// on two processors, thirty launches of two programs often show no difference, even if one program takes twice as long.
// CPU time shows this difference, because it does not grow while a launch waits. Instructions, where the machine counts
// them, show even differences below 1%. So all three metrics are compared.
//
// Each comparison is by rounds: `SignedRankTest` says whether there is a difference, and `TypicalChange` how
// large it is. They make the same claims from the same numbers, the logarithms of the ratios.
//
// Many comparisons. A report with two states, three metrics and a control makes twelve comparisons. If each could be
// wrong in 1% of all reports, every ninth report would claim a difference between equal programs. Holm's correction
// keeps the probability that a report contains any wrong claim below 1%, however the metrics depend on each other. Of m
// p values, the smallest is multiplied by m, the next by m - 1, and so on; no corrected value may be smaller than the
// one before.
//
// Example: p = 0.001, 0.004 and 0.3 become 0.003, 0.008 and 0.3: two claims below 0.01.
//
// Bound: p can't be below 2 / 2^n with n rounds, so a report with few rounds can't claim anything: `leastRounds`. A
// difference below 0.1% is never claimed: it can be significant for instructions, but matters to nobody. The comparison
// does not see what is the same in all rounds, such as the machine, the day, and the two files' places on the disk.
//
// Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.

import LibC

/// A figure of a launch by which programs are compared; less is better.
package enum LaunchMetric: String, CaseIterable, Hashable, Sendable {
  /// The time from just before exec to the end of the launch, in nanoseconds.
  case wallTime
  /// The user and system time in microseconds, of all threads and of the children that were waited for.
  case cpuTime
  /// The number of instructions that were executed in user mode, where the machine counts them.
  case instructions
  /// The resident memory, in bytes, of a process and of its image. PSS divides the bytes of a shared page by the number
  /// of its users. Memory is measured in extra launches.
  case rss, pss, imageRSS, imagePSS

  /// - Returns: `nil` if the launch lacks this figure.
  package func value(of launch: MeasuredLaunch) -> UInt64? {
    switch self {
    case .wallTime: launch.wallNanoseconds
    case .cpuTime: launch.cpuMicroseconds
    case .instructions: launch.instructions
    case .rss, .pss, .imageRSS, .imagePSS: nil
    }
  }

  /// Whether the figure is resident memory.
  package var isMemory: Bool {
    switch self {
    case .rss, .pss, .imageRSS, .imagePSS: true
    case .wallTime, .cpuTime, .instructions: false
    }
  }
}

/// The difference between two programs in one metric.
package struct ProgramComparison: Hashable, Sendable {
  package var metric: LaunchMetric
  /// The change from the first program to the second.
  package var change: TypicalChange
  /// The probability of at least such a difference between equal programs.
  package var p: Double
  /// `p`, corrected for the number of comparisons in the report; at least `p`.
  package var correctedP: Double

  package enum Verdict: String, CaseIterable, Hashable, Sendable {
    case less
    case more
    /// These launches do not show a difference, which does not mean that there is none.
    case notShown = "not shown"
  }

  /// At most this share of all reports claims any difference between equal programs.
  package static let level = 0.01
  /// The smallest change that is worth a claim.
  private static let leastChange = 0.001

  package var verdict: Verdict {
    guard correctedP < Self.level, abs(change.share) >= Self.leastChange else { return .notShown }
    return change.share < 0 ? .less : .more
  }

  /// Compares launches by rounds.
  ///
  /// - Returns: `nil` if a launch lacks this figure.
  /// - Precondition: both have the same number of launches, at least one.
  package init?(_ metric: LaunchMetric, _ before: [MeasuredLaunch], _ after: [MeasuredLaunch]) {
    let firsts = before.compactMap(metric.value)
    let seconds = after.compactMap(metric.value)
    guard firsts.count == before.count, seconds.count == after.count else { return nil }
    self.init(metric, firsts, seconds)
  }

  /// Compares the values of a figure by rounds.
  ///
  /// - Precondition: both have the same number of values, at least one.
  package init(_ metric: LaunchMetric, _ before: [UInt64], _ after: [UInt64]) {
    precondition(before.count == after.count && !before.isEmpty, "rounds are whole")
    // A launch always takes some time, but a coarse clock may report 0.
    let logarithms = zip(before, after).map { log(Double(max($1, 1)) / Double(max($0, 1))) }
    self.metric = metric
    change = TypicalChange(logarithms: logarithms)
    p = SignedRankTest(logarithms).p
    correctedP = p
  }

  /// Makes a comparison from figures that were computed earlier.
  package init(metric: LaunchMetric, change: TypicalChange, p: Double, correctedP: Double) {
    self.metric = metric
    self.change = change
    self.p = p
    self.correctedP = correctedP
  }

  /// Returns the p values of all comparisons of a report, corrected for their number.
  package static func corrected(_ p: [Double]) -> [Double] {
    var corrected = p
    var last = 0.0
    for (place, index) in p.indices.sorted(by: { (p[$0], $0) < (p[$1], $1) }).enumerated() {
      last = max(last, min(1, p[index] * Double(p.count - place)))
      corrected[index] = last
    }
    return corrected
  }

  /// Returns the number of rounds below which a report with that many comparisons can't claim any difference.
  package static func leastRounds(comparisons: Int) -> Int {
    (1...).first { 2 * pow(0.5, Double($0)) * Double(comparisons) < level } ?? 1
  }
}
