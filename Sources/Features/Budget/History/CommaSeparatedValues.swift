import Rendering

/// A history as a table with a row for each value: <https://www.rfc-editor.org/rfc/rfc4180>.
struct CommaSeparatedValues {
  private let series: [(HistorySeries, [HistoryEntry])]
  init(_ series: [(HistorySeries, [HistoryEntry])]) { self.series = series }

  private static let columns = [
    "time", "commit", "source", "image", "architecture", "pageSizeBytes", "launch", "machine",
    "kernel", "state", "metric", "unit", "direction", "value", "low", "high", "count",
  ]

  var text: String {
    var rows = [Self.columns]
    for (series, entries) in series {
      for entry in entries {
        for metric in entry.metrics { rows.append(Self.row(entry, series, metric)) }
      }
    }
    return rows.map { commaSeparated($0) }.joined()
  }

  private static func row(
    _ entry: HistoryEntry, _ series: HistorySeries, _ metric: HistoryMetric
  ) -> [String] {
    let sample = metric.sample
    return [
      "\(entry.time)", entry.commit, series.source.rawValue, series.image, series.architecture,
      series.pageSize.map { "\($0.bytes)" } ?? "", series.launch ?? "", series.machine?.name ?? "",
      series.machine?.kernel ?? "", series.machine?.state ?? "", metric.name, metric.unit.rawValue,
      metric.direction.rawValue, "\(ShortNumber(metric.value))",
      sample.map { "\(ShortNumber($0.low))" } ?? "", sample.map { "\(ShortNumber($0.high))" } ?? "",
      sample.map { "\($0.count)" } ?? "",
    ]
  }
}
