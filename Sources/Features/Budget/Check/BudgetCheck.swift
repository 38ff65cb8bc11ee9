import ImageModel
import LaunchMeasurement
import Rendering

/// Compares the figures of images with a budget, and with the figures of a base.
package struct BudgetCheck {
  package var budget: Budget
  package var images: [CheckedImage]
  /// The figures of the base; `nil` without a base.
  package var base: [CheckedImage]?
  /// Why there is no base, or why a part of the base is missing: `base.json does not exist`.
  package var baseIsMissing: String?
  /// Whether a limit fails that the base exceeds as much as the images, or more.
  package var failsOnBase = false
  /// The known reasons why the images lack figures.
  package var absences: [FigureAbsence] = []

  package init(
    _ budget: Budget, images: [CheckedImage], base: [CheckedImage]?,
    baseIsMissing: String? = nil
  ) {
    self.budget = budget
    self.images = images
    self.base = base
    self.baseIsMissing = baseIsMissing
  }

  /// Returns a verdict for each requirement of each limit, in the order of the budget. The verdicts on one limit are in
  /// the order of the images in the documents. The verdicts on allowed libraries and tasks come last.
  ///
  /// - Throws: `mismatch` if the base has none of the images, or has an image of another architecture; an error that
  ///   names all limits on figures that no document has.
  package func results() throws(Diagnostic) -> [CheckResult] {
    if let base { try compare(base) }
    var results: [CheckResult] = []
    let causes = images.map { image in
      RegressionCauses(now: image, base: base?.figures(of: image))
    }
    var problems: [Diagnostic] = []
    for limit in budget.limits {
      let found =
        limit.figure.isStageTime
        ? stageTimes(limit, causes) : limit.figure.isTime ? times(limit) : counts(limit, causes)
      if found.isEmpty { problems.append(absence(of: limit)) }
      results += found
    }
    if let libraries = budget.libraries {
      let found = check(libraries, .libraries)
      if found.isEmpty { problems.append(absence(of: libraries, .libraries)) }
      results += found
    }
    if let tasks = budget.tasks {
      let found = check(tasks, .tasks)
      if found.isEmpty { problems.append(absence(of: tasks, .tasks)) }
      results += found
    }
    if let problem = Self.joined(problems) { throw problem }
    return results
  }

  /// - Throws: `mismatch` if `base` is of other programs. Older documents lack the architecture: then only the file
  ///   name is compared.
  private func compare(_ base: [CheckedImage]) throws(Diagnostic) {
    let pairs = images.compactMap { image in
      base.figures(of: image).map { (image, $0) }
    }
    // A history may have no figures of these images yet.
    if pairs.isEmpty, !base.allSatisfy(\.isOfHistory) {
      func names(_ images: [CheckedImage]) -> String {
        images.map { printable($0.name) }.joined(separator: ", ")
      }
      throw Diagnostic(
        "the base is of another program: expected figures of \(names(images)), found figures of \(names(base))",
        severity: .mismatch)
    }
    for (image, old) in pairs {
      if let difference = old.reference.difference(from: image.reference, ofOneBuild: false) {
        throw Diagnostic(
          "\(printable(image.name)) of the base is of \(difference)", severity: .mismatch)
      }
    }
  }

  // MARK: Counts

  private func counts(
    _ limit: Budget.Limit, _ causes: [RegressionCauses]
  ) -> [CheckResult] {
    zip(images, causes).flatMap { image, causes in
      image.figures.filter { limit.isAbout($0, of: image) }.flatMap { figure in
        results(limit, figure, of: image, causes)
      }
    }
  }

  private func results(
    _ limit: Budget.Limit, _ figure: CheckedImage.Figure, of image: CheckedImage,
    _ causes: RegressionCauses
  ) -> [CheckResult] {
    let old = base?.figures(of: image)
    let oldFigure = old?.figure(like: figure)
    let value = figure.metric.value
    func result(_ requirement: CheckResult.Requirement, _ passes: Bool) -> CheckResult {
      var result = CheckResult(
        image: image.name, figure: limit.figure, pageSize: figure.pageSize, state: figure.state,
        requirement: requirement, line: limit.line, value: value, base: oldFigure?.metric.value,
        outcome: passes ? .pass : .fail)
      result.option = limit.option
      result.document = figure.document
      if passes { return result }
      if limit.figure.name == "stale" { result.renewal = image.renewal }
      let isWorse = oldFigure.map { old in
        figure.metric.differs(from: old.metric)
          && !(figure.metric.isBetter(increase: value > old.metric.value) ?? false)
      }
      // A change within the allowance is no reason to fail for a limit that the base exceeds, too.
      let isTolerated = oldFigure.map { old in
        limit.againstBase?.allows(
          value, base: old.metric.value, isShare: limit.figure.isShare) ?? false
      }
      if isWorse == false || isTolerated == true, result.failsInBase, !failsOnBase {
        result.outcome = .alreadyInBase
      } else {
        result.setCauses(
          causes.causes(of: limit.figure, pageSize: figure.pageSize, isWorse: isWorse ?? true))
      }
      return result
    }
    var results: [CheckResult] = []
    if let maximum = limit.maximum {
      results.append(result(.atMost(maximum), value <= maximum.value + Bound.tolerance))
    }
    if let minimum = limit.minimum {
      results.append(result(.atLeast(minimum), value >= minimum.value - Bound.tolerance))
    }
    if let allowance = limit.againstBase {
      if let oldFigure {
        let passes = allowance.allows(
          value, base: oldFigure.metric.value, isShare: limit.figure.isShare)
        results.append(result(.against(allowance), passes))
      } else {
        var result = result(.against(allowance), true)
        result.outcome = .noBaseline
        result.reason =
          baseIsMissing
          ?? (base == nil ? "no --base was given" : "the base does not have this figure")
        results.append(result)
      }
    }
    return results
  }

  // MARK: Times

  private func times(_ limit: Budget.Limit) -> [CheckResult] {
    images.flatMap { image in
      image.times.compactMap { times -> CheckResult? in
        guard limit.image.map({ $0 == image.name }) ?? true,
          limit.state.map({ $0 == times.state }) ?? true
        else { return nil }
        return result(limit, times, of: image)
      }
    }
  }

  /// - Returns: the verdict; `nil` if the launches lack the figure.
  private func result(
    _ limit: Budget.Limit, _ times: CheckedImage.Times, of image: CheckedImage
  ) -> CheckResult? {
    guard let allowance = limit.againstBase,
      let metric = LaunchMetric(rawValue: limit.figure.name)
    else { return nil }
    var result = CheckResult(
      image: image.name, figure: limit.figure, state: times.state,
      requirement: .against(allowance), line: limit.line, value: 0, outcome: .noBaseline)
    result.option = limit.option
    guard let comparison = times.comparisons.first(where: { $0.after == "after" }) else {
      result.reason =
        "only one build was measured: run 'orderfile measure' with the build of the base and this build"
      return result
    }
    guard let found = comparison.metrics.first(where: { $0.metric == metric }) else { return nil }
    let verdict = TimeVerdict(
      found.change, launches: times.launches, allowance: allowance.amount.value)
    result.value = found.change.share
    result.interval = found.change.interval
    result.outcome = verdict.outcome
    result.launchesNeeded = verdict.launchesNeeded
    switch verdict.outcome {
    case .inconclusive:
      let needed = verdict.launchesNeeded.map { "about \($0) launches of each build would decide" }
      result.reason =
        "\(counted(times.launches, "launch", "launches")) of each build do not decide; \(needed ?? "the change is too close to the limit for any number of launches")"
    case .fail where isUnsteady(metric, times):
      result.outcome = .inconclusive
      result.reason =
        "the base differs from itself when it is launched again: the machine is not steady"
    default: break
    }
    return result
  }

  /// Whether the base, launched again as a control, differs from itself.
  private func isUnsteady(_ metric: LaunchMetric, _ times: CheckedImage.Times) -> Bool {
    let control = times.comparisons.first { $0.after == "control" }
    return control?.metrics.contains { $0.metric == metric && $0.verdict != .notShown } ?? false
  }

  // MARK: Errors

  /// Returns the error for a limit on a figure that no document has. Without the error, the check would pass although nothing
  /// was compared.
  private func absence(of limit: Budget.Limit) -> Diagnostic {
    var problem = unexplainedAbsence(of: limit)
    if let option = limit.option { problem.context = [CommandLimits.option(option)] }
    explain(&problem, limit.figure)
    return problem
  }

  /// Adds why the documents lack `figure`, and what to do about it.
  func explain(_ problem: inout Diagnostic, _ figure: BudgetFigure) {
    guard let reason = absences.first(where: { $0.isAbout(figure) })?.reason else { return }
    problem.message += ": " + (reason.context + [reason.message]).joined(separator: ": ")
    problem.remedies = reason.remedies
  }

  /// Joins the errors about limits into one error; `nil` if there are no errors.
  private static func joined(_ problems: [Diagnostic]) -> Diagnostic? {
    guard problems.count > 1 else { return problems.first }
    var hints: [String] = []
    for hint in problems.compactMap(\.hint) where !hints.contains(hint) { hints.append(hint) }
    return Diagnostic(
      "\(problems.count) limits are on figures that no document has:"
        + problems.map { "\n  " + ($0.context + [$0.message]).joined(separator: ": ") }.joined(),
      hint: hints.isEmpty ? nil : hints.joined(separator: "; "))
  }

  private func unexplainedAbsence(of limit: Budget.Limit) -> Diagnostic {
    let all = images.map(\.name)
    if let name = limit.image, !all.contains(name) {
      let meant = closestName(to: name, of: all)
      return Diagnostic(
        "no document is about the image '\(printable(name))'\(limit.lineWording): found \(all.map(printable).joined(separator: ", "))",
        hint: meant.map { "did you mean '\(printable($0))'?" })
    }
    let sizes = images.flatMap(\.figures)
      .filter { $0.source == limit.figure.source && $0.metric.name == limit.figure.name }
      .compactMap { $0.pageSize?.bytes }
    var what = limit.figure.id
    if let size = limit.pageSize { what += " in pages of \(size.bytes) bytes" }
    if let state = limit.state { what += " in the state '\(state)'" }
    if let image = limit.image { what += " of \(printable(image))" }
    if limit.figure.stages != .none, let problem = absenceOfStage(limit, what) { return problem }
    let found = Set(sizes).sorted().map { "\($0)" }.joined(separator: ", ")
    return Diagnostic(
      "no document has \(printable(what))\(limit.lineWording)"
        + (found.isEmpty ? "" : ": found page sizes of \(found)"),
      hint: "give a document that 'orderfile \(limit.figure.command) --json' has written")
  }
}

extension [CheckedImage] {
  /// Returns the image of a base with which `image` is compared: the image of the same name and architecture. If a
  /// document has the image only for another architecture, returns that image, and `compare` reports the error. Returns
  /// `nil` if the base has no image of this name, or if a history has the image only for other architectures.
  func figures(of image: CheckedImage) -> CheckedImage? {
    let named = filter { $0.name == image.name }
    return named.first { $0.reference.architecture == image.reference.architecture }
      ?? named.first {
        !$0.isOfHistory || [$0, image].contains { $0.reference.architecture == nil }
      }
  }
}

extension Budget.Limit {
  /// ` (at line 3)`; empty for a limit of the command line.
  var lineWording: String { option == nil ? " (at line \(line))" : "" }
}
