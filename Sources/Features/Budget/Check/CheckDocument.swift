import ImageModel
import JSON
import PagesFormat
import Rendering

/// All kinds of documents about budgets; `--version` lists their schemas.
package let budgetDocuments: [any JSONDocument.Type] = [Budget.self, CheckDocument.self]

/// The result of `orderfile check`. A later check can use it as a base.
package struct CheckDocument: Sendable {
  /// The path of the budget.
  package var budget: String
  /// The paths of the base's documents; empty without a base.
  package var base: [String]
  /// Why there is no base, or why a part of the base is missing; `nil` if all of the base exists.
  package var baseIsMissing: String?
  /// Whether the check fails if the launches do not decide a limit.
  package var isStrict = false
  package var results: [CheckResult]
  package var images: [CheckedImage]
  /// The steps that would save pages, of all documents; empty if no document states any.
  package var nextSteps: [NextStep] = []

  package init(
    budget: String, base: [String], baseIsMissing: String? = nil, results: [CheckResult],
    images: [CheckedImage]
  ) {
    self.budget = budget
    self.base = base
    self.baseIsMissing = baseIsMissing
    self.results = results
    self.images = images
  }

  /// The outcome of the worst result. Limits that are already exceeded in the base do not count.
  package var outcome: CheckOutcome {
    results.map(\.outcome).filter { $0 != .alreadyInBase }.max() ?? .pass
  }

  /// Why `result` has its outcome; `nil` also if the base is missing, because reports state `baseIsMissing` once.
  func ownReason(of result: CheckResult) -> String? {
    // A time is compared with the time of another build in the same document, not with the base.
    let isOfMissingBase =
      baseIsMissing != nil && result.outcome == .noBaseline && !result.figure.isTime
      && !result.figure.isStageTime
    return isOfMissingBase ? nil : result.reason
  }

  package func count(_ outcome: CheckOutcome) -> Int { results.count { $0.outcome == outcome } }

  /// The result in one line, such as `2 of 14 limits exceeded, 1 inconclusive`.
  package var summary: String {
    let limits = counted(results.count, "limit")
    let isKept = count(.fail) == 0
    let verdict =
      isKept ? "\(count(.pass)) of \(limits) kept" : "\(count(.fail)) of \(limits) exceeded"
    var clauses = [verdict]
    if count(.alreadyInBase) > 0 {
      clauses.append("\(count(.alreadyInBase)) already exceeded in the base")
    }
    if count(.inconclusive) > 0 { clauses.append("\(count(.inconclusive)) inconclusive") }
    if count(.noBaseline) > 0 { clauses.append("\(count(.noBaseline)) without a baseline") }
    return clauses.joined(separator: ", ")
  }

  /// Returns an error for each figure that is beyond a limit, in the order of the budget.
  package func failures(_ names: NameWording) -> [Diagnostic] {
    results.failedFigures.map { failed in
      let causes = failed.causes.prefix(3).map {
        let detail = $0.detail.isEmpty ? "" : " (\($0.detail))"
        return "\($0.kind.rawValue): \(printable(names($0.name) + detail))"
      }
      let rest = failed.causes.count - causes.count + failed.furtherCauses
      var hint = causes + (rest > 0 ? ["and \(rest) more"] : [])
      if let renewal = failed.renewal { hint.append(renewal) }
      if let closer = failed.closer { hint.append(closer) }
      return Diagnostic(
        failed.wording, context: [failed.first.place(in: budget)],
        hint: hint.isEmpty ? nil : hint.joined(separator: "; "), severity: .checkFailed)
    }
  }

  /// A note about limits that the base exceeds as much as this build; `nil` if there are no such limits.
  package var alreadyInBaseNote: String? {
    let count = count(.alreadyInBase)
    if count == 0 { return nil }
    let verbs = count == 1 ? "is" : "are"
    return
      "\(counted(count, "limit")) \(verbs) exceeded in the base, too, and not worse in this build: "
      + "give --fail-on-base to fail in this case"
  }

  /// A note about limits without a baseline; `nil` if all limits have one: `2 limits without a baseline: the base does
  /// not have this figure`. Such limits never fail, so without the note nobody would notice that they check nothing.
  package var baselineNote: String? {
    let lacking = results.filter { $0.outcome == .noBaseline }
    if lacking.isEmpty { return nil }
    var reasons: [String] = []
    for reason in lacking.compactMap(\.reason) where !reasons.contains(reason) {
      reasons.append(reason)
    }
    return
      "\(counted(lacking.count, "limit")) without a baseline: \(reasons.joined(separator: "; "))"
  }

  /// Warnings about documents that found fewer than half of the startup functions in a build.
  package var partialFigures: [Diagnostic] {
    images.flatMap { image in
      image.figures.filter {
        ["diff.present", "gen.resolved"].contains($0.id) && $0.metric.value < 0.5
      }.map { figure in
        Diagnostic(
          "only \(Decimal.percent(figure.metric.value)) of the startup functions were found by name in '\(image.name)': "
            + "the figures of '\(figure.source.rawValue)' count only these functions",
          context: [figure.document],
          hint: "if functions were renamed, record a launch of this build")
      }
    }
  }

  /// Warnings about limits that do not fail the check, but are inconclusive.
  package var warnings: [Diagnostic] {
    results.filter { $0.outcome == .inconclusive }.map {
      Diagnostic(
        "\($0.subject): inconclusive: \($0.reason ?? "")", context: [$0.place(in: budget)])
    }
  }
}
