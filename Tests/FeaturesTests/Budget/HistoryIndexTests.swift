import Budget
import ByteReading
import ImageModel
import TestSupport
import Testing

/// The parts of a history that `history add` reads.
@Suite struct HistoryIndexTests {
  private func index(_ text: String) throws(Diagnostic) -> HistoryIndex {
    try HistoryIndex(parsing: FileBytes(Array(text.utf8)), path: "h.jsonl")
  }

  private static let text = HistoryEntry.sample.map(\.text).joined()

  @Test func addsWhatTheHistoryLacks() throws {
    var index = try index(Self.text)
    try index.add(.pages("new", 1_700_009_999, 150))
    try index.add(.time("new", 1_700_009_999, 12))
    #expect(
      throws: Diagnostic(
        "duplicate entry: commit new already has figures of pages of app, x86_64, 4 KiB pages (at line 53)",
        hint:
          "remove that line to replace the figures, or distinguish launches with '--launch-name'")
    ) { try index.add(.pages("new", 1_700_009_999, 151)) }
  }

  @Test func refusesASecondEntryOfACommitAndSeries() throws {
    var index = try index(Self.text)
    #expect(
      throws: Diagnostic(
        "duplicate entry: commit c3 already has figures of pages of app, x86_64, 4 KiB pages (at line 7)",
        hint:
          "remove that line to replace the figures, or distinguish launches with '--launch-name'")
    ) { try index.add(.pages("c3", 1, 150)) }
  }

  @Test func refusesAnotherUnitThanThatOfTheLastLine() throws {
    var index = try index(Self.text)
    var other = HistoryEntry.pages("new", 1_700_009_999, 150)
    other.metrics[0].unit = .bytes
    #expect(
      throws: Diagnostic(
        "invalid unit of 'textPages': expected pages, as at line 51, found bytes (at line 53)")
    ) { try index.add(other) }
  }

  /// A history gets longer with each commit. Adding a line must not read the figures of all commits.
  @Test func readsNoFiguresButThoseOfTheLastLineOfASeries() throws {
    let bad = Self.text.replacing("\"value\": 143}", with: "\"value\": -1}")
    #expect(throws: Diagnostic.self) { try HistoryFile(bad) }
    var index = try index(bad)
    try index.add(.pages("new", 1_700_009_999, 150))
    let last = Self.text.replacing("\"value\": 146}", with: "\"value\": -1}")
    #expect(
      throws: Diagnostic(
        "invalid value: expected a number from 0 to 1e20, found -1.0 (at line 51)",
        context: ["h.jsonl"])
    ) { try self.index(last) }
  }

  @Test(arguments: [
    "[1]", "{\"schema\": \"orderfile.history/2\"}", "<<<<<<< HEAD", "{\"schema\": 1}",
    String(HistoryEntry.pages("x", 1, 1).text.dropLast(20)),
    HistoryEntry.pages("a b", 1, 1).text, HistoryEntry.pages("c0", 1, 1).text,
    HistoryEntry.pages("x", 1, 1).text.replacing("12}", with: "12"),
    HistoryEntry.pages("x", 1, 1).text.replacing("-01-", with: "-13-"),
  ])
  func findsTheSameErrorsAsAWholeRead(line: String) throws {
    let text = Self.text + line
    do {
      _ = try HistoryFile(text)
      Issue.record("expected an error of '\(line)'")
    } catch let expected {
      #expect(throws: expected) { try self.index(text) }
    }
  }

  @Test(.needs(.time)) func damagedHistoriesNeverTrapHostile() throws {
    let bytes = Array(Self.text.utf8.prefix(3000))
    for copy in byteFlips(of: bytes, count: 1000) {
      var index = try? HistoryIndex(parsing: FileBytes(copy), path: "h.jsonl")
      try? index?.add(.pages("new", 1, 150))
    }
  }
}

extension HistoryEntry {
  fileprivate var text: String { String(decoding: line, as: UTF8.self) }
}
