import ByteReading
import ImageModel
import JSON
import LaunchMeasurement
import PagesFormat
import Rendering

/// This extension writes and reads the members itself, to check the precision.
extension MeasureDocument: ReadableDocument {
  package static let schema = "orderfile.measure/2"

  package func writeMembers(to json: inout JSONWriter) {
    json.optional("device", device)
    json.member("dropsCaches", dropsCaches)
    json.member("images", storage)
    json.optional("layouts", layouts)
    json.member("limits", limits)
    json.member("machine", machine)
    json.optional("memory", memory)
    json.optional("precisionAsked", precision)
    json.member("provenance", Provenance.measured)
    json.member("schema", Self.schema)
    json.member("seed", seed)
    json.member("states", states)
  }

  package init(parsing bytes: FileBytes) throws(ParseError) {
    let object = try JSONObject(document: bytes, schema: Self.schema)
    device = try object.optional("device")
    dropsCaches = try object.value("dropsCaches")
    storage = try object.value("images")
    limits = try object.value("limits")
    machine = try object.value("machine")
    precision = try object.optional("precisionAsked")
    seed = try object.value("seed")
    states = try object.value("states")
    memory = try object.optional("memory")
    layouts = try object.optional("layouts")
    guard precision.map({ $0 > 0 && $0 < 1 }) ?? true else {
      throw object.invalid(
        "precisionAsked", expected: "a share above 0 and below 1", found: "\(precision ?? 0)")
    }
  }
}

/// This extension writes and reads the members itself, to check that each comparison is of measured programs.
extension MeasureDocument.State: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("comparisons", comparisons)
    json.member("order", rounds)
    json.member("sides", sides)
    json.member("state", cache.rawValue)
  }

  /// Writes the comparisons and the number of launches, without the launches themselves.
  package func writeComparisons(to json: inout JSONWriter) {
    json.member("comparisons", comparisons)
    json.member("launches", launches)
    json.member("state", cache.rawValue)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      cache: try object.value("state"), rounds: try object.value("order"),
      sides: try object.value("sides"), comparisons: try object.value("comparisons"))
    guard !sides.isEmpty, comparisons.count == sides.count - 1 else {
      throw object.invalid(
        "sides", expected: "one, and another for each comparison",
        found: "\(sides.count) for \(comparisons.count)")
    }
  }
}

/// This extension writes and reads the members itself, because the summary needs the number of launches.
extension MeasureDocument.Side: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.optional("architecture", program.architecture)
    json.member("command", command)
    json.optional("id", program.id)
    json.member("images", images)
    json.member("launches", launches)
    json.member("name", name)
    json.member("path", path)
    json.member("precisionReached", MeasurementPrecision.reached(wall))
    json.member("textFaults", textFaults)
    json.member("trend", trend)
    json.member("wallNanoseconds", wall)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    let launches: [MeasuredLaunch] = try object.value("launches")
    guard !launches.isEmpty else {
      throw object.invalid("launches", expected: "at least one", found: "none")
    }
    self.init(
      name: try object.value("name"), program: try ImageReference(object),
      command: try object.value("command"), images: try object.value("images"),
      launches: launches, textFaults: try object.value("textFaults"),
      wall: try SampleSummary(object.object("wallNanoseconds"), count: launches.count),
      trend: try object.value("trend"))
  }
}

extension MeasureDocument.Comparison: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("before", \.before), member("after", \.after), member("metrics", \.metrics))
}

/// This extension writes and reads the members itself: the change has three members, and the verdict is checked.
extension ProgramComparison: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    change.writeMembers(to: &json)
    json.member("correctedP", correctedP)
    json.member("metric", metric.rawValue)
    json.member("p", p)
    json.member("verdict", verdict.rawValue)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      metric: try object.value("metric"), change: try TypicalChange(membersOf: object),
      p: try object.value("p"), correctedP: try object.value("correctedP"))
    try verdict.check(object)
  }
}

extension TypicalChange {
  /// Writes the members `change`, `low` and `high` of the comparison that the change belongs to.
  func writeMembers(to json: inout JSONWriter) {
    json.member("change", share)
    guard let interval else { return }
    json.member("high", interval.upperBound)
    json.member("low", interval.lowerBound)
  }

  /// Reads the members `change`, `low` and `high` of a comparison.
  init(membersOf object: JSONObject) throws(ParseError) {
    let (low, high): (Double?, Double?) = (try object.optional("low"), try object.optional("high"))
    var interval: ClosedRange<Double>?
    if let low, let high {
      guard low <= high else {
        throw object.invalid("high", expected: "at least 'low', \(low)", found: "\(high)")
      }
      interval = low...high
    }
    self.init(share: try object.value("change"), interval: interval)
  }
}

extension ProgramComparison.Verdict {
  /// Checks that the member `verdict` of a comparison is this verdict, which follows from the other members.
  func check(_ object: JSONObject) throws(ParseError) {
    let stated: Self = try object.value("verdict")
    guard stated == self else {
      throw object.invalid("verdict", expected: rawValue, found: stated.rawValue)
    }
  }
}

extension LaunchMetric: JSONReadable {}
extension ProgramComparison.Verdict: JSONReadable {}

// MARK: Values of a measurement

extension Trend: JSONListedObject {
  package static let members = JSONMembers(
    Self.init(slope:p:relativeChange:), member("nanosecondsPerLaunch", \.slope), member("p", \.p),
    member("relativeChange", \.relativeChange))
}

/// This extension writes and reads the members itself, because the end is in one of two members.
extension MeasuredLaunch: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    if case .exited(let status) = end { json.member("exitStatus", Int(status)) }
    json.optional("instructions", instructions)
    json.member("majorFaults", majorFaults)
    json.member("minorFaults", minorFaults)
    json.optional("peakBytes", peakBytes)
    json.optional("readBytes", readBytes)
    json.optional("requests", requests)
    json.optional("residentPages", residentPages)
    if case .killed(let signal) = end { json.member("signal", Int(signal)) }
    json.member("systemMicroseconds", systemMicroseconds)
    json.member("userMicroseconds", userMicroseconds)
    json.member("wallNanoseconds", wallNanoseconds)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      wallNanoseconds: try object.value("wallNanoseconds"),
      userMicroseconds: try object.value("userMicroseconds"),
      systemMicroseconds: try object.value("systemMicroseconds"),
      instructions: try object.optional("instructions"),
      minorFaults: try object.value("minorFaults"), majorFaults: try object.value("majorFaults"),
      peakBytes: try object.optional("peakBytes"), readBytes: try object.optional("readBytes"),
      residentPages: try object.optional("residentPages"))
    requests = try object.optional("requests")
    if let signal: UInt8 = try object.optional("signal") {
      end = .killed(signal: Int32(signal))
    } else {
      let status: UInt8 = try object.value("exitStatus")
      end = .exited(Int32(status))
    }
  }
}

/// This extension writes and reads the members itself, because `readAheadSetting` is not in the document.
extension ImageStorage: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("bytes", bytes)
    json.optional("device", device)
    json.optional("fileSystem", fileSystem)
    json.member("path", path)
    json.optional("readAheadBytes", readAheadBytes)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      path: try object.value("path"), bytes: try object.value("bytes"),
      fileSystem: try object.optional("fileSystem"), device: try object.optional("device"),
      readAheadBytes: try object.optional("readAheadBytes"))
  }
}
