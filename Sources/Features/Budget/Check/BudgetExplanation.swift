import ImageModel
import Rendering

/// The text of `check --why` about each limit: the meaning of the figure, its distance from the limit, and how to make
/// the figure better.
package struct BudgetExplanation {
  private let document: CheckDocument

  package init(_ document: CheckDocument) { self.document = document }

  package var text: String {
    var text = "\(printable(document.budget)): \(document.summary)\n"
    for result in document.results {
      text += """

        \(printable(result.place(in: document.budget))): \(printable(result.subject))
          \(result.figure.meaning)
          found \(result.valueWording), expected \(result.requirementWording): \(printable(verdict(result)))
          To improve it: \(result.figure.remedy).

        """
    }
    return text
  }

  /// Returns the outcome as text, such as `pass, 4 left`.
  private func verdict(_ result: CheckResult) -> String {
    // The report states the reason for a missing base only once, not for each limit.
    if let reason = document.ownReason(of: result) {
      return "\(result.outcome.rawValue): \(reason)"
    }
    guard result.outcome != .noBaseline, let room = room(result) else {
      return result.outcome.rawValue
    }
    return
      "\(result.outcome.rawValue), \(result.figure.wording(abs(room))) \(room < 0 ? "too much" : "left")"
  }

  /// Returns how much worse the figure may become; negative if it is too bad. `nil` for times and lists.
  private func room(_ result: CheckResult) -> Double? {
    if result.figure.isStageTime { return nil }
    switch result.requirement {
    case .atMost(let bound): return bound.value - result.value
    case .atLeast(let bound): return result.value - bound.value
    case .against(let allowance):
      guard let base = result.base, !result.figure.isTime else { return nil }
      let isPart = if case .share = allowance.amount { !result.figure.isShare } else { false }
      let allowed = isPart ? (base * allowance.amount.value).rounded(.down) : allowance.amount.value
      return allowed - (allowance.isLess ? base - result.value : result.value - base)
    case .allowedLibraries, .allowedTasks: return nil
    }
  }
}
