import ByteReading
import ImageModel
import JSON
import Rendering

/// The members of a JSON document as indented text.
package struct DocumentOutline: Sendable {
  /// The indented text. Each line ends with a newline.
  package let text: String

  /// - Throws: if `bytes` are no JSON document of `schema`.
  /// - Complexity: O(*n*) for *n* bytes.
  package init(parsing bytes: FileBytes, schema: String) throws(ParseError) {
    _ = try JSONObject(document: bytes, schema: schema)
    var cursor = JSONCursor(bytes)
    var lines: [String] = []
    try Reader(bytes: bytes).appendMembers(of: &cursor, "document", besides: "schema", to: &lines)
    text = lines.map { "\($0)\n" }.joined()
  }
}

private struct Reader {
  let bytes: FileBytes

  /// The largest number of elements of an array that are shown.
  private static let shownElements = 10

  func appendMembers(
    of cursor: inout JSONCursor, _ field: String, besides hidden: String? = nil,
    to lines: inout [String]
  ) throws(ParseError) {
    try cursor.readObject(field) { (cursor, key) throws(ParseError) in
      guard key != hidden else { return try cursor.skipValue(key) }
      switch kind(of: cursor) {
      case .object:
        lines.append("\(printable(key)):")
        try appendIndented(to: &lines) { (lines) throws(ParseError) in
          try appendMembers(of: &cursor, key, to: &lines)
        }
      case .array:
        let place = lines.count
        lines.append("")
        var count = 0
        try appendIndented(to: &lines) { (lines) throws(ParseError) in
          count = try appendElements(of: &cursor, key, to: &lines)
        }
        lines[place] = "\(printable(key)): \(count)"
      case .scalar: lines.append("\(printable(key)): \(try scalar(&cursor, key))")
      }
    }
  }

  /// Appends the first elements of an array, and returns the number of all its elements.
  private func appendElements(
    of cursor: inout JSONCursor, _ field: String, to lines: inout [String]
  ) throws(ParseError) -> Int {
    var count = 0
    try cursor.readArray(field) { (cursor) throws(ParseError) in
      count += 1
      guard count <= Self.shownElements else { return try cursor.skipValue(field) }
      var element: [String] = []
      switch kind(of: cursor) {
      case .object: try appendMembers(of: &cursor, field, to: &element)
      case .array: _ = try appendElements(of: &cursor, field, to: &element)
      case .scalar: element.append(try scalar(&cursor, field))
      }
      for (index, line) in element.enumerated() { lines.append((index == 0 ? "- " : "  ") + line) }
    }
    if count > Self.shownElements {
      lines.append("and \(count - Self.shownElements) more: see --json")
    }
    return count
  }

  private func appendIndented(
    to lines: inout [String], _ body: (inout [String]) throws(ParseError) -> Void
  ) throws(ParseError) {
    var inner: [String] = []
    try body(&inner)
    lines += inner.map { "  \($0)" }
  }

  private enum Kind { case object, array, scalar }

  private func kind(of cursor: JSONCursor) -> Kind {
    let place = Int(cursor.nextPosition.rawValue)
    switch place < bytes.count ? bytes[place] : 0 {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    default: return .scalar
    }
  }

  private func scalar(
    _ cursor: inout JSONCursor, _ field: String
  ) throws(ParseError) -> String {
    let text = try cursor.readText(field)
    guard text.first == UInt8(ascii: "\"") else {
      return printable(String(decoding: text, as: UTF8.self))
    }
    var inner = JSONCursor(FileBytes(text))
    return printable(String(decoding: try inner.readString(field), as: UTF8.self))
  }
}
