import ChangePoints
import Rendering

/// The text report of `orderfile history trend`: for each series, a line for each change, and the metrics without a
/// change.
package struct TrendText {
  private let document: TrendDocument
  private let width: Int?
  private let isColoured: Bool

  /// - Parameters:
  ///   - width: the terminal's width in columns; `nil` shortens nothing.
  ///   - isColoured: whether changes are green or red, for a terminal.
  package init(_ document: TrendDocument, width: Int? = nil, isColoured: Bool = false) {
    self.document = document
    self.width = width
    self.isColoured = isColoured
  }

  package var text: String {
    document.series.map { series in
      "\(printable(series.series.wording)): \(counted(series.commits, "commit"))\n\n"
        + table(of: series) + unchanged(in: series)
    }.joined(separator: "\n")
  }

  /// A change of a metric.
  private struct Row {
    var metric: TrendDocument.Metric
    var change: TrendDocument.Change
    var isBetter: Bool? { metric.isBetter(change) }
  }

  private func table(of series: TrendDocument.Series) -> String {
    let rows = series.metrics.flatMap { metric in
      metric.changes.map { Row(metric: metric, change: $0) }
    }.enumerated().sorted {
      ($0.element.change.time, $0.offset) < ($1.element.change.time, $1.offset)
    }.map(\.element)
    guard !rows.isEmpty else { return "" }
    var table = Table([
      .init("TIME", .left), .init("METRIC", .left), .init("BEFORE"), .init("AFTER"),
      .init("CHANGE"), .init("", .left), .init("P", .left), .init("SINCE", .left),
      .init("COMMIT", .left),
    ])
    for row in rows {
      let (metric, point) = (row.metric.latest, row.change.point)
      let (before, after) = metric.differingTexts(point.before.mean, point.after.mean)
      table.add([
        "\(row.change.time)", metric.name, before, after, Self.change(point),
        row.isBetter.map { $0 ? "better" : "worse" } ?? "",
        Decimal.probability(point.p), row.change.previous, row.change.commit,
      ])
    }
    let lines = table.text(width: width).split(separator: "\n").map(String.init)
    let coloured = zip(rows, lines.dropFirst(2)).map { row, line in
      guard isColoured, let isBetter = row.isBetter else { return line }
      return "\u{1b}[\(isBetter ? 32 : 31)m\(line)\u{1b}[0m"
    }
    let note =
      rows.contains { !$0.change.unknown.isEmpty }
      ? "the history lacks figures of commits between SINCE and COMMIT: these may have made the change\n"
      : ""
    return (lines.prefix(2) + coloured).map { $0 + "\n" }.joined() + note
  }

  /// Returns the change in percent, with enough decimals to differ from 0.
  private static func change(_ point: ChangePoint) -> String {
    guard let change = point.change, abs(change) < 0.0005, change != 0 else {
      return Percentage.change(from: point.before.mean, to: point.after.mean)
    }
    let zero = Decimal.text(0, places: 6)
    let texts = (2...6).map { Decimal.text(change * 100, places: $0) }
    let text = texts.first { !zero.hasPrefix($0.drop { $0 == "-" }) } ?? texts[4]
    return (change > 0 ? "+" : "") + text + "%"
  }

  private func unchanged(in series: TrendDocument.Series) -> String {
    let metrics = series.metrics.filter(\.changes.isEmpty)
    return line("no change", metrics.filter { $0.commits >= Self.fewestCommits })
      + line("too few commits", metrics.filter { $0.commits < Self.fewestCommits })
  }

  /// With fewer commits, no change can be distinguished from chance.
  private static let fewestCommits = 3

  private func line(_ title: String, _ metrics: [TrendDocument.Metric]) -> String {
    guard !metrics.isEmpty else { return "" }
    let values = metrics.map { "\($0.latest.name) (\($0.latest.text(of: $0.latest.value)))" }
    return "\(title): \(values.joined(separator: ", "))\n"
  }
}

extension HistoryMetric {
  /// Returns a value in the unit of the metric: `143`, `12.35 ms`, `98.1%`. A mean has one decimal.
  func text(of value: Double) -> String { text(of: value, furtherPlaces: 0) }

  /// Returns the texts of two values, with enough decimals to differ, at most six more than usual.
  func differingTexts(_ first: Double, _ second: Double) -> (String, String) {
    let texts = (0...6).lazy.map {
      (self.text(of: first, furtherPlaces: $0), self.text(of: second, furtherPlaces: $0))
    }
    return texts.first { $0.0 != $0.1 } ?? (text(of: first), text(of: second))
  }

  private func text(of value: Double, furtherPlaces more: Int) -> String {
    switch unit {
    case .seconds where more > 0: Decimal.text(value * 1e3, places: 3 + more) + " ms"
    case .seconds: Decimal.milliseconds(nanoseconds: value * 1e9) + " ms"
    case .ratio: Decimal.text(value * 100, places: 1 + more) + "%"
    default: Decimal.text(value, places: more == 0 && value == value.rounded() ? 0 : 1 + more)
    }
  }
}
