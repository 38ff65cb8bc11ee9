import Rendering

/// A history as points of InfluxDB: <https://docs.influxdata.com/influxdb/v1/write_protocols/line_protocol_reference/>.
///
/// The name of the measurement is `orderfile_` and the source of the series. The tags are the properties of the series,
/// and the stage of the metrics, if they have a stage. The fields are the metrics, all as floats, and the commit. Each
/// stage is a point of its own. Times are in nanoseconds. Tags can't be empty, so empty properties are left out.
struct LineProtocol {
  private let series: [(HistorySeries, [HistoryEntry])]
  init(_ series: [(HistorySeries, [HistoryEntry])]) { self.series = series }

  var text: String {
    var text = ""
    for (series, entries) in series {
      let tags = series.labels.filter { !$0.value.isEmpty }
        .map { ",\($0.name)=\(Self.tag($0.value))" }.joined()
      for entry in entries {
        for (stage, metrics) in Self.byStage(entry.metrics) {
          let fields = metrics.map { "\($0.quantity)=\(ShortNumber($0.value))" }
          text += "orderfile_\(series.source.rawValue)\(tags)"
          text += stage.map { ",stage=\(Self.tag($0))" } ?? ""
          text += " commit=\(Self.string(entry.commit)),\(fields.joined(separator: ",")) "
          text += "\(entry.time.seconds)000000000\n"
        }
      }
    }
    return text
  }

  /// Returns the metrics of each stage, in the order of their first metrics.
  private static func byStage(
    _ metrics: [HistoryMetric]
  ) -> [(stage: String?, metrics: [HistoryMetric])] {
    var places: [String?: Int] = [:]
    var stages: [(stage: String?, metrics: [HistoryMetric])] = []
    for metric in metrics {
      let place = places[metric.stage] ?? stages.count
      if place == stages.count {
        places[metric.stage] = place
        stages.append((metric.stage, []))
      }
      stages[place].metrics.append(metric)
    }
    return stages
  }

  /// Escapes the value of a tag. A tag can't have a line feed, or a backslash before a character that is escaped. So
  /// control characters are escaped as in reports, and a backslash becomes a slash.
  private static func tag(_ value: String) -> String {
    printable(value).escapingScalars { scalar in
      switch scalar {
      case ",", "=", " ": "\\\(scalar)"
      case "\\": "/"
      default: nil
      }
    }
  }

  private static func string(_ value: String) -> String {
    "\"" + value.escapingScalars { $0 == "\"" || $0 == "\\" ? "\\\($0)" : nil } + "\""
  }
}
