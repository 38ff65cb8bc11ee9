import ImageModel
import Rendering

/// The exceeded limits of a check, with their lines in the budget.
package struct CheckSARIF {
  private let document: CheckDocument
  private let path: String
  private let toolVersion: String
  private let names: NameWording

  /// - Parameter path: the budget's path relative to the repository; `nil` for `document.budget`.
  package init(
    _ document: CheckDocument, path: String? = nil, toolVersion: String,
    names: @escaping NameWording = mangled
  ) {
    self.document = document
    self.path = path ?? document.budget
    self.toolVersion = toolVersion
    self.names = names
  }

  private enum Rule: String, CaseIterable {
    case budget = "budget-exceeded"
    case regression
    case library = "library-not-allowed"
    case task = "task-not-allowed"
    case inconclusive

    var description: String {
      switch self {
      case .budget: "A figure of a launch is beyond its limit."
      case .regression: "A figure of a launch is worse than the figure of the base."
      case .library: "A library is not on the list of allowed libraries."
      case .task: "A start-up task is not on the list of allowed tasks."
      case .inconclusive: "The measured launches do not decide whether a limit is kept."
      }
    }

    init(_ result: CheckResult) {
      switch result.requirement {
      case _ where result.outcome == .inconclusive: self = .inconclusive
      case .atMost, .atLeast: self = .budget
      case .against: self = .regression
      case .allowedLibraries: self = .library
      case .allowedTasks: self = .task
      }
    }
  }

  package func json() -> [UInt8] {
    SARIFLog(
      rules: Rule.allCases.map { SARIFLog.Rule(id: $0.rawValue, description: $0.description) },
      results: document.results
        .filter { $0.outcome != .pass && $0.outcome != .noBaseline }
        .map(result), toolVersion: toolVersion
    ).json()
  }

  private func result(_ result: CheckResult) -> SARIFLog.Result {
    let rule = Rule(result)
    let causes = result.causes.prefix(10).map {
      "\($0.kind.rawValue): \(names($0.name))" + ($0.detail.isEmpty ? "" : " (\($0.detail))")
    }
    let message =
      result.outcome == .inconclusive
      ? "\(result.subject): \(result.reason ?? "")" : FailedFigure(results: [result]).wording
    let place = result.option.map(CommandLimits.option)
    let level: SARIFLog.Level =
      switch result.outcome {
      case .fail: .error
      case .inconclusive: .warning
      case .alreadyInBase, .noBaseline, .pass: .note
      }
    return SARIFLog.Result(
      rule: rule.rawValue, level: level,
      message: ([place, message].compactMap { $0 } + causes).joined(separator: "; "),
      path: result.option == nil ? path : nil,
      line: result.line, names: result.causes.prefix(10).map(\.name.description),
      fingerprint: ("check/v1", "\(rule.rawValue) \(result.subject) \(requirementKind(result))"))
  }

  /// Returns the kind of the requirement without its numbers, which change with the budget.
  private func requirementKind(_ result: CheckResult) -> String {
    switch result.requirement {
    case .atMost: "max"
    case .atLeast: "min"
    case .against: "againstBase"
    case .allowedLibraries: "allowedLibraries"
    case .allowedTasks: "allowedTasks"
    }
  }
}
