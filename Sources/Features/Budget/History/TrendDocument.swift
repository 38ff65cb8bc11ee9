import ChangePoints
import ImageModel
import JSON
import PagesFormat

/// The result of `orderfile history trend`: the commits at which a metric changed.
package struct TrendDocument: Hashable, Sendable {
  package var method: Method
  /// The series, in ascending order.
  package var series: [Series]
  /// The commits that git knows, by their names in the history. In a report these are all commits of the history,
  /// otherwise only the commits with changes.
  package var commits: [String: GitCommitName] = [:]

  /// The method that distinguishes changes from chance.
  package enum Method: Hashable, Sendable {
    /// The method of `LevelChangeDetection`. `minimumChange` is a share of the lower level.
    case ranks(minimumChange: Double)
    /// The method of Apache Otava.
    case otava(ChangePointDetection)

    /// The least change that the method finds, as a share.
    package var minimumChange: Double {
      switch self {
      case .ranks(let minimumChange): minimumChange
      case .otava(let detection): detection.minimumChange
      }
    }
  }

  package struct Series: Hashable, Sendable {
    package var series: HistorySeries
    /// The number of commits in the series.
    package var commits: Int
    /// The metrics of the series, in ascending order of their names.
    package var metrics: [Metric]
  }

  /// A metric of a series.
  package struct Metric: Hashable, Sendable {
    /// The latest value of the series.
    package var latest: HistoryMetric
    /// The number of commits that have the metric.
    package var commits: Int
    /// The changes of the metric, in ascending order of time.
    package var changes: [Change]
  }

  package struct Change: Hashable, Sendable {
    /// The first commit with the changed figure.
    package var commit: String
    package var time: HistoryTime
    /// The last commit before `commit` that has the figure.
    package var previous: String
    /// The commits between `previous` and `commit`, by time. They lack the figure, so each of them may have made the
    /// change.
    package var unknown: [String]
    /// The level of the figure since the previous change: the median, or the mean for `Method.otava`.
    package var before: Double
    /// The level of the figure until the next change: the median, or the mean for `Method.otava`.
    package var after: Double
    /// The probability that chance alone makes the values before and after differ as much.
    package var p: Double

    /// The change as a share of the level before; `nil` if the level before is 0.
    package var share: Double? { before == 0 ? nil : after / before - 1 }
  }

  /// Finds the changes that `orderfile history trend` shows without options.
  package init(_ history: HistoryFile) { self.init(history, .ranks(minimumChange: 0)) }

  /// Finds the changes that Apache Otava's method finds.
  package init(_ history: HistoryFile, _ detection: ChangePointDetection) {
    self.init(history, .otava(detection))
  }

  /// - Complexity: for each metric of each series, the complexity of detecting its changes.
  package init(_ history: HistoryFile, _ method: Method) {
    self.method = method
    let commits = history.commits
    var numbers: [String: Int] = [:]
    for (place, commit) in commits.enumerated() { numbers[commit] = place }
    series = history.bySeries.map { series, entries in
      var placesByName: [String: [Metric.Place]] = [:]
      for entry in entries.indices {
        for (metric, value) in entries[entry].metrics.enumerated() {
          placesByName[value.name, default: []].append((entry, metric))
        }
      }
      let metrics = placesByName.sorted { $0.key < $1.key }.map {
        Metric($0.value, in: entries, method) { previous, next in
          let (start, end) = (numbers[previous] ?? 0, numbers[next] ?? 0)
          return start + 1 < end ? Array(commits[start + 1..<end]) : []
        }
      }
      return Series(series: series, commits: entries.count, metrics: metrics)
    }
  }

  /// The commits with changes, each once, in the order of the series.
  package var changedCommits: [String] {
    var seen: Set<String> = []
    return series.flatMap(\.metrics).flatMap(\.changes).map(\.commit).filter {
      seen.insert($0).inserted
    }
  }
}

extension TrendDocument.Metric {
  /// The indices of an entry and of a metric of it.
  fileprivate typealias Place = (entry: Int, metric: Int)

