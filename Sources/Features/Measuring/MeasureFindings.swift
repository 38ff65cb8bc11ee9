import LaunchMeasurement
import Rendering

/// The findings as sentences, one line each.
extension MeasureDocument.State {
  private var name: String { cache.rawValue }

  package func findings(precision: Double?) -> [String] {
    verdicts + [precisionSentence(precision)] + sides.compactMap(drift)
      + sides.compactMap(outliers)
  }

  /// The sentences about the comparisons.
  var verdicts: [String] {
    let wording = ComparisonWording(subject: name, first: sides[0].name, launches: launches)
    return zip(sides.dropFirst(), comparisons).flatMap { side, comparison in
      comparison.metrics.map { wording.verdict(on: side.name, $0) }
    }
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
      + "(\(Decimal.probability(side.trend.p))): the speed of the machine was changing"
  }

  private func outliers(_ side: MeasureDocument.Side) -> String? {
    guard side.wall.outliers > 0 else { return nil }
    return "\(name): \(side.wall.outliers) of \(counted(launches, "launch", "launches")) of "
      + "\(side.name) took more than "
      + "\(Decimal.milliseconds(nanoseconds: side.wall.farFence)) ms: something else ran; medians "
      + "are barely affected"
  }
}

/// Comparisons of programs as sentences.
struct ComparisonWording {
  /// The first word of each sentence: a state of the page cache, or `memory`.
  var subject: String
  /// The name of the program with which the other programs are compared.
  var first: String
  /// The number of launches of each program.
  var launches: Int

  /// Returns a sentence such as "cold: after takes 12% less wall time than before (95% CI 9.1 to 15%, p < 0.001)".
  func verdict(on side: String, _ comparison: ProgramComparison) -> String {
    let isControl = side == "control"
    let after = isControl ? "control (\(first) again)" : side
    let change = comparison.change
    guard comparison.verdict != .notShown else {
      return
        "\(subject): no significant difference in \(comparison.metric.noun) between \(after) and "
        + "\(first) in \(counted(launches, "launch", "launches")) of each: "
        + "\(Decimal.percent(change.share, isSigned: true)) (\(change.confidence(1, correctedP: comparison.correctedP)))"
    }
    // The sentence states an increase and a decrease as positive numbers.
    let isLess = comparison.verdict == .less
    return "\(subject): \(after) \(comparison.metric.verb) \(Decimal.percent(abs(change.share))) "
      + "\(isLess ? comparison.metric.less : "more") \(comparison.metric.noun) than \(first) "
      + "(\(change.confidence(isLess ? -1 : 1, correctedP: comparison.correctedP)))"
      + (isControl ? ": the machine is not steady, so differences of this size are noise" : "")
  }
}

extension TypicalChange {
  /// Returns the interval and the probability in words: "95% CI 9.1 to 15%, p < 0.001".
  ///
  /// - Parameter sign: 1, or -1 if the sentence states a decrease as a positive number.
  func confidence(_ sign: Double, correctedP: Double) -> String {
    let p = Decimal.probability(correctedP)
    guard let interval else { return p }
    let ends = [interval.lowerBound * sign, interval.upperBound * sign].sorted()
    return "95% CI \(Decimal.percent(ends[0]).dropLast()) to \(Decimal.percent(ends[1])), \(p)"
  }
}

extension LaunchMetric {
  var noun: String {
    switch self {
    case .wallTime: "wall time"
    case .cpuTime: "CPU time"
    case .instructions: "instructions"
    case .rss: "RSS of the process"
    case .pss: "PSS of the process"
    case .imageRSS: "RSS of the image"
    case .imagePSS: "PSS of the image"
    }
  }

  fileprivate var verb: String { self == .instructions ? "executes" : isMemory ? "has" : "takes" }
  fileprivate var less: String { self == .instructions ? "fewer" : "less" }
}
