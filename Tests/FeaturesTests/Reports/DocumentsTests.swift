import Budget
import ByteReading
import CommandSupport
import Foundation
import JSON
import Reports
import TestSupport
import Testing

@Suite struct DocumentsTests {
  @Test func eachKindOfDocumentHasASchemaOfItsOwn() {
    let schemas = documents.map { $0.schema }
    #expect(Set(schemas).count == schemas.count)
    for schema in schemas { #expect(schema.wholeMatch(of: /orderfile\.[a-z]+\/[0-9]+/) != nil) }
  }

  /// This shows that the list has every kind of document, and that each kind has a golden, except files of launches:
  /// people write them.
  @Test func theGoldensAreOfAllKinds() throws {
    let folder = fixturesFolder.appendingPathComponent("reporting")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var found: Set<String> = []
    for case let file as URL in files ?? .init() where file.lastPathComponent == "expected.json" {
      let value = try parsedJSON(Array(Data(contentsOf: file)))
      found.insert(try #require(value["schema"] as? String, "\(file.path)"))
    }
    #expect(found.union([LaunchSet.schema]) == Set(documents.map { $0.schema }))
  }

  /// This test fails if reading or writing loses or exchanges a key, or if keys are out of order in a document that is
  /// sent in pieces.
  @Test func whatIsReadIsWrittenAgain() throws {
    let types = (documents + historyDocuments + budgetDocuments).compactMap {
      $0 as? any ReadableDocument.Type
    }
    var found: Set<String> = []
    let files = FileManager.default.enumerator(at: fixturesFolder, includingPropertiesForKeys: nil)
    for case let file as URL in files ?? .init()
    where file.pathExtension == "json" && !file.path.contains("/released/") {
      let bytes = try Array(Data(contentsOf: file))
      let schema = (try? parsedJSON(bytes))?["schema"] as? String
      guard let type = types.first(where: { $0.schema == schema }) else { continue }
      found.insert(type.schema)
      try expectReadIsWritten(type, bytes, file.path)
    }
    #expect(found.count >= 5, "\(found.sorted())")
  }

  private func expectReadIsWritten(
    _ type: (some ReadableDocument).Type, _ bytes: [UInt8], _ path: String
  ) throws {
    let document = try type.init(parsing: FileBytes(bytes))
    let expected = String(decoding: bytes, as: UTF8.self)
    #expect(String(decoding: document.json(), as: UTF8.self) == expected, "\(path)")
    #expect(
      String(decoding: collected { document.json(to: $0) }, as: UTF8.self) == expected, "\(path)")
  }
}
