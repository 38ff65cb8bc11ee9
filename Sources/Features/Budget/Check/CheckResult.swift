import ImageModel
import Rendering

/// The verdict on one requirement of a limit.
package struct CheckResult: Hashable, Sendable {
  /// The requirement on a figure.
  package enum Requirement: Hashable, Sendable {
    case atMost(Bound)
    case atLeast(Bound)
    /// The figure is worse than in the base by at most the allowance.
    case against(Allowance)
    /// All libraries are on the list of allowed libraries.
    case allowedLibraries
    /// All start-up tasks are on the list of allowed tasks.
    case allowedTasks
  }

  package var image: String
  /// `pages.textPages`; for the lists of libraries and tasks `audit.libraries` and `tasks.count`.
  package var figure: BudgetFigure
  package var pageSize: PageSize?
  package var state: String?
  package var requirement: Requirement
  /// The line of the limit in the budget; 1 for a limit of the command line.
  package var line: Int
  /// The value of `--limit` that states the limit; `nil` for a limit of the budget's file.
  package var option: String?
  /// The figure; for a time of `measure`, and for the change of a time of `stages`, the change against the base, as a share
  /// or in milliseconds.
  package var value: Double
  /// The base's figure; `nil` without a base, and for changes of times.
  package var base: Double?
  /// The 95% confidence interval of `value`; only for times.
  package var interval: ClosedRange<Double>?
  package var outcome: CheckOutcome
  /// Why the launches do not decide whether the limit is kept; `nil` if they decide.
  package var reason: String?
  /// The number of launches of each build that would decide whether the limit is kept, if they vary like the measured
  /// launches; `nil` if the limit is decided.
  package var launchesNeeded: Int?
  /// The path of the document that states the figure; `nil` if the path is unknown.
  package var document: String?
  /// The commands that renew a stale order file, in sequence; empty for figures other than `stale`.
  package var renewal: [String] = []
  /// The causes of a failure, new functions first and then the largest: at most `mostCauses`.
  package private(set) var causes: [RegressionCause] = []
  /// The number of the other causes.
  package private(set) var furtherCauses = 0

  package static let mostCauses = 100

  /// - Parameter further: the number of causes that are not in `all`.
  package mutating func setCauses(_ all: [RegressionCause], further: Int = 0) {
    causes = Array(all.prefix(Self.mostCauses))
    furtherCauses = all.count - causes.count + further
  }

  /// The place of the limit: a line of the budget at `path`, or the option of the command line.
  func place(in path: String) -> String {
    option.map(CommandLimits.option) ?? "\(path):\(line)"
  }

  /// Whether the base fails the limit, too; `false` for limits relative to the base.
  var failsInBase: Bool {
    switch requirement {
    case .atMost(let bound): base.map { $0 > bound.value + Bound.tolerance } ?? false
    case .atLeast(let bound): base.map { $0 < bound.value - Bound.tolerance } ?? false
    case .against, .allowedLibraries, .allowedTasks: false
    }
  }

  /// `pages.textPages of app, 4 KiB pages`
  package var subject: String {
    var parts = ["\(figure.id) of \(image)"]
    if let pageSize, figure.unit == .pages { parts.append("\(pageSize.wording) pages") }
    if let state { parts.append(state) }
    return parts.joined(separator: ", ")
  }

  /// The limit in words: `at most 150`, `at most 2 more than the base`.
  package var requirementWording: String {
    switch requirement {
    case .atMost(let bound): "at most \(bound)\(timeUnit)"
    case .atLeast(let bound): "at least \(bound)"
    case .against(let allowance):
      "at most \(allowance.amount)\(allowance.amount.isShare ? "" : timeUnit) \(allowance.isLess ? "less" : "more") than the base"
    case .allowedLibraries: "only allowed libraries"
    case .allowedTasks: "only allowed tasks"
    }
  }

  private var timeUnit: String { figure.isStageTime ? " ms" : "" }

  /// The found value as text, such as `146`, `98.5%` and `+4.1% (95% CI 3.2 to 5.0%)`.
  package var valueWording: String {
    if requirement == .allowedLibraries || requirement == .allowedTasks {
      return counted(Int(value), "other")
    }
    if figure.isStageTime { return stageTimeWording }
    guard figure.isTime else { return figure.wording(value) }
    guard reason == nil || outcome != .noBaseline else { return "-" }
    return changeWording
  }

  /// A change of a time as a share, with its interval.
  private var changeWording: String {
    let change = Decimal.percent(value, isSigned: true)
    guard let interval else { return change }
    return "\(change) (95% CI \(Decimal.percent(interval.lowerBound).dropLast()) to "
      + "\(Decimal.percent(interval.upperBound)))"
  }

  /// A time of divided launches, or its change, with its interval: `41.25 ms (95% CI 40.9 to 41.6 ms)`.
  private var stageTimeWording: String {
    if outcome == .noBaseline { return "-" }
    var sign = ""
    if case .against(let allowance) = requirement {
      if allowance.amount.isShare { return changeWording }
      sign = value < 0 ? "-" : "+"
    }
    func text(_ value: Double) -> String { Decimal.text(value, places: 2) }
    let time = "\(sign)\(text(abs(value))) ms"
    guard let interval else { return time }
    return "\(time) (95% CI \(text(interval.lowerBound)) to \(text(interval.upperBound)) ms)"
  }

  /// The value of the base as text, such as `143`; `-` without a base.
  package var baseWording: String { base.map(figure.wording) ?? "-" }

}

