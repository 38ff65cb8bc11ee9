/// A format in which other tools read a history.
package enum HistoryExport: String, CaseIterable, Sendable {
  case influx, openmetrics, csv

  /// Returns the history in this format. All values of a series get different times (`spaced`).
  package func text(of history: HistoryFile) -> String {
    let series = history.bySeries.map { ($0.series, Self.spaced($0.entries)) }
    return switch self {
    case .influx: LineProtocol(series).text
    case .openmetrics: OpenMetrics(series).text
    case .csv: CommaSeparatedValues(series).text
    }
  }

  /// Returns the entries with ascending times. If an entry has the second of the entry before it, or an earlier one, it
  /// gets the next second. Time series hold one value for each moment, and a rebase gives many commits the same second.
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