  /// - Parameters:
  ///   - places: the places where the entries have the metric, at least one.
  ///   - entries: the entries of the series, by time.
  ///   - between: returns the commits between two commits, by time.
  fileprivate init(
    _ places: [Place], in entries: [HistoryEntry], _ method: TrendDocument.Method,
    between: (String, String) -> [String]
  ) {
    let values = places.map { entries[$0.entry].metrics[$0.metric] }
    let latest = values[values.count - 1]
    func change(at index: Int, from before: Double, to after: Double, p: Double)
      -> TrendDocument.Change
    {
      let first = entries[places[index].entry]
      let previous = entries[places[index - 1].entry].commit
      return TrendDocument.Change(
        commit: first.commit, time: first.time, previous: previous,
        unknown: between(previous, first.commit), before: before, after: after, p: p)
    }
    let changes: [TrendDocument.Change]
    switch method {
    case .ranks(let minimumChange):
      let detection = LevelChangeDetection(
        isMeasured: values.contains { $0.sample != nil }, leastChange: latest.unit.leastChange,
        leastShare: max(minimumChange, HistoryMetric.Unit.leastShare))
      changes = detection.changes(in: values.map(\.value)).map {
        change(at: $0.index, from: $0.before, to: $0.after, p: $0.p)
      }
    case .otava(let detection):
      changes = detection.changePoints(in: values.map(\.value)).map {
        change(at: $0.index, from: $0.before.mean, to: $0.after.mean, p: $0.p)
      }
    }
    self.init(latest: latest, commits: values.count, changes: changes)
  }
}

extension HistoryMetric.Unit {
  /// The least change of a figure that can matter: a whole page, a whole function, or the last digit that is printed.
  var leastChange: Double {
    switch self {
    case .entries, .faults, .findings, .functions, .instructions, .libraries, .pages, .requests,
      .tasks, .windows, .words:
      1
    case .milliseconds: 0.001
    case .bytes: Double(PageSize.fourKibibytes.bytes)
    case .ratio: 0.001
    case .seconds: 1e-6
    }
  }

  /// The least change that can matter, as a share of a figure: smaller changes are printed as 0.0%.
  static let leastShare = 0.0005
}

// MARK: JSON

extension TrendDocument: JSONDocument {
  package static let schema = "orderfile.trend/1"

  package func writeMembers(to json: inout JSONWriter) {
    let names = commits.sorted { $0.key < $1.key }
    json.array("commits") { json in
      for (commit, name) in names {
        json.object { json in
          json.member("commit", commit)
          json.member("shortHash", name.shortHash)
          json.member("subject", name.subject)
        }
      }
    }
    switch method {
    case .ranks:
      json.member("maximumP", LevelChangeDetection.greatestP)
      json.member("method", "ranks")
    case .otava(let detection):
      json.member("maximumP", detection.maximumP)
      json.member("method", "otava")
    }
    json.member("minimumChange", method.minimumChange)
    json.member("schema", Self.schema)
    json.array("series") { json in
      for series in series { json.object(isInline: false) { series.writeMembers(to: &$0) } }
    }
    if case .otava(let detection) = method { json.member("window", detection.window) }
  }
}

extension TrendDocument.Series: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("architecture", series.architecture)
    json.member("commits", commits)
    json.member("image", series.image)
    if let machine = series.machine { json.member("kernel", machine.kernel) }
    json.optional("launch", series.launch)
    if let machine = series.machine { json.member("machine", machine.name) }
    json.array("metrics") { json in
      for metric in metrics { json.object(isInline: false) { metric.writeMembers(to: &$0) } }
    }
    json.optional("pageSizeBytes", series.pageSize)
    json.member("source", series.source.rawValue)
    if let machine = series.machine { json.member("state", machine.state) }
  }
}

extension TrendDocument.Metric: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.array("changes") { json in
      for change in changes { json.object { write(change, to: &$0) } }
    }
    json.member("commits", commits)
    json.member("direction", latest.direction.rawValue)
    json.member("latest", ShortNumber(latest.value))
    json.member("name", latest.name)
    json.member("unit", latest.unit.rawValue)
  }

  private func write(_ change: TrendDocument.Change, to json: inout JSONWriter) {
    json.member("after", change.after)
    json.member("before", change.before)
    json.member("change", change.share)
    json.member("commit", change.commit)
    if let isBetter = isBetter(change) { json.member("isBetter", isBetter) }
    json.member("p", change.p)
    json.member("previousCommit", change.previous)
    json.member("time", change.time)
    json.member("unknownCommits", change.unknown)
  }

  /// Returns whether the change is better; `nil` if neither direction is better.
  package func isBetter(_ change: TrendDocument.Change) -> Bool? {
    latest.isBetter(increase: change.after > change.before)
  }
}
