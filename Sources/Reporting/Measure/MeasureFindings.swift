import LaunchMeasurement

/// The findings as sentences, one line each.
extension MeasureDocument.State {
  private var name: String { cache.rawValue }

  func findings(precision: Double?) -> [String] {
    zip(sides.dropFirst(), comparisons).map { verdict($0, $1) }
      + [precisionSentence(precision)] + sides.compactMap(drift) + sides.compactMap(outliers)
  }

  /// "cold: after is faster than before by 3.700 ms, 12% (95% CI 3.100 to 4.200 ms, p < 0.001)"
  private func verdict(_ side: MeasureDocument.Side, _ comparison: MeasureDocument.Comparison)
    -> String
  {
    let isControl = side.name == "control"
    let first = sides[0].name
    let difference = comparison.medianDifference
    // The sentence states a positive number for the faster side.
    let sign: Double = comparison.verdict == .faster ? -1 : 1
    let ends = [difference.low * sign, difference.high * sign].sorted()
      .map(Decimal.milliseconds(nanoseconds:))
    let amount = Decimal.milliseconds(nanoseconds: difference.difference * sign)
    let confidence =
      "(95% CI \(ends[0]) to \(ends[1]) ms, \(Decimal.probability(comparison.p)))"
    let name = isControl ? "control (\(first) again)" : side.name
    guard comparison.verdict != .notShown else {
      return "\(self.name): no significant difference between \(name) and \(first) in "
        + "\(counted(launches, "launch", "launches")) of each: \(amount) ms \(confidence)"
    }
    let share = Decimal.percent(abs(comparison.relativeDifference))
    return "\(self.name): \(name) is \(comparison.verdict.rawValue) than \(first) by "
      + "\(amount) ms, \(share) \(confidence)"
      + (isControl ? ": the machine is not steady, so differences of this size mean nothing" : "")
  }

  private func precisionSentence(_ asked: Double?) -> String {
    let reached = sides.map {
      "\($0.name) \(Decimal.percent(MeasurementPrecision.reached($0.wall)))"
    }
    let precision = asked ?? 0.01
    let needed = sides.map { MeasurementPrecision.launchesNeeded(precision, $0.wall) }.max() ?? 0
    let isMissed =
      asked != nil && sides.contains { MeasurementPrecision.reached($0.wall) > precision }
    return "\(name): precision of the means: \(reached.joined(separator: ", ")); "
      + "\(Decimal.percent(precision)) "
      + (isMissed ? "was not reached and takes " : "takes ")
      + "\(counted(needed, "launch", "launches")) of each"
  }

  private func drift(_ side: MeasureDocument.Side) -> String? {
    guard side.trend.isNotable else { return nil }
    let word = side.trend.slope > 0 ? "rose" : "fell"
    return "\(name): times of \(side.name) \(word) from the first launch to the last by "
      + "\(Decimal.percent(abs(side.trend.relativeChange))) of their median "
      + "(\(Decimal.probability(side.trend.p))): the machine's speed was changing"
  }

  private func outliers(_ side: MeasureDocument.Side) -> String? {
    guard side.wall.outliers > 0 else { return nil }
    return "\(name): \(side.wall.outliers) of \(counted(launches, "launch", "launches")) of "
      + "\(side.name) took more than "
      + "\(Decimal.milliseconds(nanoseconds: side.wall.farFence)) ms: something else ran; medians "
      + "are barely affected"
  }
}
