import Addresses
import ByteReading

/// An object of a document, whose members can be read by key, in any order. Unread members are skipped.
package struct JSONObject {
  /// The key of the object, for messages.
  private let field: String
  private let position: FileOffset
  /// A cursor before the value of each member.
  private var members: [String: JSONCursor] = [:]

  /// Reads a whole document; nothing may follow it.
  ///
  /// - Throws: also `missing` or `invalid` if the schema is not `schema`. The schema is checked before any other
  ///   member.
  package init(document bytes: FileBytes, schema: String) throws(ParseError) {
    var cursor = JSONCursor(bytes)
    try self.init(parsing: &cursor, "document")
    try cursor.readEnd("document")
    let found: String = try value("schema")
    guard found == schema else {
      throw ParseError(.invalid(expected: schema, found: found), "schema", at: position)
    }
  }

  /// Skips an object and remembers where its members are.
  ///
  /// - Throws: also `invalid` for a duplicate key, because JSON readers differ in which of its values counts.
  /// - Complexity: O(*n*) for *n* bytes; each nested object that is read scans its bytes once more.
  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    self.field = field
    position = cursor.nextPosition
    var members: [String: JSONCursor] = [:]
    try cursor.readObject(field) { (cursor, key) throws(ParseError) in
      guard members.updateValue(cursor, forKey: key) == nil else {
        throw ParseError(
          .invalid(expected: "each key once", found: "'\(key)' again"), field, at: cursor.position)
      }
      try cursor.skipValue(key)
    }
    self.members = members
  }

  /// Reads the member `key`.
  ///
  /// - Throws: `missing`, or the error in its value.
  package func value<Value: JSONReadable>(_ key: String) throws(ParseError) -> Value {
    guard var cursor = members[key] else { throw ParseError(.missing, key, at: position) }
    return try Value(parsing: &cursor, key)
  }

  /// Reads the member `key`; `nil` if it is missing or `null`.
  package func optional<Value: JSONReadable>(_ key: String) throws(ParseError) -> Value? {
    guard var cursor = members[key], !cursor.readNull() else { return nil }
    return try Value(parsing: &cursor, key)
  }

  /// Reads the member `key`, whose value must be an object.
  package func object(_ key: String) throws(ParseError) -> JSONObject { try value(key) }

  /// Returns the text of the value of `key`, as the document has it; `nil` if the member is missing.
  package func text(_ key: String) throws(ParseError) -> [UInt8]? {
    guard var cursor = members[key] else { return nil }
    return try cursor.readText(key)
  }

  package func has(_ key: String) -> Bool { members[key] != nil }

  /// The first member of the document whose key is not in `known`, with the position of its value; `nil` if there is
  /// none. For documents that people write, in which a misspelled key should not be skipped.
  package func firstMember(besides known: Set<String>) -> (key: String, position: FileOffset)? {
    members.filter { !known.contains($0.key) }.map {
      (key: $0.key, position: $0.value.nextPosition)
    }
    .min { $0.position < $1.position }
  }

  /// The error for a value of `key` that is well-formed but not allowed.
  package func invalid(_ key: String, expected: String, found: String) -> ParseError {
    let place = members[key]?.nextPosition ?? position
    return ParseError(.invalid(expected: expected, found: found), key, at: place)
  }
}

extension JSONObject: JSONReadable {}

/// A type that can be read from a value of a document.
package protocol JSONReadable: SendableMetatype {
  /// - Parameter field: the key of the value, for messages.
  init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError)
}

/// A type that can be read from an object.
package protocol JSONReadableObject: JSONReadable {
  init(_ object: JSONObject) throws(ParseError)
}

extension JSONReadableObject {
  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    try self.init(JSONObject(parsing: &cursor, field))
  }
}

// MARK: Values

extension JSONReadable where Self: FixedWidthInteger {
  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    self = try cursor.readInteger(field)
  }
}

extension Int: JSONReadable {}
extension UInt8: JSONReadable {}
extension UInt64: JSONReadable {}

extension Double: JSONReadable {
  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    self = try cursor.readDouble(field)
  }
}

extension Bool: JSONReadable {
  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    self = try cursor.readBool(field)
  }
}

extension String: JSONReadable {
  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    self = String(decoding: try cursor.readString(field), as: UTF8.self)
  }
}

extension Array: JSONReadable where Element: JSONReadable {
  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    var elements: [Element] = []
    try cursor.readArray(field) { (cursor) throws(ParseError) in
      elements.append(try Element(parsing: &cursor, field))
    }
    self = elements
  }
}

extension StatedAddress: JSONReadable {
  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    let start = cursor.nextPosition
    let text = try String(parsing: &cursor, field)
    guard text.hasPrefix("0x"), !text.contains("+"),
      let value = UInt64(text.dropFirst(2), radix: 16)
    else {
      throw ParseError(
        .invalid(expected: "a hexadecimal address", found: "'\(text.prefix(40))'"), field, at: start
      )
    }
    self.init(rawValue: value)
  }
}

/// An enumeration that is read by the names of its cases.
extension JSONReadable where Self: RawRepresentable & CaseIterable, RawValue == String {
  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    let start = cursor.nextPosition
    let text = try String(parsing: &cursor, field)
    guard let value = Self(rawValue: text) else {
      let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
      throw ParseError(
        .invalid(expected: "one of \(names)", found: "'\(text.prefix(40))'"), field, at: start)
    }
    self = value
  }
}
