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
    for entry in shown {
      for metric in entry.metrics where !names.contains(metric.name) { names.append(metric.name) }
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
}
