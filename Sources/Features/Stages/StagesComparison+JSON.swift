import ByteReading
import JSON
import LaunchMeasurement
import Rendering

extension StageFigure: JSONValue, JSONReadable {
  package func write(to json: inout JSONWriter) { id.write(to: &json) }

  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    let start = cursor.nextPosition
    let text = try String(parsing: &cursor, field)
    guard let figure = StageFigure(id: text) else {
      throw ParseError(
        .invalid(
          expected: "a figure such as stages.milliseconds", found: "'\(text.prefix(40))'"), field,
        at: start)
    }
    self = figure
  }
}

extension StagesComparison: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("origins", \.origins), member("launches", \.launches),
    member("figures", \.figures), member("new", \.new), member("gone", \.gone),
    member("doubts", \.doubts))
}

extension StagesComparison.Unmatched: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("figure", \.figure), member("launches", \.launches),
    nanosecondsMember("median", \.median))
}

/// This extension writes and reads the members itself: the change has several members, and the verdict is checked.
extension StagesComparison.Figure: JSONReadableObject, JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("after", after)
    json.member("before", before)
    json.member("change", change.relative.share)
    json.member("correctedP", correctedP)
    json.member("difference", change.difference)
    if let interval = change.interval {
      json.member("differenceHigh", interval.upperBound)
      json.member("differenceLow", interval.lowerBound)
    }
    json.member("figure", figure)
    if let interval = change.relative.interval {
      json.member("high", interval.upperBound)
      json.member("low", interval.lowerBound)
    }
    json.member("medianAfter", medianAfter)
    json.member("medianBefore", medianBefore)
    json.member("p", change.p)
    json.member("verdict", verdict.rawValue)
  }

  package init(_ object: JSONObject) throws(ParseError) {
    self.init(
      figure: try object.value("figure"), before: try object.count("before"),
      after: try object.count("after"), medianBefore: try object.nanoseconds("medianBefore"),
      medianAfter: try object.nanoseconds("medianAfter"),
      change: SampleChange(
        relative: TypicalChange(
          share: try object.value("change"), interval: try Self.interval(object, "low", "high")),
        difference: try object.value("difference"),
        interval: try Self.interval(object, "differenceLow", "differenceHigh"),
        p: try object.value("p")),
      correctedP: try object.value("correctedP"))
    guard before > 0, after > 0 else {
      throw object.invalid("before", expected: "at least 1 launch", found: "none")
    }
    let stated: String = try object.value("verdict")
    guard stated == verdict.rawValue else {
      throw object.invalid("verdict", expected: verdict.rawValue, found: "'\(stated.prefix(40))'")
    }
  }

  private static func interval(
    _ object: JSONObject, _ low: String, _ high: String
  ) throws(ParseError) -> ClosedRange<Double>? {
    guard let start: Double = try object.optional(low) else { return nil }
    let end: Double = try object.value(high)
    guard start <= end else {
      throw object.invalid(high, expected: "at least \(low), \(start)", found: "\(end)")
    }
    return start...end
  }
}
