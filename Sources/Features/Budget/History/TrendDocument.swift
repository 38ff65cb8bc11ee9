import ChangePoints
import JSON
import PagesFormat

/// The result of `orderfile history trend`: the commits at which a metric changed.
package struct TrendDocument: Hashable, Sendable {
  package var detection: ChangePointDetection
  /// The series, in ascending order.
  package var series: [Series]

  package struct Series: Hashable, Sendable {
    package var series: HistorySeries
    /// The number of commits.
    package var commits: Int
    /// The metrics, by name.
    package var metrics: [Metric]
  }

  /// A metric of a series.
  package struct Metric: Hashable, Sendable {
    /// The latest value.
    package var latest: HistoryMetric
    /// The number of commits that have the metric.
    package var commits: Int
    /// The changes, by time.
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
    package var point: ChangePoint
  }

  /// Finds the changes that `orderfile history trend` shows without options.
  package init(_ history: HistoryFile) { self.init(history, ChangePointDetection()) }

  /// - Complexity: the complexity of the detection, for each metric of each series.
  package init(_ history: HistoryFile, _ detection: ChangePointDetection) {
    self.detection = detection
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
        Metric($0.value, in: entries, detection) { previous, next in
          let (start, end) = (numbers[previous] ?? 0, numbers[next] ?? 0)
          return start + 1 < end ? Array(commits[start + 1..<end]) : []
        }
      }
      return Series(series: series, commits: entries.count, metrics: metrics)
    }
  }
}

extension TrendDocument.Metric {
  /// The indices of an entry and of a metric of it.
  fileprivate typealias Place = (entry: Int, metric: Int)

  /// - Parameters:
  ///   - places: the places of the metric, at least one.
  ///   - entries: the entries of the series, by time.
  ///   - between: returns the commits between two commits, by time.
  fileprivate init(
    _ places: [Place], in entries: [HistoryEntry], _ detection: ChangePointDetection,
    between: (String, String) -> [String]
  ) {
    let values = places.map { entries[$0.entry].metrics[$0.metric] }
    self.init(
      latest: values[values.count - 1], commits: values.count,
      changes: detection.changePoints(in: values.map(\.value)).map { point in
        let first = entries[places[point.index].entry]
        let previous = entries[places[point.index - 1].entry].commit
        return TrendDocument.Change(
          commit: first.commit, time: first.time, previous: previous,
          unknown: between(previous, first.commit), point: point)
      })
  }
}

// MARK: JSON

extension TrendDocument: JSONDocument {
  package static let schema = "orderfile.trend/1"

  package func writeMembers(to json: inout JSONWriter) {
    json.member("maximumP", detection.maximumP)
    json.member("minimumChange", detection.minimumChange)
    json.member("schema", Self.schema)
    json.array("series") { json in
      for series in series { json.object(isInline: false) { series.writeMembers(to: &$0) } }
    }
    json.member("window", detection.window)
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
    json.member("after", change.point.after.mean)
    json.member("before", change.point.before.mean)
    json.member("change", change.point.change)
    json.member("commit", change.commit)
    if let isBetter = isBetter(change) { json.member("isBetter", isBetter) }
    json.member("p", change.point.p)
    json.member("previousCommit", change.previous)
    json.member("time", change.time)
    json.member("unknownCommits", change.unknown)
  }

  /// Returns whether the change is better; `nil` if neither direction is better.
  package func isBetter(_ change: TrendDocument.Change) -> Bool? {
    latest.isBetter(increase: change.point.after.mean > change.point.before.mean)
  }
}
