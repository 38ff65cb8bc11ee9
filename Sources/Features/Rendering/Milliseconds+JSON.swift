import ByteReading
import FaultEstimate
import JSON

extension Milliseconds: JSONValue, JSONReadable {
  package func write(to json: inout JSONWriter) { json.write(literal: description) }

  /// Reads a number of milliseconds. For durations below 100 days, the value is exact to the nanosecond.
  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    let start = cursor.nextPosition
    let milliseconds = try Double(parsing: &cursor, field)
    guard let nanoseconds = Int(exactly: (milliseconds * 1e6).rounded()) else {
      throw ParseError(
        .invalid(expected: "milliseconds", found: "\(milliseconds)"), field, at: start)
    }
    self.init(nanoseconds: nanoseconds)
  }
}
