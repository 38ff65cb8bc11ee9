import Budget
import ByteReading
import CommandSupport
import Foundation
import ImageModel
import Reports
import TestSupport
import Testing

/// `orderfile show` of a document that a command wrote.
@Suite struct ShownDocumentFileTests {
  static let schemas = (documents + historyDocuments + budgetDocuments).map { $0.schema }

  /// A document of each kind: the goldens of the reports, a budget, and a file of launches.
  private static func files() throws -> [String: [UInt8]] {
    var files = [
      "orderfile.budget/1": Array(
        #"{"limits": [{"max": 40, "metric": "pages.textPages"}], "schema": "orderfile.budget/1"}"#
          .utf8),
      "orderfile.launches/1": Array(
        #"{"launches": [{"command": ["app"], "name": "a"}], "schema": "orderfile.launches/1"}"#.utf8
      ),
    ]
    let names = try FileManager.default.subpathsOfDirectory(atPath: fixturesFolder.path)
    for name in names.sorted()
    where name.hasPrefix("reporting/") && name.hasSuffix("/expected.json")
      || ["check/expected.json", "history/trend.json", "history/of-pages.jsonl"].contains(name)
    {
      let bytes = try fixture(name)
      guard let schema = try InputFile.schema(of: FileBytes(bytes), name) else { continue }
      files[schema] = bytes
    }
    return files
  }

  private static func shown(_ bytes: [UInt8], _ name: String) throws -> ShownDocumentFile? {
    let workshop = try Workshop()
    try workshop.write(bytes, name)
    let shown = try ShownFile(path: workshop.folder.appendingPathComponent(name).path)
    guard case .document(let document) = shown.contents else { return nil }
    return document
  }

  @Test func everyDocumentIsShown() throws {
    let files = try Self.files()
    #expect(Set(files.keys) == Set(Self.schemas))
    for (schema, bytes) in files {
      let document = try #require(try Self.shown(bytes, "a.json"), "\(schema)")
      #expect(document.title.hasSuffix("(\(schema))"))
      #expect(document.bytes.copy(0..<document.bytes.count) == bytes)
      guard case .outline(let outline) = document.contents else { continue }
      #expect(!outline.text.isEmpty && outline.text.hasSuffix("\n"), "\(schema)")
    }
  }

  /// Every kind of document has a title, which equals the title of its schema.
  @Test func theTitleSaysWhichCommandWroteIt() throws {
    let kinds = Self.schemas.compactMap { $0.split { "./".contains($0) }.dropFirst().first }
      .map(String.init).filter { $0 != "history" }
    for kind in kinds {
      let schema = try parsedJSON(
        Array(
          Data(contentsOf: projectFolder.appendingPathComponent("docs/schemas/\(kind).json"))))
      #expect(schema["title"] as? String == ShownDocumentFile.title(of: kind))
    }
    let history = try #require(try Self.files()["orderfile.history/1"])
    #expect(
      try Self.shown(history, "h.jsonl")?.title.hasSuffix(
        "h.jsonl: a history (orderfile.history/1)")
        == true)
  }

  @Test(arguments: [
    (#"{"schema": "orderfile.bogus/1"}"#, "unknown document"),
    (#"{"schema": "other"}"#, "unknown document"),
    (#"{"schema": "orderfile.gen/1"}"#, "expected orderfile.gen/2, found orderfile.gen/1"),
    (#"{"name": "package"}"#, "missing schema"),
    (#"{"schema": "orderfile.gen/2", "images": ["#, "ends early"),
  ])
  func otherJSONIsAnError(text: String, message: String) throws {
    let error = #expect(throws: Diagnostic.self) { try Self.shown(Array(text.utf8), "a.json") }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  /// The name decides if the file is empty, or if its first line is not JSON.
  @Test func aHistoryIsKnownByItsName() throws {
    let error = #expect(throws: Diagnostic.self) {
      try Self.shown(Array("<<<<<<< HEAD\n".utf8), "h.jsonl")
    }
    #expect(error?.message.contains("merge-conflict marker") == true)
    guard case .history(let history)? = try Self.shown([], "h.jsonl")?.contents else {
      Issue.record("an empty file is an empty history")
      return
    }
    #expect(history.entries.isEmpty)
  }
}
