import ByteReading
import ImageModel
import JSON

/// A history: a file of independent lines, to which each commit adds some. Two branches may add at the same place, so the
/// order of the lines means nothing.
package struct HistoryFile: Sendable {
  /// In the order of the lines.
  package private(set) var entries: [HistoryEntry] = []
  /// The line of each entry, from 1.
  private var lines: [Int] = []
  private var places: [Place: Int] = [:]
  private var units: [MetricName: Int] = [:]
  private var names: [HistorySeries: Set<String>] = [:]

  /// What only one entry may be about.
  private struct Place: Hashable {
    var commit: String
    var series: HistorySeries
  }

  private struct MetricName: Hashable {
    var source: HistorySeries.Source
    var name: String
  }

  package init() {}

  /// Empty lines are skipped.
  ///
  /// - Throws: an error with the line's number for a line of something else, for a merge conflict, and for a second line
  ///   about the same commit and series. Its context begins with `path`.
  /// - Complexity: O(*n*) for *n* bytes.
  package init(parsing bytes: FileBytes, path: String) throws(Diagnostic) {
    var scanner = LineScanner(bytes)
    var number = 0
    while let range = scanner.next() {
      number += 1
      guard !bytes.trimmingBlanksAtEnd(of: range).isEmpty else { continue }
      if let marker = bytes.mergeConflictMarker(at: range.lowerBound) {
        throw Diagnostic(
          "invalid history: found the merge-conflict marker '\(marker)' (at line \(number))",
          context: [path],
          hint:
            "keep the lines of both sides and remove the markers; 'merge=union' in .gitattributes"
            + " lets git do that")
      }
      let entry: HistoryEntry
      do { entry = try HistoryEntry(parsing: FileBytes(bytes.copy(range))) } catch {
        var error = error
        error.line = number
        let isOfAnother = error.field == "schema" || error.field == "document"
        throw Diagnostic(
          "\(error)", context: [path],
          hint: isOfAnother ? "a history has only lines that 'orderfile history add' wrote" : nil)
      }
      do { try add(entry, line: number) } catch {
        var error = error
        error.context.insert(path, at: 0)
        throw error
      }
    }
  }

  /// Adds an entry that is not in the file yet.
  ///
  /// - Throws: if the history has another about the same commit and series.
  package mutating func add(_ entry: HistoryEntry) throws(Diagnostic) {
    if let earlier = places[Place(commit: entry.commit, series: entry.series)] {
      throw Diagnostic(
        "duplicate entry: commit \(entry.commit) already has figures of \(entry.series.wording) "
          + "(at line \(lines[earlier]))",
        hint: "remove that line to replace it, or tell launches apart with '--launch'")
    }
    try add(entry, line: (lines.last ?? 0) + 1)
  }

  private mutating func add(_ entry: HistoryEntry, line: Int) throws(Diagnostic) {
    let place = Place(commit: entry.commit, series: entry.series)
    if let earlier = places.updateValue(entries.count, forKey: place) {
      throw Diagnostic(
        "duplicate entry: commit \(entry.commit) has figures of \(entry.series.wording) at lines "
          + "\(lines[earlier]) and \(line)",
        hint: "remove one of them, or tell launches apart with '--launch'")
    }
    for metric in entry.metrics {
      let name = MetricName(source: entry.series.source, name: metric.name)
      guard let earlier = units[name] else {
        units[name] = entries.count
        continue
      }
      guard let known = entries[earlier].metric(metric.name), known.unit != metric.unit else {
        continue
      }
      throw Diagnostic(
        "invalid unit of '\(metric.name)': expected \(known.unit.rawValue), as at line "
          + "\(lines[earlier]), found \(metric.unit.rawValue) (at line \(line))")
    }
    let count = names[entry.series, default: []].count
    names[entry.series, default: []].formUnion(entry.metrics.lazy.map(\.name))
    guard names[entry.series, default: []].count <= HistoryEntry.maximumMetrics else {
      throw Diagnostic(
        "too many metrics: expected at most \(HistoryEntry.maximumMetrics) names in "
          + "\(entry.series.wording), which has \(count), found others (at line \(line))")
    }
    entries.append(entry)
    lines.append(line)
  }
}

// MARK: Series

extension HistoryFile {
  /// All commits, each once, sorted by time, then by line. A commit has the time of its first line.
  var commits: [String] {
    var seen: Set<String> = []
    let first = entries.filter { seen.insert($0.commit).inserted }
    return first.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }.map(\.element.commit)
  }

  /// The entries by series, those in ascending order; the entries by time and, at the same second, by line.
  package var bySeries: [(series: HistorySeries, entries: [HistoryEntry])] {
    var places: [HistorySeries: Int] = [:]
    var all: [(series: HistorySeries, entries: [HistoryEntry])] = []
    for entry in entries {
      let place = places[entry.series] ?? all.count
      if place == all.count {
        places[entry.series] = place
        all.append((entry.series, []))
      }
      all[place].entries.append(entry)
    }
    for place in all.indices {
      let sorted = all[place].entries.enumerated().sorted {
        ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
      }
      all[place].entries = sorted.map(\.element)
    }
    return all.sorted { $0.series < $1.series }
  }
}
