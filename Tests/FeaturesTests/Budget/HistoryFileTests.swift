import Budget
import ByteReading
import ImageModel
import TestSupport
import Testing

/// Returns the line of an entry as text.
private func line(_ entry: HistoryEntry) -> String { String(decoding: entry.line, as: UTF8.self) }

@Suite struct HistoryFileTests {
  @Test func readsWhatItWrites() throws {
    let text = HistoryEntry.sample.map(line).joined()
    #expect(try HistoryFile(text).entries == HistoryEntry.sample)
    #expect(try HistoryFile(text.replacing("\n", with: "\r\n\r\n")).entries == HistoryEntry.sample)
    #expect(try HistoryFile(String(text.dropLast())).entries == HistoryEntry.sample)
    #expect(try HistoryFile("").entries.isEmpty)
  }

  /// One history has a few commits, and one has enough commits for a change point.
  @Test(.needs(.time), arguments: [(entries: 8, flips: 1000), (entries: 52, flips: 100)])
  func damagedHistoriesNeverTrapHostile(entries: Int, flips: Int) throws {
    let bytes = Array(HistoryEntry.sample.prefix(entries).map(line).joined().utf8)
    for copy in byteFlips(of: bytes, count: flips) {
      guard let history = try? HistoryFile(parsing: FileBytes(copy), path: "h.jsonl") else {
        continue
      }
      for form in HistoryExport.allCases { _ = form.text(of: history) }
      _ = TrendText(TrendDocument(history)).text
    }
  }

  @Test func aLineIsOneLine() {
    #expect(
      line(.pages("a1", 1_700_000_000, 143)) == """
        {"architecture": "x86_64", "commit": "a1", "image": "app", "metrics": \
        [{"direction": "lower", "name": "textPages", "unit": "pages", "value": 143}, \
        {"direction": "lower", "name": "dataPages", "unit": "pages", "value": 12}], \
        "pageSizeBytes": 4096, "schema": "orderfile.history/1", "source": "pages", \
        "time": "2023-11-14T22:13:20Z"}

        """)
    for entry in HistoryEntry.sample { #expect(line(entry).count { $0 == "\n" } == 1) }
  }

  /// Branches append lines at the same place, so a merge may leave the lines in any order.
  @Test func theOrderOfLinesMeansNothing() throws {
    var random = SeededRandom(seed: 5)
    let sorted = try HistoryFile(HistoryEntry.sample)
    let shuffled = try HistoryFile(HistoryEntry.sample.shuffled(using: &random))
    #expect(sorted.bySeries.map(\.series) == shuffled.bySeries.map(\.series))
    #expect(sorted.bySeries.map(\.entries) == shuffled.bySeries.map(\.entries))
    #expect(sorted.bySeries.map(\.entries.count) == [26, 26])
  }

  @Test func anotherMachineKernelOrPageSizeBeginsASeries() throws {
    let file = try HistoryFile([
      .time("a", 1, 10), .time("b", 2, 10), .time("c", 3, 10, machine: "other"),
      .time("d", 4, 10, kernel: "Linux 6.2"), .pages("a", 1, 3),
      .pages("a", 1, 3, .sixteenKibibytes),
      .pages("a", 1, 3, image: "lib"),
    ])
    #expect(file.bySeries.map(\.entries.count) == [2, 1, 1, 1, 1, 1])
  }

  private static let valid = line(.pages("a1", 1_700_000_000, 143))

