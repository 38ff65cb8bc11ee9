import ByteReading
import ImageModel
import JSON

// The JSON form of values of the model, for all documents. The model itself knows no format.

extension SymbolName: JSONValue, JSONReadable {
  package func write(to json: inout JSONWriter) { json.write(text: bytes[...]) }

  /// Bytes that were not UTF-8 are U+FFFD in the document, and stay U+FFFD.
  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    self.init(bytes: try cursor.readString(field))
  }
}

extension Architecture: JSONValue, JSONReadable {
  package func write(to json: inout JSONWriter) { description.write(to: &json) }

  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    let start = cursor.nextPosition
    let name = try String(parsing: &cursor, field)
    guard !name.isEmpty, name.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) else {
      throw ParseError(
        .invalid(
          expected: "the name of an architecture, as x86_64", found: "'\(name.prefix(40))'"),
        field, at: start)
    }
    self.init(name)
  }
}

/// The members `architecture`, `id` and `path`, among the members for the figures of the image. A document leaves out
/// unknown members.
extension ImageReference: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, member("path", \.path), optionalMember("architecture", \.architecture),
    optionalMember("id", \.id))
}

extension PageSize: JSONValue, JSONReadable {
  package func write(to json: inout JSONWriter) { bytes.write(to: &json) }

  package init(parsing cursor: inout JSONCursor, _ field: String) throws(ParseError) {
    let start = cursor.nextPosition
    let bytes = try UInt64(parsing: &cursor, field)
    guard let size = PageSize(bytes: bytes) else {
      throw ParseError(
        .invalid(expected: "a power of two of at least 512", found: "\(bytes)"), field, at: start)
    }
    self = size
  }
}

extension Access: JSONReadable, JSONValue {}
extension Accessor: JSONReadable, JSONValue {}
extension Segment: JSONReadable, JSONValue {}
