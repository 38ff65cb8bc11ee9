/// A form in which other tools read a history.
package enum HistoryExport: String, CaseIterable, Sendable {
  case influx, openmetrics, csv

  /// The history in this form. All values of a series have different times (`spaced`).
  package func text(of history: HistoryFile) -> String {
    let series = history.bySeries.map { ($0.series, Self.spaced($0.entries)) }
    return switch self {
    case .influx: LineProtocol(series).text
    case .openmetrics: OpenMetrics(series).text
    case .csv: CommaSeparatedValues(series).text
    }
  }

  /// Entries with times that ascend: one at the second of the entry before it, or earlier, moves to the next. Time series
  /// hold one value a moment, and a rebase gives many commits the same second.
  private static func spaced(_ entries: [HistoryEntry]) -> [HistoryEntry] {
    var last = -1
    return entries.map { entry in
      last = max(entry.time.seconds, last + 1)
      var entry = entry
      entry.time = HistoryTime(seconds: min(last, HistoryTime.latest.seconds))
      return entry
    }
  }
}
