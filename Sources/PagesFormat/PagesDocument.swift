// What `orderfile pages --json` writes: the pages that one launch touched, image by image.
//
//     schema        "orderfile.pages/1"
//     command       the words of the command
//     exitStatus    or signal: how it ended
//     method        how the touches were seen: "preload", "ptrace"
//     images[]      id, path, pages[]
//       pages[]     address (of a page of 4 KiB), access, segment, step,
//                   pc of the instruction and its function; null where they are not known
//
// Other members are left to those who know them: the counts can be made from the pages.

import Addresses
import ByteReading
import ImageModel
import JSON

/// One document of that schema.
package struct PagesDocument: Sendable {
  package static let schema = "orderfile.pages/1"

  package struct Image: Sendable {
    /// As the tool writes image IDs; `nil` if the image has gone.
    package var id: String?
    package var path = ""
    /// By time.
    package var pages: [Page] = []
  }

  package struct Page: Sendable {
    package var access: Access
    package var segment: Segment
    /// The first byte of the page of 4 KiB.
    package var address: StatedAddress
    /// `nil` if it is in another image.
    package var instruction: StatedAddress?
    /// Bytes of the name of the function that the instruction is in.
    package var function: [UInt8]?
    package var step: Int
  }

  package private(set) var command: [String] = []
  /// `nil` if a signal ended it.
  package private(set) var exitStatus: Int?
  package private(set) var signal: Int?
  package private(set) var method = ""
  package private(set) var images: [Image] = []

  /// - Throws: what is no JSON, of another schema, or missing.
  /// - Complexity: O(*n*) for *n* bytes.
  package init(parsing bytes: FileBytes) throws(ParseError) {
    // First the schema: a document of another one is not complained about in detail.
    var schema: [UInt8]?
    var cursor = JSONCursor(bytes)
    try cursor.readObject("document") { (cursor, key) throws(ParseError) in
      guard key == "schema", schema == nil else { return try cursor.skipValue(key) }
      schema = try cursor.readString(key)
    }
    try cursor.readEnd("document")
    let start = FileOffset(rawValue: 0)
    guard let schema else { throw ParseError(.missing, "schema", at: start) }
    let found = String(decoding: schema, as: UTF8.self)
    guard found == Self.schema else {
      throw ParseError(.invalid(expected: Self.schema, found: found), "schema", at: start)
    }

    var hasImages = false
    cursor = JSONCursor(bytes)
    try cursor.readObject("document") { (cursor, key) throws(ParseError) in
      switch key {
      case "command":
        try cursor.readArray(key) { (cursor) throws(ParseError) in
          command.append(String(decoding: try cursor.readString(key), as: UTF8.self))
        }
      case "exitStatus": exitStatus = try cursor.readInteger(key)
      case "signal": signal = try cursor.readInteger(key)
      case "method": method = String(decoding: try cursor.readString(key), as: UTF8.self)
      case "images":
        hasImages = true
        try cursor.readArray(key) { (cursor) throws(ParseError) in
          images.append(try Image(parsing: &cursor))
        }
      default: try cursor.skipValue(key)
      }
    }
    guard hasImages else { throw ParseError(.missing, "images", at: start) }
  }
}

extension PagesDocument.Image {
  fileprivate init(parsing cursor: inout JSONCursor) throws(ParseError) {
    var hasPath = false
    try cursor.readObject("images") { (cursor, key) throws(ParseError) in
      switch key {
      case "id":
        if !cursor.readNull() { id = String(decoding: try cursor.readString(key), as: UTF8.self) }
      case "path":
        path = String(decoding: try cursor.readString(key), as: UTF8.self)
        hasPath = true
      case "pages":
        try cursor.readArray(key) { (cursor) throws(ParseError) in
          pages.append(try PagesDocument.Page(parsing: &cursor))
        }
      default: try cursor.skipValue(key)
      }
    }
    guard hasPath else {
      throw ParseError(.missing, "path", at: FileOffset(rawValue: 0))
    }
  }
}

extension PagesDocument.Page {
  fileprivate init(parsing cursor: inout JSONCursor) throws(ParseError) {
    var access: Access?
    var segment: Segment?
    var address: StatedAddress?
    var instruction: StatedAddress?
    var function: [UInt8]?
    var step: Int?
    try cursor.readObject("pages") { (cursor, key) throws(ParseError) in
      switch key {
      case "access": access = try cursor.readCase(key)
      case "segment": segment = try cursor.readCase(key)
      case "address": address = try cursor.readAddress(key)
      case "pc": if !cursor.readNull() { instruction = try cursor.readAddress(key) }
      case "function": if !cursor.readNull() { function = try cursor.readString(key) }
      case "step": step = try cursor.readInteger(key)
      default: try cursor.skipValue(key)
      }
    }
    func required<T>(_ value: T?, _ key: String) throws(ParseError) -> T {
      guard let value else { throw ParseError(.missing, key, at: FileOffset(rawValue: 0)) }
      return value
    }
    self.init(
      access: try required(access, "access"), segment: try required(segment, "segment"),
      address: try required(address, "address"), instruction: instruction, function: function,
      step: try required(step, "step"))
  }
}

extension JSONCursor {
  fileprivate mutating func readAddress(_ field: String) throws(ParseError) -> StatedAddress {
    let start = self
    let text = String(decoding: try readString(field), as: UTF8.self)
    guard text.hasPrefix("0x"), let value = UInt64(text.dropFirst(2), radix: 16) else {
      throw start.invalid("a hexadecimal address", text, field)
    }
    return StatedAddress(rawValue: value)
  }

  fileprivate mutating func readCase<Value: CaseIterable & RawRepresentable>(
    _ field: String
  ) throws(ParseError) -> Value where Value.RawValue == String {
    let start = self
    let text = String(decoding: try readString(field), as: UTF8.self)
    guard let value = Value(rawValue: text) else {
      let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw start.invalid("one of \(names)", "'\(text.prefix(40))'", field)
    }
    return value
  }

  private func invalid(_ expected: String, _ found: String, _ field: String) -> ParseError {
    ParseError(.invalid(expected: expected, found: found), field, at: position)
  }
}
