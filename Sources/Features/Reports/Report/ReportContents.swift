// The contents of a report's page, read back from the page: the data lie between two tags, deflated and in Base64.

import Addresses
import ByteReading
import CZlib
import FaultEstimate
import ImageModel
import JSON
import LaunchMeasurement
import Measuring
import PagesFormat
import Prediction
import Rendering

package struct ReportContents: Sendable {
  /// The document as `orderfile report --json` prints it.
  package let data: [UInt8]
  package let title: String
  package let pageSize: PageSize
  package let layouts: [Layout]
  /// The thread of each first hit; empty if no trace with times was given.
  package let threads: [Int]
  package let marks: Int
  /// The launches whose page faults the report shows.
  package let faults: [Faults]
  package let diff: DiffDocument?
  package let measure: MeasureDocument?
  /// The lines of the history.
  package let historyLines: Int
  package let absentViews: [ReportDocument.AbsentView]
  /// The document of `orderfile check`, as it was written.
  package let check: [UInt8]?
  /// The steps that would save pages.
  package let nextSteps: [NextStep]
  /// What the report lacks because there is too much of it.
  package let limits: [String]

  package struct Layout: Sendable, JSONReadableObject {
    package let side: String
    package let path: String
    package let functionCount: Int

    package init(_ object: JSONObject) throws(ParseError) {
      side = try object.value("side")
      path = try object.value("path")
      functionCount = try object.count("functionCount")
    }
  }

  package struct Faults: Sendable, JSONReadableObject {
    package let path: String
    package let cache: CacheState
    package let major: Int
    package let minor: Int

    package init(_ object: JSONObject) throws(ParseError) {
      path = try object.value("path")
      cache = try object.value("cache")
      let kinds: [Int] = try object.value("kind")
      major = kinds.count { $0 == 1 }
      minor = kinds.count - major
    }
  }

  /// - Throws: `missing` if the page has no data; the errors of the documents in the data.
  package init(parsing page: FileBytes) throws(ParseError) {
    try self.init(data: Self.data(of: page))
  }

  private init(data: [UInt8]) throws(ParseError) {
    let object = try JSONObject(document: FileBytes(data), schema: ReportDocument.schema)
    self.data = data
    title = try object.value("title")
    pageSize = try object.value("pageSizeBytes")
    layouts = try object.value("layouts")
    absentViews = try object.value("absent")
    threads = object.has("hits") ? try object.object("hits").value("thread") : []
    let names: [Int] = object.has("marks") ? try object.object("marks").value("name") : []
    marks = names.count
    faults = try object.optional("faults") ?? []
    let documents = try object.object("documents")
    diff = try documents.text("diff").map { text throws(ParseError) in
      try DiffDocument(parsing: FileBytes(text))
    }
    measure = try documents.text("measure").map { text throws(ParseError) in
      try MeasureDocument(parsing: FileBytes(text))
    }
    let lines: [JSONObject] = try documents.optional("history") ?? []
    historyLines = lines.count
    check = try documents.text("check")
    limits = try object.value("limits")
    nextSteps = try object.optional("nextSteps") ?? []
  }
}

extension ReportDocument.AbsentView: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    self.init(view: try object.value("view"), command: try object.value("command"))
  }
}

// MARK: Data

extension ReportContents {
  private static let tag: StaticString = "<script type=\"text/plain\" id=\"data\">"

  /// Whether `bytes` are an HTML page, of a report or not. Its first word may be in lower case.
  package static func isPage(_ bytes: FileBytes) -> Bool {
    let opening = Array("<!doctype html".utf8)
    return bytes.count >= opening.count
      && bytes.copy(0..<opening.count).map { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 } == opening
  }

  private static func data(of page: FileBytes) throws(ParseError) -> [UInt8] {
    let field = "data of a report"
    let opening = UInt8(ascii: "<")
    var place = 0
    while let next = page.firstIndex(of: opening, in: place..<page.count) {
      place = next
      if page.hasPrefix(tag, at: place) { break }
      place += 1
    }
    guard place < page.count, page.hasPrefix(tag, at: place) else {
      throw ParseError(.missing, field, at: FileOffset(rawValue: 0))
    }
    let start = place + tag.utf8CodeUnitCount
    let position = FileOffset(rawValue: UInt64(start))
    guard let end = page.firstIndex(of: opening, in: start..<page.count) else {
      throw ParseError(.truncated(needed: 1, found: 0), field, at: position)
    }
    guard let deflated = decodedBase64(page.copy(start..<end)[...]) else {
      throw ParseError(.invalid(expected: "Base64", found: "other text"), field, at: position)
    }
    return try inflated(deflated, field, position)
  }

  /// Inflates the data. Their size is not stated, so the room is doubled until it is enough, or until it is more than
  /// real data need.
  private static func inflated(
    _ deflated: [UInt8], _ field: String, _ position: FileOffset
  ) throws(ParseError) -> [UInt8] {
    let limit = max(
      1 << 20,
      min(
        UInt64(deflated.count) * ParsingLimits.decompressionRatio,
        ParsingLimits.decompressedSection))
    var room = min(limit, UInt64(deflated.count) * 8 + 4096)
    while true {
      var output = [UInt8](repeating: 0, count: Int(room))
      var count = UInt(room)
      switch orderfile_inflate_into(&output, &count, deflated, UInt(deflated.count)) {
      case Z_OK: return Array(output.prefix(Int(count)))
      case Z_BUF_ERROR where room < limit: room = min(limit, room * 2)
      default:
        throw ParseError(
          .invalid(expected: "deflated data", found: "damaged data"), field, at: position)
      }
    }
  }
}
