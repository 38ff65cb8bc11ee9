import Addresses
import ByteReading

/// Reads a JSON document from front to back, value by value: <https://www.rfc-editor.org/rfc/rfc8259>.
///
/// The caller asks for the kind of value that it expects, and skips members that it does not know. The cursor keeps
/// nothing.
package struct JSONCursor {
  private let bytes: FileBytes
  private var index = 0
  private var depth = 0

  package init(_ bytes: FileBytes) { self.bytes = bytes }

  package var position: FileOffset { FileOffset(rawValue: UInt64(index)) }

  /// The position of the next value, after the blanks before it.
  package var nextPosition: FileOffset {
    var cursor = self
    _ = cursor.peek()
    return cursor.position
  }

  /// Returns the next byte without moving; `nil` at the end of the document.
  private mutating func peek() -> UInt8? {
    while index < bytes.count {
      let byte = bytes[index]
      guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { return byte }
      index += 1
    }
    return nil
  }

  private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    guard peek() == UInt8(ascii: byte) else { return false }
    index += 1
    return true
  }

  /// Returns the error for a document that ends within `field`, with the line and the column of its end.
  private func endsEarly(_ field: String, needed: UInt64 = 1) -> ParseError {
    var (line, start) = (1, 0)
    while let end = bytes.firstIndex(of: UInt8(ascii: "\n"), in: start..<bytes.count) {
      (line, start) = (line + 1, end + 1)
    }
    return ParseError(
      .truncated(needed: needed, found: UInt64(bytes.count - index)), field, at: position,
      line: line, column: bytes.count - start + 1)
  }

  private mutating func unexpected(_ expected: String, _ field: String) -> ParseError {
    guard let found = peek() else {
      return endsEarly(field)
    }
    let isPrintable = found > 0x20 && found < 0x7f
    let text = isPrintable ? "'\(Unicode.Scalar(found))'" : hexadecimal(UInt64(found))
    return ParseError(.invalid(expected: expected, found: text), field, at: position)
  }
}

// MARK: Containers

extension JSONCursor {
  /// Reads an object; `member` is called with each key, in order, and must read its value.
  package mutating func readObject(
    _ field: String,
    _ member: (inout JSONCursor, _ key: String) throws(ParseError) -> Void
  ) throws(ParseError) {
    try readItems("{", "}", field) { (cursor) throws(ParseError) in
      let key = try cursor.readString(field)
      try cursor.skipColon(field)
      try member(&cursor, String(decoding: key, as: UTF8.self))
    }
  }

  private mutating func skipColon(_ field: String) throws(ParseError) {
    guard skip(":") else { throw unexpected("':'", field) }
  }

  /// Reads an array; `element` must read each element.
  package mutating func readArray(
    _ field: String, _ element: (inout JSONCursor) throws(ParseError) -> Void
  ) throws(ParseError) {
    try readItems("[", "]", field, element)
  }

  private mutating func readItems(
    _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ field: String,
    _ item: (inout JSONCursor) throws(ParseError) -> Void
  ) throws(ParseError) {
    guard skip(opening) else { throw unexpected("'\(opening)'", field) }
    depth += 1
    guard depth <= ParsingLimits.jsonDepth else {
      throw ParseError(
        .tooLarge(limit: UInt64(ParsingLimits.jsonDepth), found: UInt64(depth)), field, at: position
      )
    }
    if !skip(closing) {
      repeat { try item(&self) } while skip(",")
      guard skip(closing) else { throw unexpected("',' or '\(closing)'", field) }
    }
    depth -= 1
  }

  /// Reads a value of any kind as it is written.
  package mutating func readText(_ field: String) throws(ParseError) -> [UInt8] {
    _ = peek()
    let start = index
    try skipValue(field)
    return bytes.copy(start..<index)
  }

  /// Skips a value of any kind.
  package mutating func skipValue(_ field: String) throws(ParseError) {
    switch peek() {
    case UInt8(ascii: "{"):
      try readItems("{", "}", field) { (cursor) throws(ParseError) in
        try cursor.readString(field) { _ in }
        try cursor.skipColon(field)
        try cursor.skipValue(field)
      }
    case UInt8(ascii: "["):
      try readArray(field) { (cursor) throws(ParseError) in try cursor.skipValue(field) }
    case UInt8(ascii: "\""): try readString(field) { _ in }
    default:
      let start = position
      let word = try readWord("a value", field)
      guard word == "true" || word == "false" || word == "null" || Double(word) != nil else {
        throw ParseError(.invalid(expected: "a value", found: word), field, at: start)
      }
    }
  }

