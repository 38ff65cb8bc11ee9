import Rendering

/// The text report of `orderfile history trend`: a table with a row for each change, by commit, and the metrics without
/// a change.
package struct TrendText {
  private let document: TrendDocument
  private let width: Int?
  private let isColoured: Bool

  /// - Parameters:
  ///   - width: the terminal's width in columns; `nil` shortens only subjects.
  ///   - isColoured: whether changes are green or red, for a terminal.
  package init(_ document: TrendDocument, width: Int? = nil, isColoured: Bool = false) {
    self.document = document
    self.width = width
    self.isColoured = isColoured
  }

  package var text: String {
    let rows = rows
    let commits = Set(rows.map(\.change.commit)).count
    let figures = Set(rows.map(\.figure)).count
    let title =
      "\(counted(commits, "commit")) changed \(counted(figures, "figure")) of "
      + "\(counted(document.series.count, "series", "series"))\n\n"
    return title + (rows.isEmpty ? "" : table(of: rows) + "\n")
      + document.series.map(unchanged).joined()
  }

  /// A change of a metric.
  private struct Row {
    var figure: String
    var metric: TrendDocument.Metric
    var change: TrendDocument.Change
    var isBetter: Bool? { metric.isBetter(change) }
  }

  /// The changes by the times of their commits. The changes of a commit follow each other, and changes for the worse
  /// come first.
  private var rows: [Row] {
    let rows = document.series.flatMap { series in
      series.metrics.flatMap { metric in
        metric.changes.map {
          Row(figure: figure(metric, of: series.series), metric: metric, change: $0)
        }
      }
    }
    var firsts: [String: Int] = [:]
    for (index, row) in rows.enumerated() where firsts[row.change.commit] == nil {
      firsts[row.change.commit] = index
    }
    func key(_ index: Int) -> (HistoryTime, Int, Int, Int) {
      let row = rows[index]
      let rank = row.isBetter.map { $0 ? 2 : 0 } ?? 1
      return (row.change.time, firsts[row.change.commit] ?? 0, rank, index)
    }
    return rows.indices.sorted { key($0) < key($1) }.map { rows[$0] }
  }

  /// Returns the name of a figure, and the properties that distinguish its series from other series:
  /// `pages.textPages of app, 4 KiB pages`.
  private func figure(_ metric: TrendDocument.Metric, of series: HistorySeries) -> String {
    func differ(_ property: (HistorySeries) -> String?) -> Bool {
      document.series.contains {
        $0.series.source == series.source && property($0.series) != property(series)
      }
    }
    var parts = [
      "\(series.source.rawValue).\(printable(metric.latest.name)) of \(series.image)"
    ]
    if let launch = series.launch { parts.append("launch \(launch)") }
    if differ({ $0.architecture }) { parts.append(series.architecture) }
    if let pageSize = series.pageSize { parts.append("\(pageSize.wording) pages") }
    if let machine = series.machine {
      parts.append(machine.state)
      if differ({ $0.machine?.name }) { parts.append(machine.name) }
      if differ({ $0.machine?.kernel }) { parts.append(machine.kernel) }
    }
    return parts.joined(separator: ", ")
  }

  /// The most columns of a commit's subject.
  private static let subjectWidth = 40
  /// The columns of a terminal that the parts of a row other than the subject need.
  private static let otherColumns = 80

  private func table(of rows: [Row]) -> String {
    let hasSubjects = !document.commits.isEmpty
    let subjectWidth =
      width.map { min(Self.subjectWidth, max(16, $0 - Self.otherColumns)) } ?? Self.subjectWidth
    var columns: [Table.Column] = [.init("COMMIT", .left), .init("DATE", .left)]
    if hasSubjects { columns.append(.init("SUBJECT", .left)) }
    columns += [
      .init("BEFORE"), .init("AFTER"), .init("CHANGE"), .init("", .left), .init("FIGURE", .left),
    ]
    var table = Table(columns)
    for (index, row) in rows.enumerated() {
      let (metric, change) = (row.metric.latest, row.change)
      let (before, after) = metric.differingTexts(change.before, change.after)
      let isFirst = index == 0 || rows[index - 1].change.commit != change.commit
      let name = document.commits[change.commit]
      var cells = [
        isFirst ? name?.shortHash ?? Self.shortName(change.commit) : "",
        isFirst ? String("\(change.time)".prefix { $0 != "T" }) : "",
      ]
      if hasSubjects {
        cells.append(isFirst ? shortened(name?.subject ?? "", to: subjectWidth) : "")
      }
      cells += [
        before, after, Self.wording(of: change),
        row.isBetter.map { $0 ? "better" : "worse" } ?? "", row.figure,
      ]
      table.add(cells)
    }
    let lines = table.text(width: width).split(separator: "\n").map(String.init)
    let coloured = zip(rows, lines.dropFirst(2)).map { row, line in
      guard isColoured, let isBetter = row.isBetter else { return line }
      return "\u{1b}[\(isBetter ? 32 : 31)m\(line)\u{1b}[0m"
    }
    return (lines.prefix(2) + coloured).map { $0 + "\n" }.joined() + notes(on: rows)
  }

  /// Returns the first eight digits of a full hash, and other names as they are.
  private static func shortName(_ commit: String) -> String {
    let isHash = commit.utf8.count >= 40 && commit.allSatisfy(\.isHexDigit)
    return isHash ? String(commit.prefix(8)) : commit
  }

  /// Returns a line for each commit whose changes may have been made by commits without figures before this commit.
  private func notes(on rows: [Row]) -> String {
    var seen: Set<String> = []
    return rows.filter { !$0.change.unknown.isEmpty && seen.insert($0.change.commit).inserted }
      .map { row in
        let change = row.change
        let commit = document.commits[change.commit]?.shortHash ?? Self.shortName(change.commit)
        return printable(
          "\(commit): the history lacks figures of \(counted(change.unknown.count, "commit")) after "
            + "\(Self.shortName(change.previous)): these may have made the change") + "\n"
      }.joined()
  }

  /// Returns the change in percent, with enough decimals to differ from 0.
  private static func wording(of change: TrendDocument.Change) -> String {
    guard let share = change.share, abs(share) < 0.0005, share != 0 else {
      return Percentage.change(from: change.before, to: change.after)
    }
    let zero = Decimal.text(0, places: 6)
    let texts = (2...6).map { Decimal.text(share * 100, places: $0) }
    let text = texts.first { !zero.hasPrefix($0.drop { $0 == "-" }) } ?? texts[4]
    return (share > 0 ? "+" : "") + text + "%"
  }

  /// Returns a line with the metrics of a series that did not change.
  private func unchanged(in series: TrendDocument.Series) -> String {
    let metrics = series.metrics.filter(\.changes.isEmpty)
    let title = "\(printable(series.series.wording)), \(counted(series.commits, "commit"))"
    return line("\(title): no change", metrics.filter { $0.commits >= Self.fewestCommits })
      + line("\(title): too few commits", metrics.filter { $0.commits < Self.fewestCommits })
  }

  /// The fewest commits in which a change can be distinguished from chance.
  private static let fewestCommits = 3

  private func line(_ title: String, _ metrics: [TrendDocument.Metric]) -> String {
    guard !metrics.isEmpty else { return "" }
    let values = metrics.map {
      "\(printable($0.latest.name)) (\($0.latest.text(of: $0.latest.value)))"
    }
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
    case .milliseconds where more > 0: Decimal.text(value, places: 3 + more) + " ms"
    case .milliseconds: Decimal.milliseconds(nanoseconds: value * 1e6) + " ms"
    case .ratio: Decimal.text(value * 100, places: 1 + more) + "%"
    default: Decimal.text(value, places: more == 0 && value == value.rounded() ? 0 : 1 + more)
    }
  }
}
