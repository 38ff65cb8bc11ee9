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
// The members stand in the order of the parameters of the initializer, and have their types: the compiler refuses a
// member too few, too many, or of another type. It can't see that two members of one type are exchanged; the tests that
// read a document and write it again do.
//
// A pair of `writeMembers(to:)` and `init(_:)` stays where members depend on each other.

/// A member of an object: its key, how to read its value, and how to write it.
package struct JSONMember<Object, Value>: Sendable {
  typealias Writer = (key: String, write: @Sendable (Object, inout JSONWriter) -> Void)

  fileprivate let read: @Sendable (JSONObject) throws(ParseError) -> Value
  fileprivate let writers: [Writer]

  /// - Parameters:
  ///   - read: reads the value of the key.
  ///   - write: adds the member to the object; it may leave it out.
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

/// A member that is always there.
package func member<Object, Value: JSONValue & JSONReadable>(
  _ key: StaticString, _ value: @escaping @Sendable (Object) -> Value
) -> JSONMember<Object, Value> {
  JSONMember(key) { (object, key) throws(ParseError) in
    try object.value(key)
  } write: {
    $2.member($1, value($0))
  }
}

/// A member that is left out if it is `nil`.
package func optionalMember<Object, Value: JSONValue & JSONReadable>(
  _ key: StaticString, _ value: @escaping @Sendable (Object) -> Value?
) -> JSONMember<Object, Value?> {
  JSONMember(key) { (object, key) throws(ParseError) in
    try object.optional(key)
  } write: {
    $2.optional($1, value($0))
  }
}

/// A member that is `null` if it is `nil`.
package func nullableMember<Object, Value: JSONValue & JSONReadable>(
  _ key: StaticString, _ value: @escaping @Sendable (Object) -> Value?
) -> JSONMember<Object, Value?> {
  JSONMember(key) { (object, key) throws(ParseError) in
    try object.optional(key)
  } write: {
    $2.member($1, value($0))
  }
}

/// The members of `value` among those of the object.
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
  /// Sorted by key, so that the writer need not sort.
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

  /// Adds a member that follows from the others. Readers skip it.
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

/// A type whose members are listed once.
package protocol JSONListedObject: JSONReadableObject, JSONWritableObject {
  static var members: JSONMembers<Self> { get }
}

extension JSONListedObject {
  package init(_ object: JSONObject) throws(ParseError) { self = try Self.members.read(object) }

  package func writeMembers(to json: inout JSONWriter) { Self.members.write(self, to: &json) }
}
