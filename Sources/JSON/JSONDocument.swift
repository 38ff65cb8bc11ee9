import ByteReading

/// A result as one JSON object: plain values that write themselves.
///
/// Text and every other form for people is made from the same values, by a renderer that is given the
/// document and nothing else.
package protocol JSONDocument: Sendable {
  /// The kind of document and its number: `orderfile.pages/1`. The number rises when a key goes or changes
  /// its meaning; a new key leaves it.
  static var schema: String { get }

  /// Adds the members in ascending order of their keys, `schema` among them.
  func write(to json: inout JSONWriter)
}

/// A document that is an input again: what it wrote reads back equal.
package protocol ReadableDocument: JSONDocument {
  /// Members that it does not know are skipped.
  ///
  /// - Throws: `missing` or `invalid` for what is no JSON, of another schema, or not as it must be.
  /// - Complexity: O(*n*) for *n* bytes.
  init(parsing bytes: FileBytes) throws(ParseError)
}

extension JSONDocument {
  package func json() -> [UInt8] { JSONWriter.document { write(to: &$0) } }

  /// The same for a document that may be large: `sink` takes it piece by piece.
  package func json(to sink: @escaping ([UInt8]) -> Void) {
    JSONWriter.document(to: sink) { write(to: &$0) }
  }
}
