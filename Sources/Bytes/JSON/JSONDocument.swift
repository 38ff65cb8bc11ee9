import ByteReading

/// A result as a JSON object: plain values that can write themselves.
///
/// Text and every other form for people is made from the same values, by code whose only input is the
/// document.
package protocol JSONDocument: Sendable, JSONWritableObject {
  /// The kind of document and its version: `orderfile.pages/1`. The version increases when a key is removed
  /// or changes its meaning; a new key does not change it.
  ///
  /// A document has this text as its member `schema`.
  static var schema: String { get }
}

/// A document that can be read again: reading its JSON gives an equal document.
package protocol ReadableDocument: JSONDocument {
  /// Unknown members are skipped.
  ///
  /// - Throws: `missing` or `invalid` for bytes that are not JSON, have another schema, or violate the schema.
  /// - Complexity: O(*n*) for *n* bytes.
  init(parsing bytes: FileBytes) throws(ParseError)
}

extension ReadableDocument where Self: JSONListedObject {
  package init(parsing bytes: FileBytes) throws(ParseError) {
    try self.init(JSONObject(document: bytes, schema: Self.schema))
  }
}

extension JSONDocument {
  package func json() -> [UInt8] { JSONWriter.document { writeMembers(to: &$0) } }

  /// Writes a document that may be large: `sink` receives its JSON piece by piece.
  package func json(to sink: @escaping ([UInt8]) -> Void) {
    JSONWriter.document(to: sink) { writeMembers(to: &$0) }
  }
}
