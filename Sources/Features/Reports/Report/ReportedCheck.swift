import Budget
import ImageModel

/// The part of a check that a report keeps: the limits (if they are too many, the worst), and the number of limits with
/// each outcome.
struct ReportedCheck {
  let document: CheckDocument
  /// The outcomes, the worst first. Outcomes that no limit has are missing.
  let outcomes: [(outcome: String, limits: Int)]
  /// Sentences about the limits and causes that were left out.
  let limits: [Diagnostic]

  /// The greatest number of limits in a report, and of causes why limits failed.
  static let mostLimits = 2_000
  static let mostCauses = 10_000

  /// - Parameter path: the path from which `check` was read.
  init(_ check: CheckDocument, path: String) {
    var kept = check
    // The functions are removed from the check, because the report already has those of each layout.
    for index in kept.images.indices {
      kept.images[index].functions = nil
      kept.images[index].firstTouches = nil
    }
    let all = kept.results
    outcomes = CheckOutcome.allCases.reversed().map { ($0.rawValue, check.count($0)) }
      .filter { $0.limits > 0 }
    var limits: [Diagnostic] = []
    if all.count > Self.mostLimits {
      let worst = all.indices.sorted { (all[$1].outcome, $0) < (all[$0].outcome, $1) }
      kept.results = worst.prefix(Self.mostLimits).map { all[$0] }
      limits.append(
        Diagnostic(
          "the report has \(Self.mostLimits) of \(all.count) limits, the worst first",
          context: [path]))
    }
    var room = Self.mostCauses
    for index in kept.results.indices {
      let result = kept.results[index]
      let causes = Array(result.causes.prefix(room))
      room -= causes.count
      kept.results[index].setCauses(
        causes, further: result.furtherCauses + result.causes.count - causes.count)
    }
    document = kept
    self.limits = limits
  }
}
