import Budget
import ByteReading
import ImageModel
import TestSupport
import Testing

@Suite struct CommittedDocumentTests {
  private static func entries(_ text: [UInt8]) throws -> [HistoryEntry] {
    try CommittedDocument(parsing: FileBytes(text), path: "a.json").entries(
      commit: "c", time: HistoryTime(seconds: 0), launch: nil,
      architecture: { (image) throws(Diagnostic) in
        image.architecture ?? Architecture("of-\(image.path)")
      })
  }

  /// The documents are the goldens of the reports, so that a change of a document is noticed.
  @Test(arguments: [
    "audit", "auto", "diff/with-order", "diff/traced", "measure/cold-and-warm", "measure/memory",
    "pages", "verify",
  ])
  func takesTheFiguresOfWhatTheCommandsWrite(_ name: String) throws {
    let entries = try Self.entries(fixture("reporting/\(name)/expected.json"))
    let text = String(decoding: entries.flatMap(\.line), as: UTF8.self)
    try expectGolden(text, "history/of-\(name.replacing("/", with: "-")).jsonl")
    #expect(try HistoryFile(text).entries == entries)
  }

  /// Only the first sample of `gen` is used, because several samples have the same name.
  @Test func takesTheFiguresOfAnOrderFile() throws {
    let entries = try Self.entries(fixture("reporting/gen/expected.json"))
    #expect(entries.count == 4)
    try expectGolden(String(decoding: entries[0].line, as: UTF8.self), "history/of-gen.jsonl")
    #expect(throws: Diagnostic.self) { try HistoryFile(entries) }
  }

  @Test func refusesADiffThatPredictsNothing() throws {
    let figures = String(
      decoding: try fixture("reporting/diff/traced/expected.json"), as: UTF8.self)
    let text =
      "{\"recordedOnly\": \(figures), \"refusal\": \"it saw little\", \(figures.dropFirst())"
    #expect(
      throws: Diagnostic(
        "invalid document: it predicts nothing, because it saw little", context: ["a.json"])
    ) { try Self.entries(Array(text.utf8)) }
  }

  private static let hint =
    "give a document that one of these commands has written with --json: audit, auto, diff, faults, gen, measure, pages, stages, verify"
  private static let schemas =
    "orderfile.audit/1, orderfile.auto/1, orderfile.diff/3, orderfile.faults/1, orderfile.gen/2, orderfile.measure/2, orderfile.pages/1, orderfile.stages/1, orderfile.verify/1"

  @Test(arguments: [
    (
      "{\"schema\": \"orderfile.refine/1\"}",
      "invalid schema: expected one of \(schemas), found 'orderfile.refine/1' (at offset 0xb)", hint
    ),
    (
      "{\"schema\": \"orderfile.pages/9\"}",
      "invalid schema: expected one of \(schemas), found 'orderfile.pages/9' (at offset 0xb)", hint
    ),
    ("{}", "missing schema (at offset 0x0)", hint),
    ("x", "invalid document: expected '{', found 'x' (at offset 0x0)", nil),
    (
      "{\"schema\": \"orderfile.gen/2\", \"images\": []}",
      "invalid document: expected figures of an image, found none", nil
    ),
  ])
  func refusesOtherDocuments(text: String, message: String, hint: String?) {
    #expect(throws: Diagnostic(message, context: ["a.json"], hint: hint)) {
      try Self.entries(Array(text.utf8))
    }
  }
}
