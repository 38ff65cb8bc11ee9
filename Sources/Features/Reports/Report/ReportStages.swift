import Addresses
import ByteReading
import JSON
import Stages

/// The stages of the typical launch of one source, as `orderfile stages --json` has them.
package struct ReportStages: Hashable, Sendable {
  package struct Row: Hashable, Sendable {
    /// The kind of the stage, as `LaunchStage` names it.
    package var kind: String
    package var name: String
    /// The time that the stage takes, and the time from the start of the process to its end, in nanoseconds.
    package var nanoseconds: Double
    package var elapsed: Double
  }

  /// The programs that were launched, or the log.
  package var origins: [String]
  /// The source of the times, as `StageTable` names it.
  package var source: String
  package var launches: Int
  package var nanoseconds: Double
  package var rows: [Row]

  /// Returns the tables of a document that `orderfile stages --json` wrote.
  ///
  /// - Throws: `missing` or `invalid` if `bytes` are no such document.
  package static func tables(parsing bytes: FileBytes) throws(ParseError) -> [ReportStages] {
    try JSONObject(document: bytes, schema: StagesDocument.schema).value("tables")
  }
}

/// This extension writes and reads the members itself, because they are read from the document of `stages`, which has
/// other members.
extension ReportStages: JSONReadableObject, JSONWritableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    origins = try object.value("origins")
    source = try object.value("source")
    let bySeconds: [LaunchCount] = try object.value("seconds")
    launches = bySeconds.map(\.launches).saturatingSum()
    nanoseconds = try object.nanoseconds("typicalTotal")
    rows = try object.value("rows")
  }

  package func writeMembers(to json: inout JSONWriter) {
    json.member("launches", launches)
    json.member("nanoseconds", Int(nanoseconds))
    json.member("origins", origins)
    json.array("rows") { json in
      for row in rows {
        json.object { json in
          json.member("elapsed", Int(row.elapsed))
          json.member("kind", row.kind)
          json.member("name", row.name)
          json.member("nanoseconds", Int(row.nanoseconds))
        }
      }
    }
    json.member("source", source)
  }
}

extension ReportStages.Row: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    kind = try object.value("kind")
    name = try object.value("name")
    nanoseconds = try object.nanoseconds("typicalDelta")
    elapsed = try object.nanoseconds("typicalElapsed")
  }
}

private struct LaunchCount: JSONReadableObject {
  var launches: Int

  init(_ object: JSONObject) throws(ParseError) { launches = try object.value("launches") }
}
