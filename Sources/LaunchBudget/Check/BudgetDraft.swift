import History
import ImageModel
import LaunchMeasurement
import Reporting

/// What `check --init` writes: a budget that today's figures just meet.
package enum BudgetDraft {
  /// A limit for each figure that repeats exactly and has a better direction, with some slack; and one for times if two
  /// builds were launched in turn.
  ///
  /// - Throws: if there is nothing to limit.
  package static func budget(for images: [CheckedImage]) throws(Diagnostic) -> Budget {
    let limits = images.flatMap { image in
      image.figures.compactMap { limit($0, of: image) } + times(of: image)
    }
    if limits.isEmpty {
      throw Diagnostic(
        "the documents have no figures to limit",
        hint: "give what audit, diff, gen or pages write with --json")
    }
    return Budget(limits: limits)
  }

  /// Windows of fault-around: twice the information of pages.
  private static let largestPageSize = PageSize.sixteenKibibytes

  private static func limit(
    _ found: CheckedImage.Figure, of image: CheckedImage
  ) -> Budget.Limit? {
    guard let figure = BudgetFigure(id: found.id), let slack = figure.slack, !figure.isTime,
      found.pageSize.map({ $0.bytes <= largestPageSize.bytes }) ?? true
    else { return nil }
    var limit = Budget.Limit(
      figure, image: image.name, pageSize: figure.unit == .pages ? found.pageSize : nil)
    let value = found.metric.value
    let count = Int(min(max(value, 0), Double(Bound.largest / 2)))
    switch slack {
    case .none: limit.maximum = .count(count)
    case .pages:
      limit.maximum = .count(count + max(2, count / 50))
      limit.againstBase = Allowance("+2")
    case .bytes:
      limit.maximum = .count(count + count / 50)
      limit.againstBase = Allowance("+2%")
    case .share where figure.direction == .higher:
      limit.minimum = share(max(0, value - 0.02), roundsUp: false)
    case .share: limit.maximum = share(min(1, value + 0.02), roundsUp: true)
    case .time: return nil
    }
    return limit
  }

  /// `value` in whole percent.
  private static func share(_ value: Double, roundsUp: Bool) -> Bound {
    let percent = (value * 100).rounded(roundsUp ? .up : .down)
    return .share(Share(percent: UInt64(min(max(percent, 0), 100))))
  }

  private static func times(of image: CheckedImage) -> [Budget.Limit] {
    image.times.compactMap { times in
      let metrics = times.comparisons.first { $0.after == "after" }?.metrics ?? []
      guard metrics.contains(where: { $0.metric == .wallTime }),
        let figure = BudgetFigure(id: "measure.wallTime")
      else { return nil }
      return Budget.Limit(
        figure, image: image.name, state: times.state, againstBase: Allowance("+3%"))
    }
  }
}
