import Budget
import ByteReading
import Foundation
import ImageModel
import TestSupport

extension HistoryFile {
  init(_ text: String) throws(Diagnostic) {
    try self.init(parsing: FileBytes(Array(text.utf8)), path: "h.jsonl")
  }

  init(_ entries: [HistoryEntry]) throws(Diagnostic) {
    try self.init(entries.map { String(decoding: $0.line, as: UTF8.self) }.joined())
  }
}

extension HistoryEntry {
  /// Returns the pages of `app` at a commit, whose time is a second since 1970.
  static func pages(
    _ commit: String, _ seconds: Int, _ pages: Int, image: String = "app",
    _ pageSize: PageSize = .fourKibibytes
  ) -> HistoryEntry {
    HistoryEntry(
      commit: commit, time: HistoryTime(seconds: seconds),
      series: HistorySeries(.pages, image: image, architecture: "x86_64", pageSize: pageSize),
      metrics: [
        HistoryMetric("textPages", .pages, .lower, pages),
        HistoryMetric("dataPages", .pages, .lower, 12),
      ])
  }

  /// Returns the wall time on a machine, in milliseconds.
  static func time(
    _ commit: String, _ seconds: Int, _ milliseconds: Double, machine: String = "a, \"b\"=c\\d e",
    kernel: String = "Linux 6.1"
  ) -> HistoryEntry {
    HistoryEntry(
      commit: commit, time: HistoryTime(seconds: seconds),
      series: HistorySeries(
        .measure, image: "app", architecture: "arm64", pageSize: .fourKibibytes,
        launch: "--help\nx", machine: .init(name: machine, kernel: kernel, state: "warm")),
      metrics: [
        HistoryMetric(
          "wallTime", .seconds, .lower, milliseconds / 1000,
          sample: .init(low: milliseconds / 1024, high: milliseconds / 512, count: 30))
      ])
  }

  /// Two series of 26 commits. The pages change by three at the thirteenth commit; the time does not change.
  static let sample: [HistoryEntry] = {
    var entries: [HistoryEntry] = []
    for index in 0..<26 {
      let seconds = 1_700_000_000 + index * 60
      entries.append(pages("c\(index)", seconds, index < 12 ? 143 : 146))
      entries.append(time("c\(index)", seconds, 12 + Double(index % 2)))
    }
    return entries
  }()
}
