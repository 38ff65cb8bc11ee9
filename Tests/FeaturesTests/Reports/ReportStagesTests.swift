import ByteReading
import Foundation
import Reports
import Stages
import TestSupport
import Testing

/// The parts of a `stages` document that a report reads.
@Suite struct ReportStagesTests {
  private static func tables(_ bytes: [UInt8]) throws(ParseError) -> [ReportStages] {
    try ReportStages.tables(parsing: FileBytes(bytes))
  }

  private static func golden() throws -> [UInt8] {
    Array(try fixture("reporting/stages/expected.json"))
  }

  @Test func eachTableHasItsRowsAndLaunches() throws {
    let value = try parsedJSON(try Self.golden())
    let stored = try #require(value["tables"] as? [[String: Any]])
    let tables = try Self.tables(try Self.golden())
    #expect(tables.count == stored.count && !tables.isEmpty)
    for (table, stored) in zip(tables, stored) {
      #expect(table.origins == stored["origins"] as? [String])
      #expect(table.nanoseconds == stored["typicalTotal"] as? Double)
      let rows = try #require(stored["rows"] as? [[String: Any]])
      #expect(table.rows.map(\.name) == rows.compactMap { $0["name"] as? String })
      let seconds = try #require(stored["seconds"] as? [[String: Int]])
      #expect(table.launches == seconds.compactMap { $0["launches"] }.reduce(0, +))
    }
  }

  @Test(arguments: [
    ("typicalTotal", "-1", "invalid typicalTotal: expected 0 to 1e+18 nanoseconds, found -1"),
    ("typicalTotal", "1e300", "invalid typicalTotal: expected 0 to 1e+18 nanoseconds"),
    ("typicalDelta", "\"1\"", "invalid typicalDelta"),
    ("typicalElapsed", "null", "invalid typicalElapsed"),
    ("source", "7", "invalid source"),
  ]) func saysWhatIsWrong(_ key: String, _ value: String, _ message: String) throws {
    let text = String(decoding: try Self.golden(), as: UTF8.self)
    let member = try #require(text.firstMatch(of: try Regex("\"\(key)\": [^,\n}]+")))
    let changed = text.replacingCharacters(in: member.range, with: "\"\(key)\": \(value)")
    let error = #expect(throws: ParseError.self) { try Self.tables(Array(changed.utf8)) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  @Test(.needs(.time)) func damagedDocumentsNeverTrapHostile() throws {
    let bytes = withoutIndentation(try Self.golden())
    var document = ReportDocument(title: "app", pageSize: .fourKibibytes)
    for length in hostilePrefixLengths(of: bytes) where length < bytes.count - 2 {
      #expect(throws: ParseError.self, "\(length)") { try Self.tables(Array(bytes[..<length])) }
    }
    for copy in byteFlips(of: bytes) {
      _ = try? MeasuredImages(parsing: FileBytes(copy))
      guard let tables = try? Self.tables(copy) else { continue }
      document.stages = tables
      #expect(throws: Never.self) { try parsedJSON(document.json()) }
    }
  }
}