  /// - Throws: `invalid` unless the document ends here.
  package mutating func readEnd(_ field: String) throws(ParseError) {
    if peek() != nil { throw unexpected("the end", field) }
  }
}

// MARK: Values

extension JSONCursor {
  /// Reads the value if it is `null`, and returns whether it was.
  package mutating func readNull() -> Bool {
    guard peek() != nil, bytes.hasPrefix("null", at: index) else { return false }
    index += 4
    return true
  }

  /// - Throws: `invalid` for a number with a fraction or an exponent, and for a number that does not fit `Number`.
  package mutating func readInteger<Number: FixedWidthInteger>(
    _ field: String
  ) throws(ParseError) -> Number {
    _ = peek()
    let start = position
    let word = try readWord("a number", field)
    guard let number = Number(word), !word.hasPrefix("+") else {
      throw ParseError(.invalid(expected: "a whole number", found: word), field, at: start)
    }
    return number
  }

  /// - Throws: `invalid` if the number is too large.
  package mutating func readDouble(_ field: String) throws(ParseError) -> Double {
    _ = peek()
    let start = position
    let word = try readWord("a number", field)
    // Swift also accepts hexadecimal fractions, infinity and nan.
    guard let number = Double(word), number.isFinite, !word.hasPrefix("+"), !word.contains("x")
    else {
      throw ParseError(.invalid(expected: "a number", found: word), field, at: start)
    }
    return number
  }

  package mutating func readBool(_ field: String) throws(ParseError) -> Bool {
    _ = peek()
    let start = position
    let word = try readWord("true or false", field)
    guard let value = Bool(word) else {
      throw ParseError(.invalid(expected: "true or false", found: word), field, at: start)
    }
    return value
  }

  /// Reads a literal or a number: all bytes up to the next punctuation.
  private mutating func readWord(_ expected: String, _ field: String) throws(ParseError) -> String {
    guard let first = peek() else { throw unexpected(expected, field) }
    let start = index
    func isPart(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "E"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    guard isPart(first) else { throw unexpected(expected, field) }
    while index < bytes.count, isPart(bytes[index]), index - start < 64 { index += 1 }
    return bytes.text(start..<index)
  }

  /// Reads a string without its quotes, with escapes resolved.
  package mutating func readString(_ field: String) throws(ParseError) -> [UInt8] {
    var text: [UInt8] = []
    try readString(field) { text.append($0) }
    return text
  }

  /// Reads a string, and passes each byte of it to `body`.
  @inline(__always)
  private mutating func readString(
    _ field: String, _ body: (UInt8) -> Void
  ) throws(ParseError) {
    guard skip("\"") else { throw unexpected("a string", field) }
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return
      case UInt8(ascii: "\\"): for byte in try readEscape(field) { body(byte) }
      case ..<0x20:
        index -= 1
        throw ParseError(
          .invalid(expected: "an escape", found: hexadecimal(UInt64(byte))), field, at: position)
      default: body(byte)
      }
    }
    throw endsEarly(field)
  }

  private mutating func readEscape(_ field: String) throws(ParseError) -> [UInt8] {
    guard index < bytes.count else {
      throw endsEarly(field)
    }
    let byte = bytes[index]
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0c]
    case UInt8(ascii: "n"): return [0x0a]
    case UInt8(ascii: "r"): return [0x0d]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      let unit = try readUnit(field)
      // The second half of a surrogate pair follows, also escaped.
      guard unit >> 10 == 0x36, bytes.hasPrefix("\\u", at: index) else {
        return Array(String(decoding: [unit], as: UTF16.self).utf8)
      }
      index += 2
      return Array(String(decoding: [unit, try readUnit(field)], as: UTF16.self).utf8)
    default:
      index -= 1
      throw ParseError(
        .invalid(expected: "an escape", found: hexadecimal(UInt64(byte))), field, at: position)
    }
  }

  private mutating func readUnit(_ field: String) throws(ParseError) -> UInt16 {
    guard bytes.count - index >= 4 else { throw endsEarly(field, needed: 4) }
    let digits = bytes.text(index..<index + 4)
    guard digits.utf8.count == 4, let unit = UInt16(digits, radix: 16), digits.first != "+" else {
      throw ParseError(.invalid(expected: "4 hex digits", found: digits), field, at: position)
    }
    index += 4
    return unit
  }
}