  @Test(arguments: [
    ("<<<<<<< HEAD", "the merge-conflict marker '<<<<<<<'"),
    ("||||||| 1f3a", "the merge-conflict marker '|||||||'"),
    ("=======", "the merge-conflict marker '======='"),
    (">>>>>>> branch", "the merge-conflict marker '>>>>>>>'"),
  ])
  func aMergeConflictIsAnErrorWithItsLine(marker: String, found: String) {
    #expect(
      throws: Diagnostic(
        "invalid history: found \(found) (at line 2)", context: ["h.jsonl"],
        hint:
          "keep the lines of both sides and remove the markers; 'merge=union' in .gitattributes "
          + "lets git do that")
    ) { try HistoryFile("\(Self.valid)\(marker)\n") }
  }

  @Test func aSecondLineAboutTheSameIsAnErrorWithBothLines() {
    let other = line(.pages("a1", 1_700_000_009, 144))
    #expect(
      throws: Diagnostic(
        "duplicate entry: commit a1 has figures of pages of app, x86_64, 4 KiB pages at lines 1 and 3",
        context: ["h.jsonl"],
        hint: "remove one of these lines, or distinguish launches with '--launch-name'")
    ) { try HistoryFile("\(Self.valid)\n\(other)") }
  }

  private static let hint = "a history has only lines that 'orderfile history add' wrote"

  @Test(arguments: [
    (
      "{\"schema\": \"orderfile.history/2\"}",
      "invalid schema: expected orderfile.history/1, found orderfile.history/2", hint
    ),
    ("{\"name\": \"x\", \"value\": 1}", "missing schema", hint),
    ("[1]", "invalid document: expected '{', found '['", hint),
    (String(valid.dropLast(20)), "ends early, in 'time' (at line 2, column 311)", nil),
    (
      valid.replacing("a1", with: "a 1"),
      "invalid commit: expected a name without blanks, found 'a 1'", nil
    ),
    (
      valid.replacing("2023-11", with: "2023-13"),
      "invalid time: expected a time such as 2026-11-23T16:40:00Z, found '2023-13-14T22:13:20Z'",
      nil
    ),
    (
      valid.replacing("dataPages", with: "textPages"),
      "invalid metrics: expected each name once, found 'textPages' again", nil
    ),
    (
      valid.replacing("dataPages", with: "Data"),
      "invalid name: expected a lower-case letter, then letters and digits, perhaps after a stage and a dot, found 'Data'",
      nil
    ),
    (valid.replacing("12}", with: "1e999}"), "invalid value: expected a number, found 1e999", nil),
    (
      valid.replacing("12}", with: "1e21}"),
      "invalid value: expected a number from 0 to 1e20, found 1e+21", nil
    ),
    (
      valid.replacing("12}", with: "-5}"),
      "invalid value: expected a number from 0 to 1e20, found -5.0", nil
    ),
    (
      valid.replacing("4096", with: "4000"),
      "invalid pageSizeBytes: expected a power of two of at least 512, found 4000", nil
    ),
  ])
  func aLineOfSomethingElseIsAnErrorWithItsNumber(text: String, message: String, hint: String?) {
    let place = message.hasSuffix(")") ? "" : " (at line 2)"
    #expect(throws: Diagnostic(message + place, context: ["h.jsonl"], hint: hint)) {
      try HistoryFile("\n\(text)\n")
    }
  }

  @Test func aLineHasAtMost1000Metrics() {
    let metric =
      "{\"direction\": \"lower\", \"name\": \"textPages\", \"unit\": \"pages\", \"value\": 143}"
    let many = (0..<1000).map { metric.replacing("textPages", with: "a\($0)") + ", " }.joined()
    #expect(
      throws: Diagnostic(
        "invalid metrics: expected 1 to 1000, found 1002 (at line 1)", context: ["h.jsonl"])
    ) { try HistoryFile(Self.valid.replacing(metric, with: many + metric)) }
  }

  @Test func aSeriesHasAtMost1000Metrics() {
    let lines = (0..<999).map { index in
      line(.pages("c\(index)", index, 1)).replacing("textPages", with: "a\(index)")
    }
    let last = line(.pages("d", 1, 1)).replacing("textPages", with: "b")
    #expect(
      throws: Diagnostic(
        "too many metrics: expected at most 1000 names in pages of app, x86_64, 4 KiB pages, which "
          + "has 1000, found others (at line 1000)", context: ["h.jsonl"])
    ) { try HistoryFile(lines.joined() + last) }
    #expect(throws: Never.self) { try HistoryFile(lines.joined()) }
  }

  @Test func aMetricHasOneUnit() {
    let other = line(.pages("b2", 1_700_000_009, 144)).replacing(
      "\"pages\", \"value\": 144", with: "\"bytes\", \"value\": 144")
    #expect(
      throws: Diagnostic(
        "invalid unit of 'textPages': expected pages, as at line 1, found bytes (at line 2)",
        context: ["h.jsonl"])
    ) { try HistoryFile(Self.valid + other) }
  }
}
