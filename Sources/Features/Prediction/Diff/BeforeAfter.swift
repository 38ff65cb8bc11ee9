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
  /// The layout before's figure minus the layout after's; negative if the layout after has the larger figure.
  package var saved: Int { before - after }

  /// The change as text: `-34.1%`.
  package var change: String { Percentage.change(from: UInt64(before), to: UInt64(after)) }

  /// Returns the sum of several pairs of counts. A sum that would overflow stays at the maximum.
  package static func sum(_ rows: some Sequence<Self>) -> Self {
    Self(
      before: rows.lazy.map(\.before).saturatingSum(),
      after: rows.lazy.map(\.after).saturatingSum())
  }

  /// The JSON form with the members `after`, `before` and `saved`.
  package var withSaving: Saving { Saving(counts: self) }
}

extension BeforeAfter where Value == UInt64 {
  var change: String { Percentage.change(from: before, to: after) }
}

extension BeforeAfter: JSONReadable, JSONReadableObject where Value: JSONReadable {
  package init(_ object: JSONObject) throws(ParseError) {
    self.init(before: try object.value("before"), after: try object.value("after"))
  }
}

extension BeforeAfter: JSONValue, JSONWritableObject where Value: JSONValue {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("after", after)
    json.member("before", before)
  }
}

/// The counts of both layouts, and their difference as `saved`.
package struct Saving: JSONWritableObject {
  fileprivate let counts: BeforeAfter<Int>

  package func writeMembers(to json: inout JSONWriter) {
    counts.writeMembers(to: &json)
    json.member("saved", counts.saved)
  }
}

/// Returns a member with the counts of both layouts.
func countsMember<Object>(
  _ key: StaticString, _ counts: @escaping @Sendable (Object) -> BeforeAfter<Int>
) -> JSONMember<Object, BeforeAfter<Int>> {
  JSONMember(key) { (object, key) throws(ParseError) in
    try object.counts(key)
  } write: {
    $2.member($1, counts($0))
  }
}

/// Returns a member with the counts of both layouts, and their difference as `saved`.
func savingMember<Object>(
  _ key: StaticString, _ counts: @escaping @Sendable (Object) -> BeforeAfter<Int>
) -> JSONMember<Object, BeforeAfter<Int>> {
  JSONMember(key) { (object, key) throws(ParseError) in
    try object.counts(key)
  } write: {
    $2.member($1, counts($0).withSaving)
  }
}

extension JSONObject {
  /// Reads the member `key` with the counts of both layouts.
  package func counts(_ key: String) throws(ParseError) -> BeforeAfter<Int> {
    let counts: BeforeAfter<Count> = try value(key)
    return BeforeAfter(before: counts.before.value, after: counts.after.value)
  }
}
