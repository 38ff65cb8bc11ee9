import ByteReading

// How an object lists its members once, for writing and for reading:
//
//     struct Presence { var all: Int; var before: Int; var note: String? }
//
//     extension Presence: JSONListedObject {
//       static let members = JSONMembers(
//         Self.init, member("all", \.all), member("before", \.before), optionalMember("note", \.note))
//     }
//
// The members have the order and the types of the initializer's parameters. The compiler refuses a missing member, an
// additional member, and a member of another type. The compiler can't see that two members of the same type are
// exchanged; tests that read a document and write it again can.
//
// A type whose members depend on each other has a `writeMembers(to:)` and an `init(_:)` written by hand instead.

/// A member of an object: its key, how to read its value, and how to write it.
package struct JSONMember<Object, Value>: Sendable {
  typealias Writer = (key: String, write: @Sendable (Object, inout JSONWriter) -> Void)

  fileprivate let read: @Sendable (JSONObject) throws(ParseError) -> Value
  fileprivate let writers: [Writer]

  /// - Parameters:
  ///   - read: reads the value of the key.
  ///   - write: adds the member to the object, or leaves the member out.
  package init(
    _ key: StaticString,
    read: @escaping @Sendable (JSONObject, _ key: String) throws(ParseError) -> Value,
    write: @escaping @Sendable (Object, _ key: StaticString, inout JSONWriter) -> Void
  ) {
    let name = key.description
    self.read = { (object) throws(ParseError) in try read(object, name) }
    let writer: @Sendable (Object, inout JSONWriter) -> Void = { write($0, key, &$1) }
    writers = [(name, writer)]
  }

  fileprivate init(
    read: @escaping @Sendable (JSONObject) throws(ParseError) -> Value, writers: [Writer]
  ) {
    self.read = read
    self.writers = writers
  }
}

/// A member that is always written, and that a reader requires.
package func member<Object, Value: JSONValue & JSONReadable>(
  _ key: StaticString, _ value: @escaping @Sendable (Object) -> Value
) -> JSONMember<Object, Value> {
  JSONMember(key) { (object, key) throws(ParseError) in
    try object.value(key)
  } write: {
    $2.member($1, value($0))
  }
}

/// A member that is left out if its value is `nil`.
package func optionalMember<Object, Value: JSONValue & JSONReadable>(
  _ key: StaticString, _ value: @escaping @Sendable (Object) -> Value?
) -> JSONMember<Object, Value?> {
  JSONMember(key) { (object, key) throws(ParseError) in
    try object.optional(key)
  } write: {
    $2.optional($1, value($0))
  }
}

/// A member that is written as `null` if its value is `nil`.
package func nullableMember<Object, Value: JSONValue & JSONReadable>(
  _ key: StaticString, _ value: @escaping @Sendable (Object) -> Value?
) -> JSONMember<Object, Value?> {
  JSONMember(key) { (object, key) throws(ParseError) in
    try object.optional(key)
  } write: {
    $2.member($1, value($0))
  }
}

/// Writes and reads the members of `value` as members of the object itself.
package func inlineMembers<Object, Value: JSONListedObject>(
  _ value: @escaping @Sendable (Object) -> Value
) -> JSONMember<Object, Value> {
  JSONMember(
    read: { (object) throws(ParseError) in try Value(object) },
    writers: Value.members.writers.map { writer in
      (writer.key, { writer.write(value($0), &$1) })
    })
}

/// The members of an object, for writing and for reading.
package struct JSONMembers<Object>: Sendable {
  fileprivate let make: @Sendable (JSONObject) throws(ParseError) -> Object
  /// Writes each member; sorted by key, so that `JSONWriter` need not sort the object.
  fileprivate var writers: [JSONMember<Object, Void>.Writer]

  /// - Parameter make: an initializer that takes the values of `members`, in this order.
  package init<each Value>(
    _ make: @escaping @Sendable (repeat each Value) -> Object,
    _ members: repeat JSONMember<Object, each Value>
  ) {
    self.make = { (object) throws(ParseError) in make(repeat try (each members).read(object)) }
    writers = []
    for member in repeat each members { writers += member.writers }
    sortWriters()
  }

  /// Adds a member whose value follows from the other members. Readers skip the member.
  package func writing(
    _ key: StaticString, _ value: @escaping @Sendable (Object) -> some JSONValue
  ) -> Self {
    var result = self
    result.writers.append((key.description, { $1.member(key, value($0)) }))
    result.sortWriters()
    return result
  }

  private mutating func sortWriters() {
    writers.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  package func read(_ object: JSONObject) throws(ParseError) -> Object { try make(object) }

  package func write(_ object: Object, to json: inout JSONWriter) {
    for writer in writers { writer.write(object, &json) }
  }
}

/// A type that lists its members once, for writing and for reading.
package protocol JSONListedObject: JSONReadableObject, JSONWritableObject {
  static var members: JSONMembers<Self> { get }
}

extension JSONListedObject {
  package init(_ object: JSONObject) throws(ParseError) { self = try Self.members.read(object) }

  package func writeMembers(to json: inout JSONWriter) { Self.members.write(self, to: &json) }
}
