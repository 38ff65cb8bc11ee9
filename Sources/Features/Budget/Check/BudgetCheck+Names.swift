import Audit
import ImageModel
import Rendering

// Limits by names: lists of the libraries and tasks that are allowed, and figures with the name of a stage.

/// A list of allowed names in a budget.
enum AllowedKind {
  case libraries
  case tasks

  /// The figure that counts the names.
  fileprivate var figure: String {
    switch self {
    case .libraries: "audit.libraries"
    case .tasks: "tasks.count"
    }
  }

  fileprivate var requirement: CheckResult.Requirement {
    switch self {
    case .libraries: .allowedLibraries
    case .tasks: .allowedTasks
    }
  }
}

extension BudgetCheck {
  /// Returns a verdict for each image whose libraries or tasks a document lists.
  func check(_ allowed: Budget.AllowedNames, _ kind: AllowedKind) -> [CheckResult] {
    guard let figure = BudgetFigure(id: kind.figure) else { return [] }
    return images.compactMap { image -> CheckResult? in
      guard let others = image.names(kind, besides: allowed) else { return nil }
      // This build does not fail for libraries and tasks that the base also has.
      let old = base?.figures(of: image)?.names(kind).map(Set.init)
      let new = others.filter { name in old.map { !$0.contains(name) } ?? true }
      let outcome: CheckOutcome =
        others.isEmpty ? .pass : new.isEmpty && !failsOnBase ? .alreadyInBase : .fail
      var result = CheckResult(
        image: image.name, figure: figure, requirement: kind.requirement, line: allowed.line,
        value: Double(others.count), outcome: outcome)
      result.document = image.figures.first { $0.source == .audit }?.document
      if outcome == .fail {
        result.setCauses((new.isEmpty ? others : new).map { RegressionCause(.notAllowed, $0) })
      }
      return result
    }
  }

  func absence(of allowed: Budget.AllowedNames, _ kind: AllowedKind) -> Diagnostic {
    let names =
      switch kind {
      case .libraries: "libraries"
      case .tasks: "start-up tasks"
      }
    var problem = Diagnostic(
      "no document lists \(names) (at line \(allowed.line))",
      hint: "give a document that 'orderfile audit --json' has written")
    if let figure = BudgetFigure(id: kind.figure) { explain(&problem, figure) }
    return problem
  }

  /// Returns the error for a limit on a figure of a stage that no document has, if documents have the figure of other
  /// stages, or if the image has no tasks; `nil` otherwise.
  ///
  /// - Parameter what: the figure in words.
  func absenceOfStage(_ limit: Budget.Limit, _ what: String) -> Diagnostic? {
    let about = images.filter { image in limit.image.map { $0 == image.name } ?? true }
    let (stage, quantity) = HistoryMetric.parts(of: limit.figure.name)
    let figures = about.flatMap(\.figures).filter {
      $0.source == limit.figure.source && $0.metric.quantity == quantity
        && (limit.state == nil || limit.state == $0.state)
    }
    var known: [String] = []
    for name in figures.compactMap(\.metric.stage) where !known.contains(name) {
      known.append(name)
    }
    let message = "no document has \(printable(what))\(limit.lineWording)"
    if let stage, !known.isEmpty {
      let meant = closestName(to: stage, of: known)
      let shown = known.prefix(Self.mostStages).map { "'\(printable($0))'" }
      let rest = known.count - shown.count
      return Diagnostic(
        "\(message): found the stages \(shown.joined(separator: ", "))"
          + (rest > 0 ? " and \(rest) more" : ""),
        hint: meant.map { "did you mean '\(printable($0))'?" })
    }
    if limit.figure.unit == .tasks, about.contains(where: { $0.tasks?.isEmpty ?? false }) {
      return Diagnostic("\(message): the image registers no start-up tasks")
    }
    return nil
  }

  /// The greatest number of stages that an error lists.
  private static let mostStages = 20
}

extension CheckedImage {
  /// The libraries or tasks of the image; `nil` if no document lists them.
  fileprivate func names(_ kind: AllowedKind) -> [SymbolName]? {
    switch kind {
    case .libraries: libraries?.map(\.name)
    case .tasks: tasks
    }
  }

  /// Returns the libraries or tasks that match no pattern of `allowed`; `nil` if no document lists them.
  fileprivate func names(
    _ kind: AllowedKind, besides allowed: Budget.AllowedNames
  ) -> [SymbolName]? {
    switch kind {
    case .libraries:
      libraries?.filter { library in
        !allowed.patterns.contains { $0.matches(name: library.name, path: library.path) }
      }.map(\.name)
    case .tasks:
      tasks?.filter { task in !allowed.patterns.contains { $0.matches(task.bytes[...]) } }
    }
  }
}
