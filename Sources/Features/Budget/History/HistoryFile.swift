import ByteReading
import ImageModel
import JSON

/// A history: a file of independent lines, to which each commit adds some lines. Two branches may add lines at the same
/// place, so the order of lines means nothing.
package struct HistoryFile: Sendable {
  /// The entries in the order of the lines.
  package private(set) var entries: [HistoryEntry] = []

  /// Reads a history. Empty lines are skipped.
  ///
  /// - Throws: an error with the line's number if a line is not an entry, is a marker of a merge conflict, or is a
  ///   second line about the same commit and series. Its context begins with `path`.
  /// - Complexity: O(*n*) for *n* bytes.
  package init(parsing bytes: FileBytes, path: String) throws(Diagnostic) {
    var places = HistoryPlaces()
    var figures = HistoryFigures()
    try HistoryLine.forEach(in: bytes, path: path) { (line) throws(Diagnostic) in
      let entry = try line.entry()
      let series = try places.add(line)
      try figures.add(entry, ofSeries: series, line: line.number)
      entries.append(entry)
    }
  }
}

/// The commits and series of a history, to which lines are to be appended.
///
/// The figures are read only from the last line of each series. A history grows with each commit, and a new line does not
/// depend on the figures of earlier commits. `HistoryFile` checks all figures.
package struct HistoryIndex {
  private var places = HistoryPlaces()
  private var figures = HistoryFigures()
  private var lines = 0

  /// - Throws: as `HistoryFile` does, but not for errors in figures of lines that are not read.
  /// - Complexity: O(*n*) for *n* bytes.
  package init(parsing bytes: FileBytes, path: String) throws(Diagnostic) {
    var last: [HistoryLine] = []  // by the number of the series
    try HistoryLine.forEach(in: bytes, path: path) { (line) throws(Diagnostic) in
      lines = line.number
      let series = try places.add(line)
      if series == last.count { last.append(line) } else { last[series] = line }
    }
    for (series, line) in last.enumerated() {
      do throws(Diagnostic) {
        try figures.add(try line.entry(), ofSeries: series, line: line.number)
      } catch { throw error.inside(path) }
    }
  }

  /// Whether the history has an entry about the commit and series of `entry`.
  package func has(_ entry: HistoryEntry) -> Bool {
    places.line(of: entry.commit, entry.series) != nil
  }

  /// Notes an entry that is to be appended to the history.
  ///
  /// - Throws: if the history already has an entry about the same commit and series.
  package mutating func add(_ entry: HistoryEntry) throws(Diagnostic) {
    if let earlier = places.line(of: entry.commit, entry.series) {
      throw Diagnostic(
        "duplicate entry: commit \(entry.commit) already has figures of \(entry.series.wording) "
          + "(at line \(earlier))",
        hint:
          "remove that line to replace the figures, or distinguish launches with '--launch-name'")
    }
    lines += 1
    let series = try places.add(entry.commit, entry.series, line: lines)
    try figures.add(entry, ofSeries: series, line: lines)
  }
}

/// A line of a history, with its number in the file.
struct HistoryLine {
  /// The line's number in the file, from 1.
  let number: Int
  let heading: HistoryHeading

  /// Reads the figures of the line.
  func entry() throws(Diagnostic) -> HistoryEntry {
    do { return try heading.entry() } catch { throw Self.error(error, line: number) }
  }

  /// Calls `body` with each line that is not empty.
  ///
  /// - Throws: an error about a line, or the error of `body` with `path` in its context.
  static func forEach(
    in bytes: FileBytes, path: String, _ body: (HistoryLine) throws(Diagnostic) -> Void
  ) throws(Diagnostic) {
    var scanner = LineScanner(bytes)
    var number = 0
    while let range = scanner.next() {
      number += 1
      guard !bytes.trimmingBlanksAtEnd(of: range).isEmpty else { continue }
      do throws(Diagnostic) {
        if let marker = bytes.mergeConflictMarker(at: range.lowerBound) {
          throw Self.mergeConflict(marker, line: number)
        }
        try body(try HistoryLine(FileBytes(bytes.copy(range)), number: number))
      } catch { throw error.inside(path) }
    }
  }

