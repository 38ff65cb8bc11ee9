import Addresses
import ByteReading
import JSON
import Rendering

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
  package var change: String { Percentage.change(from: UInt64(before), to: UInt64(after)) }

  /// Adds the figures of several rows; a sum that would overflow stays at the maximum.
  package static func sum(_ rows: some Sequence<Self>) -> Self {
    Self(
      before: rows.lazy.map(\.before).saturatingSum(),
      after: rows.lazy.map(\.after).saturatingSum())
  }

  /// Adds the members `after`, `before` and `saved`.
  package func writeSaving(to json: inout JSONWriter) {
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

extension JSONObject {
  /// Reads the counts of both layouts.
  package func counts(_ key: String) throws(ParseError) -> BeforeAfter<Int> {
    let counts: BeforeAfter<Count> = try value(key)
    return BeforeAfter(before: counts.before.value, after: counts.after.value)
  }
}
