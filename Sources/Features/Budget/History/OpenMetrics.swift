/// A history as metrics with timestamps: <https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md>.
/// `promtool tsdb create-blocks-from openmetrics` imports it into Prometheus.
///
/// The name of a metric is `orderfile_`, the source, its name and its unit. The commits are labels of
/// `orderfile_commit_timestamp_seconds` only. As labels of the other metrics, they would make each value a series.
package struct OpenMetrics {
  private let series: [(HistorySeries, [HistoryEntry])]
  init(_ series: [(HistorySeries, [HistoryEntry])]) { self.series = series }

  /// The samples of one metric, which have to follow each other in the text.
  private struct Family {
    var unit: String
    var help: String
    var samples = ""
  }

  var text: String {
    var families: [String: Family] = [:]
    for (series, entries) in series {
      for entry in entries {
        for metric in entry.metrics {
          let labels = Self.labels(
            series.labels + (metric.stage.map { [("stage", $0)] } ?? []))
          let name = Self.name(of: metric, series.source)
          let unit = metric.unit.rawValue
          families[
            name,
            default: Family(unit: unit, help: "\(metric.quantity) of orderfile \(series.source)")
          ].samples +=
            "\(name){\(labels)} \(ShortNumber(metric.value)) \(entry.time.seconds)\n"
        }
      }
      for entry in entries {
        let all = Self.labels(
          [("commit", entry.commit)] + series.labels + [("source", series.source.rawValue)])
        families[
          Self.commits, default: Family(unit: "seconds", help: "The time of a commit.")
        ].samples += "\(Self.commits){\(all)} \(entry.time.seconds) \(entry.time.seconds)\n"
      }
    }
    return families.sorted { $0.key < $1.key }.map { name, family in
      "# TYPE \(name) gauge\n# UNIT \(name) \(family.unit)\n# HELP \(name) \(family.help)\n"
        + family.samples
    }.joined() + "# EOF\n"
  }

  private static let commits = "orderfile_commit_timestamp_seconds"

  /// Returns a name such as `orderfile_pages_text_pages`; it ends with the unit.
  package static func name(of metric: HistoryMetric, _ source: HistorySeries.Source) -> String {
    let words = metric.quantity.map { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }.joined()
    let unit = metric.unit.rawValue
    let isNamed = words == unit || words.hasSuffix("_\(unit)")
    return "orderfile_\(source.rawValue)_\(words)" + (isNamed ? "" : "_\(unit)")
  }

  private static func labels(_ labels: [(name: String, value: String)]) -> String {
    labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",")
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\r\n", with: "\n").escapingScalars { scalar in
      switch scalar {
      case "\\": "\\\\"
      case "\"": "\\\""
      case "\n": "\\n"
      default: nil
      }
    }
  }
}
