import ImageModel
import LaunchMeasurement
import Rendering
import Stages

/// The times of one figure in launches that are divided into stages.
package struct StageTime: Hashable, Sendable {
  /// The number of launches that have the figure.
  package var launches: Int
  /// The 95% confidence interval of the median, in milliseconds; `nil` for too few launches.
  package var interval: ClosedRange<Double>?
  /// The change from the base's launches; `nil` if the document was not compared with a base, or if the base's launches
  /// lack the figure.
  package var change: StagesComparison.Figure?

  init(_ sample: StageSample, _ comparison: StagesComparison?) {
    launches = sample.times.count
    interval = sample.times.medianInterval.map { $0.lowerBound / 1e6...$0.upperBound / 1e6 }
    change = comparison?.figure(sample.figure)
  }
}

extension BudgetCheck {
  /// Returns the verdicts on a limit of a time of divided launches.
  func stageTimes(_ limit: Budget.Limit, _ causes: [RegressionCauses]) -> [CheckResult] {
    zip(images, causes).flatMap { image, causes in
      image.figures.filter { limit.isAbout($0, of: image) }.flatMap { figure in
        image.stageTimes[.init(id: figure.id, state: figure.state)]
          .map { results(limit, figure, $0, of: image, causes) } ?? []
      }
    }
  }

  private func results(
    _ limit: Budget.Limit, _ figure: CheckedImage.Figure, _ time: StageTime,
    of image: CheckedImage, _ causes: RegressionCauses
  ) -> [CheckResult] {
    var empty = CheckResult(
      image: image.name, figure: limit.figure, pageSize: figure.pageSize, state: figure.state,
      requirement: .allowedLibraries, line: limit.line, value: 0, outcome: .noBaseline)
    empty.option = limit.option
    empty.document = figure.document
    var results: [CheckResult] = []
    if let maximum = limit.maximum {
      results.append(
        verdict(atMost: maximum, figure.metric.value, time, filling: empty))
    }
    if let allowance = limit.againstBase {
      results.append(verdict(against: allowance, time, of: image, filling: empty))
    }
    for index in results.indices where results[index].outcome == .fail {
      results[index].setCauses(
        causes.causes(
          of: limit.figure, pageSize: figure.pageSize, state: figure.state, isWorse: true))
    }
    return results
  }

  /// Returns the verdict on a limit of the median itself.
  private func verdict(
    atMost maximum: Bound, _ median: Double, _ time: StageTime, filling empty: CheckResult
  ) -> CheckResult {
    var result = empty
    result.requirement = .atMost(maximum)
    result.value = median
    result.interval = time.interval
    result.base = time.change.map { $0.medianBefore / 1e6 }
    let verdict = TimeVerdict(
      median, time.interval, launches: time.launches, limit: maximum.value)
    result.outcome = verdict.outcome
    result.launchesNeeded = verdict.launchesNeeded
    if verdict.outcome == .inconclusive {
      result.reason = verdict.reason(
        launches: counted(time.launches, "launch", "launches"), plural: time.launches != 1)
    }
    let isWorse = time.change.map { $0.verdict == .more } ?? true
    if verdict.outcome == .fail, !isWorse, result.failsInBase, !failsOnBase {
      result.outcome = .alreadyInBase
    }
    return result
  }

  /// Returns the verdict on a limit of the change from the base's launches, which the document itself compares.
  private func verdict(
    against allowance: Allowance, _ time: StageTime, of image: CheckedImage,
    filling empty: CheckResult
  ) -> CheckResult {
    var result = empty
    result.requirement = .against(allowance)
    guard let comparison = image.stagesComparisons[result.state] else {
      result.reason =
        "the launches were not compared with launches of the base: give '--before' with '--launch', or give "
        + "'orderfile stages' the base's launches with '--base'"
      return result
    }
    guard let found = time.change else {
      result.reason = "the base's launches do not have this figure"
      return result
    }
    let change = found.change
    // Two sets of different sizes have an interval as wide as two sets of the harmonic mean of both sizes.
    let (m, n) = (Double(found.before), Double(found.after))
    let launches = Int(2 * m * n / (m + n))
    let verdict: TimeVerdict
    switch allowance.amount {
    case .share(let share):
      (result.value, result.interval) = (change.relative.share, change.relative.interval)
      verdict = TimeVerdict(
        result.value, result.interval, launches: launches, limit: share.ratio)
    case .count(let count):
      result.value = change.difference / 1e6
      result.interval = change.interval.map { $0.lowerBound / 1e6...$0.upperBound / 1e6 }
      verdict = TimeVerdict(
        result.value, result.interval, launches: launches, limit: Double(count))
    }
    result.outcome = verdict.outcome
    result.launchesNeeded = verdict.launchesNeeded
    switch verdict.outcome {
    case .inconclusive:
      result.reason = verdict.reason(
        launches:
          "\(counted(found.before, "launch", "launches")) of the base and \(found.after) of this build",
        plural: true)
    case .fail where !comparison.doubts.isEmpty:
      result.outcome = .inconclusive
      result.reason = "\(comparison.doubts.joined(separator: "; ")): the machine may be the cause"
    default: break
    }
    return result
  }
}

extension TimeVerdict {
  /// Returns why the launches do not decide.
  fileprivate func reason(launches: String, plural: Bool) -> String {
    let needed = launchesNeeded.map { "about \($0) launches of each build would decide" }
    return "\(launches) \(plural ? "do" : "does") not decide; "
      + (needed ?? "the time is too close to the limit for any number of launches")
  }
}
