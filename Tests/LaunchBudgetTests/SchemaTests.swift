import Foundation
import History
import JSON
import LaunchBudget
import Reporting
import TestSupport
import Testing

/// The schemas in docs/schemas, by which others read documents. `SchemaIntegrations` validates documents by them.
@Suite struct SchemaTests {
  private static let folder = projectFolder.appendingPathComponent("docs/schemas")
  private static let parts = "parts.json"

  private static var written: [String] {
    (documents + historyDocuments + budgetDocuments).map { $0.schema }
  }

  private static func schema(_ name: String) throws -> [String: Any] {
    try parsedJSON(Array(Data(contentsOf: folder.appendingPathComponent(name))))
  }

  /// `orderfile.diff/3` is described by `diff.json`.
  private static func fileName(of schema: String) -> String {
    schema.prefix { $0 != "/" }.dropFirst("orderfile.".count) + ".json"
  }

  @Test func eachDocumentHasItsSchemaAndEachSchemaItsDocument() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(names.sorted() == (Self.written.map(Self.fileName) + [Self.parts]).sorted())
    for written in Self.written {
      let schema = try Self.schema(Self.fileName(of: written))
      let properties = try #require(schema["properties"] as? [String: Any])
      #expect((properties["schema"] as? [String: Any])?["const"] as? String == written)
      #expect((schema["required"] as? [String])?.contains("schema") ?? false, "\(written)")
      #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
    }
  }

  /// So that a new key fails, until the schema has it, too.
  @Test func noObjectMayHaveOtherMembers() throws {
    for name in Self.written.map(Self.fileName) + [Self.parts] {
      Self.forEachSchema(in: try Self.schema(name)) { schema in
        guard let properties = schema["properties"] as? [String: Any] else { return }
        #expect(schema["additionalProperties"] as? Bool == false, "\(name): \(properties.keys)")
        let required = schema["required"] as? [String] ?? []
        #expect(required.allSatisfy { properties[$0] != nil }, "\(name): \(required)")
      }
    }
  }

  @Test func whatASchemaRefersToExists() throws {
    var count = 0
    for name in Self.written.map(Self.fileName) + [Self.parts] {
      let whole = try Self.schema(name)
      try Self.forEachSchema(in: whole) { schema in
        guard let reference = schema["$ref"] as? String else { return }
        let words = reference.split(separator: "#", omittingEmptySubsequences: false)
        var value: Any? = words[0].isEmpty ? whole : try Self.schema(String(words[0]))
        for key in words.dropFirst().first?.split(separator: "/") ?? [] {
          value = (value as? [String: Any])?[String(key)]
        }
        #expect(value is [String: Any], "\(name): \(reference)")
        count += 1
      }
    }
    #expect(count > 10)
  }

  /// `schema` and all schemas within it; a member of `properties` is one, whatever its key.
  private static func forEachSchema(
    in value: Any, _ body: ([String: Any]) throws -> Void
  ) rethrows {
    guard let schema = value as? [String: Any] else { return }
    try body(schema)
    for key in ["properties", "$defs"] {
      for nested in (schema[key] as? [String: Any] ?? [:]).values {
        try forEachSchema(in: nested, body)
      }
    }
    if let items = schema["items"] { try forEachSchema(in: items, body) }
    for nested in schema["anyOf"] as? [Any] ?? [] { try forEachSchema(in: nested, body) }
  }
}
