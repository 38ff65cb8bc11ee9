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

  /// So none is missing in the list, and none is without a golden.
  @Test func theGoldensAreOfAllKinds() throws {
    let folder = fixturesFolder.appendingPathComponent("reporting")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var found: Set<String> = []
    for case let file as URL in files ?? .init() where file.lastPathComponent == "expected.json" {
      let value = try parsedJSON(Array(Data(contentsOf: file)))
      found.insert(try #require(value["schema"] as? String, "\(file.path)"))
    }
    #expect(found == Set(documents.map { $0.schema }))
  }
}