/// The requirements on one figure that the figure does not meet.
package struct FailedFigure {
  /// The results, at least one. All of them belong to one line of the budget.
  package var results: [CheckResult]

  package var first: CheckResult { results[0] }
  package var causes: [RegressionCause] { first.causes }
  package var furtherCauses: Int { first.furtherCauses }

  /// The result as text, such as `pages.textPages of app, 4 KiB pages: expected at most 150 and at most 2 more than the
  /// base, found 153 (base 143)`.
  package var wording: String {
    let requirements = results.map(\.requirementWording).joined(separator: " and ")
    let base = first.base.map { " (base \(first.figure.wording($0)))" } ?? ""
    return "\(first.subject): expected \(requirements), found \(first.valueWording)\(base)"
      + (results.allSatisfy(\.failsInBase)
        ? ": the base \(isMinimum ? "is already below" : "already exceeds") this" : "")
  }

  private var isMinimum: Bool { if case .atLeast = first.requirement { true } else { false } }

  /// The command that shows the document with the figure; `nil` if the document has no path.
  package var closer: String? {
    guard let document = first.document, document != "-" else { return nil }
    let command = first.figure.isStageTime ? "stages" : "show"
    return "look closer: 'orderfile \(command) \(printable(shellWord(document)))'"
  }

  /// The commands that renew a stale order file, as one line; `nil` for figures other than `stale`.
  package var renewal: String? {
    guard !first.renewal.isEmpty else { return nil }
    let commands = first.renewal.map { "'\(printable($0))'" }.joined(separator: ", ")
    return "renew the order file: \(commands), and link \(printable(first.image)) again"
  }
}

extension [CheckResult] {
  /// The failed results by figure, in the order of the results.
  package var failedFigures: [FailedFigure] { figures(.fail) }

  /// The results of limits that the base exceeds as much as this build, by figure.
  package var figuresAlreadyInBase: [FailedFigure] { figures(.alreadyInBase) }

  private func figures(_ outcome: CheckOutcome) -> [FailedFigure] {
    var figures: [FailedFigure] = []
    for result in self where result.outcome == outcome {
      // The found value of a time depends on the requirement: a time, or its change.
      if let last = figures.last?.first, last.subject == result.subject, last.line == result.line,
        last.option == result.option, !result.figure.isStageTime
      {
        figures[figures.count - 1].results.append(result)
      } else {
        figures.append(FailedFigure(results: [result]))
      }
    }
    return figures
  }
}

extension BudgetFigure {
  /// Returns the value as text, such as `146` and `98.5%`.
  package func wording(_ value: Double) -> String {
    if isStageTime { return "\(Decimal.text(value, places: 2)) ms" }
    return isShare
      ? Decimal.text(value * 100, places: 2).trimmedFraction + "%" : "\(ShortNumber(value))"
  }
}

extension String {
  /// The text without zeros at the end of its fraction: `98.5` for `98.50`.
  fileprivate var trimmedFraction: String {
    var text = self[...]
    while text.last == "0" { text = text.dropLast() }
    return String(text.last == "." ? text.dropLast() : text)
  }
}
