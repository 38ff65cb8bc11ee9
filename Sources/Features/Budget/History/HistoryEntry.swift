import ByteReading
import ImageModel
import JSON
import PagesFormat

/// All kinds of documents about histories; `--version` lists their schemas.
package let historyDocuments: [any JSONDocument.Type] = [HistoryEntry.self, TrendDocument.self]

/// A line of a history: the figures of one commit in one series.
package struct HistoryEntry: Hashable, Sendable {
  /// The name of the commit in the version control system, without blanks.
  package var commit: String
  package var time: HistoryTime
  package var series: HistorySeries
  /// The metrics of the commit: at least one, and at most `maximumMetrics`. No two metrics have the same name.
  package var metrics: [HistoryMetric]

  package init(
    commit: String, time: HistoryTime, series: HistorySeries, metrics: [HistoryMetric]
  ) {
    self.commit = commit
    self.time = time
    self.series = series
    self.metrics = metrics
  }

  /// The greatest number of metrics in an entry, and of different names in the entries of a series. Only a document of
  /// `stages` has more than a dozen metrics: two for each event of a launch.
  static let maximumMetrics = 1000

  /// Whether `text` can name a commit: not empty, at most 200 bytes, no blanks and control characters.
  package static func isCommit(_ text: String) -> Bool {
    (1...200).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy {
        $0.value > 0x20 && $0.value != 0x7f && !$0.properties.isWhitespace
      }
  }

  package func metric(_ name: String) -> HistoryMetric? { metrics.first { $0.name == name } }
}

/// This extension writes and reads the members itself: the figures of a line are read only when they are needed
/// (`HistoryHeading`), and the members of a machine are written together or not at all.
extension HistoryEntry: ReadableDocument {
  package static let schema = "orderfile.history/1"

  package func writeMembers(to json: inout JSONWriter) {
    json.member("architecture", series.architecture)
    json.member("commit", commit)
    json.member("image", series.image)
    if let machine = series.machine { json.member("kernel", machine.kernel) }
    json.optional("launch", series.launch)
    if let machine = series.machine { json.member("machine", machine.name) }
    json.member("metrics", metrics)
    json.optional("pageSizeBytes", series.pageSize)
    json.member("schema", Self.schema)
    json.member("source", series.source.rawValue)
    if let machine = series.machine { json.member("state", machine.state) }
    json.member("time", time)
  }

  /// The entry as JSON on one line, with a newline at its end.
  package var line: [UInt8] { JSONWriter.line { writeMembers(to: &$0) } }

  package init(parsing bytes: FileBytes) throws(ParseError) {
    self = try HistoryHeading(parsing: bytes).entry()
  }
}

/// The commit, the time and the series of a line of a history. The figures of the line are not read yet.
struct HistoryHeading {
  let commit: String
  let time: HistoryTime
  let series: HistorySeries
  private let object: JSONObject

  /// - Throws: an error if the line is not a line of a history, and also if its figures are not JSON.
  init(parsing bytes: FileBytes) throws(ParseError) {
    object = try JSONObject(document: bytes, schema: HistoryEntry.schema)
    commit = try object.value("commit")
    guard HistoryEntry.isCommit(commit) else {
      throw object.invalid(
        "commit", expected: "a name without blanks", found: "'\(commit.prefix(40))'")
    }
    time = try object.value("time")
    series = HistorySeries(
      try object.value("source"), image: try object.value("image"),
      architecture: try object.value("architecture"),
      pageSize: try object.optional("pageSizeBytes"), launch: try object.optional("launch"),
      machine: object.has("machine")
        ? HistorySeries.Machine(
          name: try object.value("machine"), kernel: try object.value("kernel"),
          state: try object.value("state")) : nil)
  }

  /// Reads the figures of the line.
  func entry() throws(ParseError) -> HistoryEntry {
    let metrics: [HistoryMetric] = try object.value("metrics")
    guard (1...HistoryEntry.maximumMetrics).contains(metrics.count) else {
      throw object.invalid(
        "metrics", expected: "1 to \(HistoryEntry.maximumMetrics)", found: "\(metrics.count)")
    }
    var names: Set<String> = []
    for metric in metrics where !names.insert(metric.name).inserted {
      throw object.invalid("metrics", expected: "each name once", found: "'\(metric.name)' again")
    }
    return HistoryEntry(commit: commit, time: time, series: series, metrics: metrics)
  }
}
