import History
import ImageModel
import JSON
import PagesFormat
import Reporting

/// All kinds of documents about budgets; `--version` lists their schemas.
package let budgetDocuments: [any JSONDocument.Type] = [Budget.self, CheckDocument.self]

/// The result of `orderfile check`, and what a later one needs of it as its base.
package struct CheckDocument: Sendable {
  /// The path of the budget.
  package var budget: String
  /// The paths of the base's documents; empty without a base.
  package var base: [String]
  /// Why there is no base, or why a part of it is missing; `nil` if there is one.
  package var baseIsMissing: String?
  package var results: [CheckResult]
  package var images: [CheckedImage]

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

  /// That of the worst result.
  package var outcome: CheckOutcome { results.map(\.outcome).max() ?? .pass }

  package func count(_ outcome: CheckOutcome) -> Int { results.count { $0.outcome == outcome } }

  /// `2 of 14 limits exceeded, 1 inconclusive`
  package var summary: String {
    let limits = counted(results.count, "limit")
    let isKept = count(.fail) == 0
    let verdict =
      isKept ? "\(count(.pass)) of \(limits) kept" : "\(count(.fail)) of \(limits) exceeded"
    var clauses = [verdict]
    if count(.inconclusive) > 0 { clauses.append("\(count(.inconclusive)) inconclusive") }
    if count(.noBaseline) > 0 { clauses.append("\(count(.noBaseline)) without a baseline") }
    return clauses.joined(separator: ", ")
  }

  /// An error for each figure that is beyond a limit, in the order of the budget.
  package func failures(_ names: NameWording) -> [Diagnostic] {
    results.failedFigures.map { failed in
      let causes = failed.causes.prefix(3).map {
        "\($0.kind.rawValue): \(printable(names($0.name)))"
      }
      let rest = failed.causes.count - causes.count + failed.furtherCauses
      return Diagnostic(
        failed.wording, context: ["\(budget):\(failed.first.line)"],
        hint: causes.isEmpty
          ? nil : causes.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : ""),
        severity: .checkFailed)
    }
  }

  /// `2 limits without a baseline: the base does not have this figure`; `nil` if all have one. They fail nothing, so the
  /// gate would be open without anybody noticing.
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

  /// What does not fail the check, but may go wrong unnoticed.
  package var warnings: [Diagnostic] {
    results.filter { $0.outcome == .inconclusive }.map {
      Diagnostic(
        "\($0.subject): inconclusive: \($0.reason ?? "")", context: ["\(budget):\($0.line)"])
    }
  }
}

/// `base` names the documents with which was compared; `baseIsMissing` says why there are none, or which
/// do not exist. `limits` has a verdict for
/// each requirement of a limit, with the `line` of the budget. The `pages` of a cause are shares, which add up. `causes` has the first hundred, and `furtherCauses` the
/// number of the others. `images` is what a later check needs to compare with this one.
extension CheckDocument: JSONDocument {
  package static let schema = "orderfile.check/1"

  package func write(to json: inout JSONWriter) {
    json.array("base") { json in for path in base { json.element(path) } }
    if let baseIsMissing { json.member("baseIsMissing", baseIsMissing) }
    json.member("budget", budget)
    json.array("images") { json in
      for image in images { json.object(isInline: false) { image.write(to: &$0) } }
    }
    json.array("limits") { json in
      for result in results { json.object(isInline: false) { result.write(to: &$0) } }
    }
    json.member("outcome", outcome.rawValue)
    json.member("schema", Self.schema)
  }
}

extension CheckResult {
  fileprivate func write(to json: inout JSONWriter) {
    if case .against(let allowance) = requirement {
      json.member("againstBase", allowance.description)
    }
    if let base { json.member("base", ShortNumber(base)) }
    json.array("causes") { json in
      for cause in causes { json.object { cause.write(to: &$0) } }
    }
    if furtherCauses > 0 { json.member("furtherCauses", furtherCauses) }
    if let interval { json.member("high", interval.upperBound) }
    json.member("image", image)
    if let launchesNeeded { json.member("launchesNeeded", launchesNeeded) }
    json.member("line", line)
    if let interval { json.member("low", interval.lowerBound) }
    if case .atMost(let bound) = requirement { json.member("max", bound) }
    json.member("metric", figure.id)
    if case .atLeast(let bound) = requirement { json.member("min", bound) }
    json.member("outcome", outcome.rawValue)
    if let pageSize { json.member("pageSizeBytes", pageSize) }
    if let reason { json.member("reason", reason) }
    json.member("requirement", requirementWording)
    if let state { json.member("state", state) }
    json.member("value", ShortNumber(value))
  }
}

extension RegressionCause {
  fileprivate func write(to json: inout JSONWriter) {
    if let bytes { json.member("bytes", bytes) }
    json.member("kind", kind.rawValue)
    json.member("name", name)
    if let pages { json.member("pages", ShortNumber(pages)) }
    if let reason { json.member("reason", reason) }
    if isUnordered { json.member("unordered", true) }
  }
}
