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

extension Access: JSONReadable {}
extension Segment: JSONReadable {}
