import Audit
import Budget
import CommandSupport
import Counting
import FaultEstimate
import Foundation
import FunctionOrder
import JSON
import LaunchMeasurement
import Ordering
import PagesFormat
import Prediction
import Projects
import Rendering
import Reports
import Stages
import TestSupport
import Testing

/// The schemas in docs/schemas, with which other programs read documents. `SchemaIntegrations` validates documents
/// against them.
@Suite struct SchemaTests {
  private static let folder = projectFolder.appendingPathComponent("docs/schemas")
  private static let parts = "parts.json"

  private static var written: [String] {
    (documents + historyDocuments + budgetDocuments).map { $0.schema }
  }

  private static func schema(_ name: String) throws -> [String: Any] {
    try parsedJSON(Array(Data(contentsOf: folder.appendingPathComponent(name))))
  }

  /// The file name of a schema: `diff.json` describes `orderfile.diff/3`.
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
      #expect(schema["$id"] as? String == Self.fileName(of: written))
    }
  }

  /// A string without a closed set of words or a form needs a sentence that says what it is.
  @Test func eachStringIsConstrainedOrDescribed() throws {
    var count = 0
    for name in Self.written.map(Self.fileName) + [Self.parts] {
      Self.forEachSchema(in: try Self.schema(name)) { schema in
        for (key, value) in schema["properties"] as? [String: Any] ?? [:] {
          guard let member = value as? [String: Any], Self.isFreeText(member) else { continue }
          let description = member["description"] as? String ?? ""
          #expect(description.hasSuffix(".") && description.count > 5, "\(name): \(key)")
          count += 1
        }
      }
    }
    #expect(count > 100)
  }

  /// Whether a member, or an element of it, may be any string.
  private static func isFreeText(_ member: [String: Any]) -> Bool {
    let types = member["type"] as? [String] ?? [member["type"] as? String ?? ""]
    if types.contains("array"), let items = member["items"] as? [String: Any] {
      return isFreeText(items)
    }
    return types.contains("string")
      && ["enum", "const", "pattern", "format"].allSatisfy { member[$0] == nil }
  }

  /// A new word fails this test until the schema has it, too.
  @Test(arguments: [
    ("audit", "format", ["ELF", "Mach-O"]),
    ("audit", "libraries/[]/neededBy/[]/kind", words(AuditedLibrary.LoadKind.self)),
    ("audit", "libraries/[]/unrequested", words(AuditedLibrary.Unrequested.self)),
    ("auto", "method", words(AutoDocument.RecordingMethod.self)),
    ("check", "limits/[]/causes/[]/kind", words(RegressionCause.Kind.self)),
    ("check", "limits/[]/outcome", words(CheckOutcome.self)),
    ("check", "outcome", words(CheckOutcome.self)),
    ("diff", "linuxFaults/cold/[]/readAhead", words(LinuxKernel.ReadAhead.self)),
    ("diff", "measuredPages/after/causes/[]/cause", PageAccount.Cause.allCases.map(\.rawValue)),
    (
      "diff", "measuredPages/after/dataPrediction/onlyMeasured/[]/by",
      words(DataPageAccount.Toucher.self)
    ),
    ("diff", "newCode/comparedWith", words(NewCode.Reference.self)),
    ("diff", "recordableUnknown", words(RecordableUnknown.self)),
    ("doctor", "findings/[]/area", words(Finding.Area.self)),
    ("doctor", "findings/[]/severity", words(Finding.Severity.self)),
    ("doctor", "subject", words(DoctorDocument.Subject.self)),
    ("faults", "cache", words(CacheState.self)),
    ("faults", "device/kind", words(DeviceSettings.Kind.self)),
    ("faults", "faults/[]/kind", words(FaultsDocument.Kind.self)),
    ("gen", "images/[]/linkerSource", words(OrderedImage.LinkerSource.self)),
    ("gen", "images/[]/strategy", words(OrderStrategy.self)),
    ("gen", "unused/[]/reason", words(UnusedHits.Reason.self)),
    ("history", "metrics/[]/direction", words(HistoryMetric.Direction.self)),
    ("history", "metrics/[]/unit", words(HistoryMetric.Unit.self)),
    ("history", "source", words(HistorySeries.Source.self)),
    ("measure", "device/kind", words(DeviceSettings.Kind.self)),
    ("measure", "layouts/states/[]/comparisons/[]/metric", words(LaunchMetric.self)),
    ("measure", "layouts/states/[]/comparisons/[]/verdict", words(ProgramComparison.Verdict.self)),
    ("measure", "layouts/states/[]/state", words(CacheState.self)),
    ("measure", "memory/comparisons/[]/metrics/[]/metric", words(LaunchMetric.self)),
    ("measure", "memory/sides/[]/mappings/[]/kind", words(MemoryFigures.Kind.self)),
    ("measure", "memory/sides/[]/moment", words(MemoryFigures.Moment.self)),
    ("measure", "states/[]/comparisons/[]/metrics/[]/metric", words(LaunchMetric.self)),
    (
      "measure", "states/[]/comparisons/[]/metrics/[]/verdict",
      words(ProgramComparison.Verdict.self)
    ),
    ("measure", "states/[]/state", words(CacheState.self)),
    ("pages", "images/[]/memory/mappings/[]/kind", words(MemoryFigures.Kind.self)),
    ("report", "faults/[]/side", words(ReportLayout.Side.self)),
    ("report", "layouts/[]/side", words(ReportLayout.Side.self)),
    ("report", "stages/[]/rows/[]/kind", words(LaunchStage.Kind.self)),
    ("summary", "command", words(LaunchSummary.Command.self)),
    ("summary", "groups/[]/cache", words(CacheState.self)),
    ("stages", "device/kind", words(DeviceSettings.Kind.self)),
    ("stages", "tables/[]/source", words(StageTable.Source.self)),
    ("verify", "prefetch/state", words(PrefetchedRegion.State.self)),
    ("verify", "problems/[]/kind", words(VerifyDocument.Kind.self)),
  ]) func closedSetsAreThoseOfTheCode(_ name: String, _ path: String, _ words: [String]) throws {
    var value: Any? = try Self.schema("\(name).json")
    for key in path.split(separator: "/") {
      let schema = value as? [String: Any]
      value =
        key == "[]" ? schema?["items"] : (schema?["properties"] as? [String: Any])?[String(key)]
    }
    let stated = try #require((value as? [String: Any])?["enum"] as? [Any], "\(path)")
    #expect(stated.compactMap { $0 as? String }.sorted() == words.sorted())
  }

  private static func words<Words: RawRepresentable & CaseIterable>(_: Words.Type) -> [String]
  where Words.RawValue == String { Words.allCases.map(\.rawValue) }

  /// A new key fails the tests until the schema has it, too.
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

  /// Calls `body` with `schema` and all schemas within it. Each member of `properties` is a schema, whatever its key.
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
