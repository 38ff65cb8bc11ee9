import ByteReading
import ImageModel
import JSON
import LaunchMeasurement
import Rendering

/// What follows from the launches, such as the rows of a table, is computed again, not read.
extension StagesDocument: ReadableDocument {
  package init(parsing bytes: FileBytes) throws(ParseError) {
    let object = try JSONObject(document: bytes, schema: Self.schema)
    self.init(precision: try object.value("precision"))
    guard precision > 0, precision < 1 else {
      throw object.invalid(
        "precision", expected: "a share above 0 and below 1", found: "\(precision)")
    }
    comparison = try object.optional("base")
    if let settings: DeviceSettings = try object.optional("device") {
      device = Device(
        settings, requests: try object.optional("requests"),
        readBytes: try object.optional("readBytes"))
    }
    histograms = try object.value("histograms")
    image = try object.optional("image")
    images = try object.value("images")
    initializers = try object.value("initializers")
    libraries = try object.value("libraries")
    machine = try object.optional("machine")
    state = try object.optional("state")
    tables = try object.value("tables")
    let texts: [String] = try object.value("warnings")
    warnings = texts.map { Diagnostic($0) }
  }
}

extension StageTable: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    let launches: [StagedLaunch] = try object.value("launches")
    guard !launches.isEmpty else {
      throw object.invalid("launches", expected: "at least one", found: "none")
    }
    let untraced: [Nanoseconds]? = try object.optional("untracedLaunches")
    self.init(
      try object.value("source"), launches, origins: try object.value("origins"),
      untraced: (untraced ?? []).map(\.value), counts: try object.value("counts"))
  }
}

extension StageTable.Source: JSONReadable {}

extension StageTable.Count: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    self.init(try object.value("name"), try object.value("text"))
  }
}

extension StagedLaunch: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    self.init(try object.value("stages"), nanoseconds: try object.nanoseconds("nanoseconds"))
  }
}

extension LaunchStage.Kind: JSONReadable {}

extension LaunchStage: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      try object.value("name"), try object.value("kind"),
      nanoseconds: try object.nanoseconds("nanoseconds"), thread: try object.optional("thread"))
  }
}

extension LaunchHistogram: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      name: try object.value("name"), origin: try object.value("origin"),
      buckets: try object.value("buckets"))
    // The launches of all buckets are summed up later, so their number has a limit.
    var rest = WeightedSample.mostObservations
    for bucket in buckets {
      guard bucket.count <= rest else {
        throw object.invalid("buckets", expected: "at most 2^53 launches", found: "more")
      }
      rest -= bucket.count
    }
  }
}

extension LaunchHistogram.Bucket: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      start: try object.nanoseconds("start"), end: try object.nanoseconds("end"),
      count: try object.count("count"))
  }
}

extension StagesDocument.LibraryList: JSONReadableObject {
  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      origin: try object.value("origin"), process: try object.optional("process"),
      system: try object.value("system"), others: try object.value("others"))
  }
}

/// A time in an array.
private struct Nanoseconds: JSONReadable {
  var value: Double

  init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    let start = cursor.nextPosition
    value = try Double(parsing: &cursor, field)
    guard (0..<1e18).contains(value) else {
      throw ParseError(
        .invalid(expected: "0 to 1e+18 nanoseconds", found: "\(value)"), field, at: start)
    }
  }
}
