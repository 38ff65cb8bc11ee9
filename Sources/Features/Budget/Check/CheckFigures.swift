import ByteReading
import JSON

/// The figures of a `CheckDocument`. A later check reads nothing else of it.
package struct CheckFigures: Hashable, Sendable {
  package var images: [CheckedImage]

  package init(parsing bytes: FileBytes) throws(ParseError) {
    images = try JSONObject(document: bytes, schema: CheckDocument.schema).value("images")
  }
}
