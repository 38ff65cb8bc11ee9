import Rendering

/// The text report of `orderfile show` for a history: the values of each series, by time.
package struct HistoryText {
  private let history: HistoryFile
  private let limit: Int?
  private let width: Int?

  /// - Parameters:
  ///   - limit: the number of commits to show of each series, counted from the latest; `nil` shows all.
  ///   - width: the terminal's width in columns; `nil` shortens nothing.
  package init(_ history: HistoryFile, limit: Int? = nil, width: Int? = nil) {
    self.history = history
    self.limit = limit
    self.width = width
  }

  package var text: String {
    history.bySeries.map { series, entries in
      "\(printable(series.wording)): \(counted(entries.count, "commit"))\n\n"
        + table(of: entries).text(width: width)
    }.joined(separator: "\n")
  }

  private func table(of entries: [HistoryEntry]) -> Table {
    let shown = entries.suffix(limit ?? entries.count)
    var names: [String] = []
    var seen: Set<String> = []
    for metric in shown.lazy.flatMap(\.metrics) where seen.insert(metric.name).inserted {
      names.append(metric.name)
    }
    if shown.contains(where: { $0.metrics.contains { $0.stage != nil } }) {
      return table(ofStages: names, in: shown)
    }
    var table = Table(
      [.init("TIME", .left)] + names.map { .init($0) } + [.init("COMMIT", .left)])
    for entry in shown {
      table.add(
        ["\(entry.time)"]
          + names.map { name in entry.metric(name).map { $0.text(of: $0.value) } ?? "-" }
          + [entry.commit])
    }
    return table
  }

  /// The most commits in a table with a row for each stage.
  private static let mostCommits = 8

  /// Returns a table with a column for each of the latest commits: stages are many, and their names are long.
  private func table(ofStages names: [String], in entries: some Collection<HistoryEntry>) -> Table {
    let shown = entries.suffix(Self.mostCommits)
    var table = Table(
      shown.map { .init(String($0.commit.prefix(8))) } + [.init("FIGURE", .left)])
    let metrics = shown.map { entry in
      Dictionary(entry.metrics.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
    for name in names {
      table.add(
        metrics.map { $0[name].map { $0.text(of: $0.value) } ?? "-" } + [printable(name)])
    }
    return table
  }
}
