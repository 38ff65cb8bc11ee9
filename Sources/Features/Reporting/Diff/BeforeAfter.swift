import Addresses
import ByteReading
import JSON

/// A figure for each of the two layouts.
package struct BeforeAfter<Value> {
  package var before: Value
  package var after: Value

  package init(before: Value, after: Value) {
    self.before = before
    self.after = after
  }
}

extension BeforeAfter: Equatable where Value: Equatable {}
extension BeforeAfter: Hashable where Value: Hashable {}
extension BeforeAfter: Sendable where Value: Sendable {}

extension BeforeAfter where Value == Int {
  /// Negative if the layout after has the larger figure.
  package var saved: Int { before - after }

  /// The change as text: `-34.1%`.
  var change: String { Percentage.change(from: UInt64(before), to: UInt64(after)) }

  /// Adds the figures of several rows; a sum that would overflow stays at the maximum.
  static func sum(_ rows: some Sequence<Self>) -> Self {
    Self(
      before: rows.lazy.map(\.before).saturatingSum(),
      after: rows.lazy.map(\.after).saturatingSum())
  }

  /// Adds the members `after`, `before` and `saved`.
  func writeSaving(to json: inout JSONWriter) {
    json.member("after", after)
    json.member("before", before)
    json.member("saved", saved)
  }
}

extension BeforeAfter where Value == UInt64 {
  var change: String { Percentage.change(from: before, to: after) }
}

extension BeforeAfter: JSONReadable, JSONReadableObject where Value: JSONReadable {
  package init(_ object: JSONObject) throws(ParseError) {
    self.init(before: try object.value("before"), after: try object.value("after"))
  }
}

/// A count in a document that is read: a JSON integer as an `Int`.
struct Count: JSONReadable {
  var value: Int

  /// - Throws: `invalid` below 0 and above 2^53, where other JSON readers become inexact. So the difference
  ///   of two counts is in range, too.
  init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    let start = cursor.nextPosition
    value = try Int(parsing: &cursor, field)
    guard (0...(1 << 53)).contains(value) else {
      throw ParseError(
        .invalid(expected: "0 to 2^53", found: "\(value)"), field, at: start)
    }
  }
}

extension JSONObject {
  /// Reads a count.
  package func count(_ key: String) throws(ParseError) -> Int {
    let count: Count = try value(key)
    return count.value
  }

  /// Reads the counts of both layouts.
  func counts(_ key: String) throws(ParseError) -> BeforeAfter<Int> {
    let counts: BeforeAfter<Count> = try value(key)
    return BeforeAfter(before: counts.before.value, after: counts.after.value)
  }
}