  private init(_ bytes: FileBytes, number: Int) throws(Diagnostic) {
    self.number = number
    do { heading = try HistoryHeading(parsing: bytes) } catch {
      throw Self.error(error, line: number)
    }
  }

  private static func error(_ error: ParseError, line: Int) -> Diagnostic {
    var error = error
    error.line = line
    let isOfAnother = error.field == "schema" || error.field == "document"
    return Diagnostic(
      "\(error)",
      hint: isOfAnother ? "a history has only lines that 'orderfile history add' wrote" : nil)
  }

  private static func mergeConflict(_ marker: StaticString, line: Int) -> Diagnostic {
    Diagnostic(
      "invalid history: found the merge-conflict marker '\(marker)' (at line \(line))",
      hint:
        "keep the lines of both sides and remove the markers; 'merge=union' in .gitattributes"
        + " lets git do that")
  }
}

extension Diagnostic {
  fileprivate func inside(_ path: String) -> Diagnostic {
    var error = self
    error.context.insert(path, at: 0)
    return error
  }
}

/// The line numbers of a history by commit and series. No two lines have the same commit and series.
private struct HistoryPlaces {
  private struct Place: Hashable {
    var commit: String
    var series: Int
  }
  /// The number of each series, from 0.
  private var numbers: [HistorySeries: Int] = [:]
  private var lines: [Place: Int] = [:]

  func line(of commit: String, _ series: HistorySeries) -> Int? {
    numbers[series].flatMap { lines[Place(commit: commit, series: $0)] }
  }

  mutating func add(_ line: HistoryLine) throws(Diagnostic) -> Int {
    try add(line.heading.commit, line.heading.series, line: line.number)
  }

  /// - Returns: the number of the series.
  mutating func add(
    _ commit: String, _ series: HistorySeries, line: Int
  ) throws(Diagnostic) -> Int {
    let number = numbers[series] ?? numbers.count
    if number == numbers.count { numbers[series] = number }
    if let earlier = lines.updateValue(line, forKey: Place(commit: commit, series: number)) {
      throw Diagnostic(
        "duplicate entry: commit \(commit) has figures of \(series.wording) at lines "
          + "\(earlier) and \(line)",
        hint: "remove one of these lines, or distinguish launches with '--launch-name'")
    }
    return number
  }
}

/// The figures of a history: each has one unit, and a series has at most `HistoryEntry.maximumMetrics`.
private struct HistoryFigures {
  private struct MetricName: Hashable {
    var source: HistorySeries.Source
    var name: String
  }
  private var units: [MetricName: (unit: HistoryMetric.Unit, line: Int)] = [:]
  /// The names of the metrics by the number of the series.
  private var names: [Int: Set<String>] = [:]

  mutating func add(
    _ entry: HistoryEntry, ofSeries series: Int, line: Int
  ) throws(Diagnostic) {
    let count = names[series]?.count ?? 0
    for metric in entry.metrics {
      names[series, default: []].insert(metric.name)
      let name = MetricName(source: entry.series.source, name: metric.name)
      guard let known = units[name] else {
        units[name] = (metric.unit, line)
        continue
      }
      guard known.unit != metric.unit else { continue }
      throw Diagnostic(
        "invalid unit of '\(metric.name)': expected \(known.unit.rawValue), as at line "
          + "\(known.line), found \(metric.unit.rawValue) (at line \(line))")
    }
    guard names[series]?.count ?? 0 <= HistoryEntry.maximumMetrics else {
      throw Diagnostic(
        "too many metrics: expected at most \(HistoryEntry.maximumMetrics) names in "
          + "\(entry.series.wording), which has \(count), found others (at line \(line))")
    }
  }
}

// MARK: Series

extension HistoryFile {
  /// All commits, each once, sorted by time, then by line. The time of a commit is the time of its first line.
  package var commits: [String] {
    var seen: Set<String> = []
    let first = entries.filter { seen.insert($0.commit).inserted }
    return first.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }.map(\.element.commit)
  }

  /// The entries of each series. The series ascend. The entries of a series are sorted by time and, at the same second,
  /// by line.
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
