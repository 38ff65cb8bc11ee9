import ImageModel
import Rendering
import Stages

/// Finds the causes for which a figure of an image is worse than in its base. Each figure is examined once, however
/// many limits it has.
final class RegressionCauses {
  private let now: CheckedImage
  private let base: CheckedImage?
  private var found: [Key: [RegressionCause]] = [:]

  private struct Key: Hashable {
    var figure: String
    var pageSize: PageSize?
    var state: String?
  }

  init(now: CheckedImage, base: CheckedImage?) {
    self.now = now
    self.base = base
  }

  /// The page size by which the pages of functions are counted if the figure has no page size.
  private static let usualPageSize = PageSize.fourKibibytes

  /// Returns the causes of a worse figure, the largest first; empty if the documents do not show the causes.
  ///
  /// - Parameters:
  ///   - state: the state of the page cache, for times of divided launches; else `nil`.
  ///   - isWorse: whether the figure is worse than in the base, or there is no base. If `false`, the only causes are the
  ///     entries that the image lacks.
  func causes(
    of figure: BudgetFigure, pageSize: PageSize?, state: String? = nil, isWorse: Bool
  ) -> [RegressionCause] {
    let causes = causes(Key(figure: figure.id, pageSize: pageSize, state: state), figure)
    return isWorse ? causes : causes.filter { $0.kind == .missing }
  }

  private func causes(_ key: Key, _ figure: BudgetFigure) -> [RegressionCause] {
    if let causes = found[key] { return causes }
    let causes = newCauses(of: figure, pageSize: key.pageSize, state: key.state)
    found[key] = causes
    return causes
  }

  private func newCauses(
    of figure: BudgetFigure, pageSize: PageSize?, state: String?
  ) -> [RegressionCause] {
    switch (figure.source, figure.name) {
    case (.diff, "present"): return now.missing.map(Self.missing)
    case (.diff, "stale"), (.auto, "stale"): return now.unorderable.map(Self.missing)
    case (.diff, "inOrder"), (.auto, "inOrder"):
      return functions(pageSize).filter { $0.kind == .noLongerOrdered }
    case (.diff, "covered"), (.diff, "coveredBytes"):
      return functions(pageSize).filter(\.isUnordered)
    case (.stages, _), (.tasks, _): return tasksAndStages(of: figure, state)
    case (.audit, "initializers"): return added(base?.initializers, now.initializers)
    case (.audit, _) where figure.unit == .libraries:
      return added(base?.libraries?.map(\.name), now.libraries?.map(\.name))
    case (.pages, "dataPages"): return touches(.data)
    case (.pages, "readOnlyPages"): return touches(.readOnly)
    case (.pages, "textPages"):
      return textPages(pageSize)
    case (.auto, _) where figure.unit == .pages, (.diff, _) where figure.unit == .pages:
      return functions(pageSize)
    case (.diff, "predictedWindows64k"): return functions(.sixtyFourKibibytes)
    case (_, "startupFunctions"), (_, "recordedFunctions"):
      return functions(pageSize).filter { $0.kind == .new }
    case (_, "startupBytes"): return functions(pageSize).filter { ($0.bytes ?? 0) > 0 }
    default: return []
    }
  }

  private func functions(_ pageSize: PageSize?) -> [RegressionCause] {
    guard let old = base?.functions, let new = now.functions else { return [] }
    return FunctionChanges(from: old, to: new, pageSize: pageSize ?? Self.usualPageSize).causes
  }

  /// Returns the causes for which the figure of pages of code grew. Functions that touched pages but are missing in the
  /// layout are added, because the layout's trace may be older than the counted launch.
  private func textPages(_ pageSize: PageSize?) -> [RegressionCause] {
    let recorded = Set((now.functions ?? []).map { MatchedName($0.name) })
    let scale =
      Double(PageSize.fourKibibytes.bytes) / Double((pageSize ?? Self.usualPageSize).bytes)
    let others = touches(.text).filter { !recorded.contains(MatchedName($0.name)) }.map {
      var cause = $0
      cause.pages = cause.pages.map { RegressionCause.rounded($0 * scale) }
      return cause
    }
    return (functions(pageSize) + others).sorted(by: RegressionCause.precedes)
  }

  /// Returns the functions that were the first to touch more pages of `segment` than in the base. The pages are of 4
  /// KiB. A function that is no startup function of the base is new.
  private func touches(_ segment: Segment) -> [RegressionCause] {
    guard let old = base?.firstTouches, let new = now.firstTouches else { return [] }
    var counts: [MatchedName: Int] = [:]
    for touch in old where touch.segment == segment {
      counts[MatchedName(touch.function), default: 0] += touch.pages
    }
    let known = (base?.functions).map { Set($0.map { MatchedName($0.name) }) }
    let touching = Set(old.map { MatchedName($0.function) })
    return new.filter { $0.segment == segment }.compactMap { touch -> RegressionCause? in
      let name = MatchedName(touch.function)
      let pages = touch.pages - (counts[name] ?? 0)
      guard pages > 0 else { return nil }
      let isNew = known.map { !$0.contains(name) && !touching.contains(name) } ?? false
      return RegressionCause(isNew ? .new : .touching, touch.function, pages: Double(pages))
    }.sorted(by: RegressionCause.precedes)
  }

  /// Returns the tasks that the base's image does not register, or the stages and tasks that made a time longer: new
  /// ones first, then by the change of their time.
  private func tasksAndStages(of figure: BudgetFigure, _ state: String?) -> [RegressionCause] {
    guard figure.isStageTime else {
      let ending = HistoryMetric.parts(of: figure.name).stage.map { " of \($0)" } ?? ""
      func ofStage(_ tasks: [SymbolName]?) -> [SymbolName]? {
        tasks?.filter { $0.description.hasSuffix(ending) }
      }
      return added(ofStage(base?.tasks), ofStage(now.tasks))
    }
    guard let comparison = now.stagesComparisons[state], let limited = StageFigure(id: figure.id),
      limited.group == .tasks || limited.stage == nil || limited.quantity == .elapsedMilliseconds
    else { return [] }
    func isPart(_ other: StageFigure) -> Bool {
      guard other.group == .stages, other.quantity == .milliseconds, let row = other.stage else {
        return false
      }
      guard limited.group == .tasks else { return true }
      guard let task = TaskName(row: row) else { return false }
      return limited.stage.map { $0 == task.stage } ?? true
    }
    let new = comparison.new.filter { isPart($0.figure) }.map {
      RegressionCause(
        .new, SymbolName($0.figure.wording),
        reason: "\(Decimal.milliseconds(nanoseconds: $0.median)) ms")
    }
    let longer = comparison.figures.filter { $0.verdict == .more && isPart($0.figure) }
      .sorted { ($1.change.difference, $0.figure.id) < ($0.change.difference, $1.figure.id) }
    return new
      + longer.map {
        RegressionCause(
          .grown, SymbolName($0.figure.wording),
          reason: "+\(Decimal.milliseconds(nanoseconds: $0.change.difference)) ms")
      }
  }

  private func added(_ old: [SymbolName]?, _ new: [SymbolName]?) -> [RegressionCause] {
    guard let old, let new else { return [] }
    let known = Set(old)
    return new.filter { !known.contains($0) }.map { RegressionCause(.new, $0) }
  }

  private static func missing(_ entry: NameWithReason) -> RegressionCause {
    RegressionCause(.missing, entry.name, reason: entry.reason)
  }
}
