import ByteReading
import JSON

/// A count in a document that is read: a JSON integer as an `Int`.
package struct Count: JSONReadable {
  package var value: Int

  /// - Throws: `invalid` for a number below 0 or above 2^53, where other JSON readers become inexact. So the difference
  ///   of two counts is always in the range of `Int`.
  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    let start = cursor.nextPosition
    value = try Int(parsing: &cursor, field)
    guard (0...(1 << 53)).contains(value) else {
      throw ParseError(
        .invalid(expected: "0 to 2^53", found: "\(value)"), field, at: start)
    }
  }
}

/// Returns a member whose number is read as a `Count`.
package func countMember<Object>(
  _ key: StaticString, _ value: @escaping @Sendable (Object) -> Int
) -> JSONMember<Object, Int> {
  JSONMember(key) { (object, key) throws(ParseError) in
    try object.count(key)
  } write: {
    $2.member($1, value($0))
  }
}

extension JSONObject {
  /// Reads the count that is the value of `key`.
  package func count(_ key: String) throws(ParseError) -> Int {
    let count: Count = try value(key)
    return count.value
  }
}
