import ImageModel
import LaunchMeasurement

/// The budget that `check --init` writes: today's figures just meet it.
package enum BudgetDraft {
  /// Returns a limit for each figure that repeats exactly and that has a better direction, with some slack. If two
  /// builds were launched in turn, there is also a limit for times: 3%, or as much more as the interval of today's
  /// change needs.
  ///
  /// - Throws: if no figure can be limited.
  package static func budget(for images: [CheckedImage]) throws(Diagnostic) -> Budget {
    let limits = images.flatMap { image in
      image.figures.compactMap { limit($0, of: image) }
        + timeLimits(of: image).compactMap(\.limit)
    }
    if limits.isEmpty {
      throw Diagnostic(
        "the documents have no figures to limit",
        hint:
          "give documents that 'orderfile audit', 'diff', 'gen' or 'pages' has written with --json")
    }
    return Budget(limits: limits)
  }

  /// The largest page size whose figures get limits. Figures for the larger windows of fault-around would only repeat
  /// the figures for pages.
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

  /// Returns the share `value` in whole percent.
  private static func share(_ value: Double, roundsUp: Bool) -> Bound {
    let percent = (value * 100).rounded(roundsUp ? .up : .down)
    return .share(Share(percent: UInt64(min(max(percent, 0), 100))))
  }

  /// Returns the times of an image that was launched in turn with another build, each with the limit that the time
  /// passes; the limit is `nil` if the time passes none.
  private static func timeLimits(
    of image: CheckedImage
  ) -> [(state: String, limit: Budget.Limit?)] {
    image.times.compactMap { times in
      guard
        let found = times.comparisons.first(where: { $0.after == "after" })?.metrics
          .first(where: { $0.metric == .wallTime }),
        let figure = BudgetFigure(id: "measure.wallTime")
      else { return nil }
      let allowed = (leastTimeSlack...100).map { Share(percent: $0) }.first { share in
        TimeVerdict(found.change, launches: times.launches, allowance: share.ratio).outcome == .pass
      }
      let limit = allowed.map { share in
        Budget.Limit(
          figure, image: image.name, state: times.state,
          againstBase: Allowance(isLess: false, amount: .share(share)))
      }
      return (times.state, limit)
    }
  }

  /// The smallest allowance for a time, in percent of the base's time.
  private static let leastTimeSlack: UInt64 = 3

  /// Returns a note for each time without a limit: why today's launches pass no limit.
  package static func notes(for images: [CheckedImage]) -> [String] {
    images.flatMap { image in
      timeLimits(of: image).filter { $0.limit == nil }.map { time in
        "no limit for measure.wallTime of \(image.name), \(time.state): the launches do not show that the change is at most 100%"
      }
    }
  }
}
