import Addresses
import FaultEstimate
import ImageModel

/// Writes one JSON document front to back, <https://www.rfc-editor.org/rfc/rfc8259>.
///
/// The same values give the same bytes: the keys of an object must be written in ascending order, so
/// they come out sorted without being collected first. An object's members stand on lines of their
/// own, an element of an array on one line, so that `grep` and `diff` see one function a line.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []
  /// The innermost container; the ones around it, outermost first, are in `outer`.
  private var innermost = Container(isInline: false)
  private var outer: [Container] = []

  private struct Container {
    /// The last key written; empty in an array.
    var key = ""
    var isEmpty = true
    let isInline: Bool
  }

  private init() {}

  /// A document that is one object, ended by one newline.
  ///
  /// - Parameter expectedBytes: room made beforehand: growing to tens of megabytes takes as long as
  ///   filling them.
  package static func document(
    expectedBytes: Int = 0, _ members: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var json = JSONWriter()
    json.bytes.reserveCapacity(expectedBytes)
    json.writeContainer("{", "}", isInline: false, members)
    json.bytes.append(UInt8(ascii: "\n"))
    return json.bytes
  }
}

/// What a `JSONWriter` can write as one value.
package protocol JSONValue {
  func write(to json: inout JSONWriter)
}

// MARK: Objects

extension JSONWriter {
  /// Adds a member to the innermost object.
  ///
  /// - Precondition: `key` is plain ASCII and comes behind the keys that the object already has.
  package mutating func member(_ key: String, _ value: some JSONValue) {
    write(key: key)
    value.write(to: &self)
  }

  /// Adds a member that is a name in a name table: nothing is copied but into the document.
  package mutating func member(_ key: String, _ name: ArraySlice<UInt8>) {
    write(key: key)
    write(text: name)
  }

  /// Adds a member that is an object.
  package mutating func object(_ key: String, _ members: (inout JSONWriter) -> Void) {
    write(key: key)
    writeContainer("{", "}", isInline: innermost.isInline, members)
  }

  /// Adds a member that is an array.
  package mutating func array(_ key: String, _ elements: (inout JSONWriter) -> Void) {
    write(key: key)
    writeContainer("[", "]", isInline: innermost.isInline, elements)
  }

  private mutating func write(key: String) {
    precondition(innermost.key < key, "keys are written sorted, each once")
    innermost.key = key
    separate()
    bytes.append(UInt8(ascii: "\""))
    write(literal: key)
    write(literal: "\": ")
  }
}

// MARK: Arrays

extension JSONWriter {
  /// Adds an element to the innermost array.
  package mutating func element(_ value: some JSONValue) {
    separate()
    value.write(to: &self)
  }

  /// Adds an element that is an object.
  package mutating func object(_ members: (inout JSONWriter) -> Void) {
    separate()
    writeContainer("{", "}", isInline: true, members)
  }
}

// MARK: Punctuation

extension JSONWriter {
  private mutating func writeContainer(
    _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, isInline: Bool,
    _ contents: (inout JSONWriter) -> Void
  ) {
    bytes.append(UInt8(ascii: opening))
    outer.append(innermost)
    innermost = Container(isInline: isInline)
    contents(&self)
    let hasLines = !innermost.isEmpty && !isInline
    innermost = outer.removeLast()
    if hasLines { startLine() }
    bytes.append(UInt8(ascii: closing))
  }

  /// Goes to the place of the innermost container's next member or element.
  private mutating func separate() {
    let isFirst = innermost.isEmpty
    innermost.isEmpty = false
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    if !innermost.isInline {
      startLine()
    } else if !isFirst {
      bytes.append(UInt8(ascii: " "))
    }
  }

  private mutating func startLine() {
    bytes.append(UInt8(ascii: "\n"))
    for _ in outer { write(literal: "  ") }
  }
}

// MARK: Values

extension JSONWriter {
  fileprivate mutating func write(literal: String) { bytes.append(contentsOf: literal.utf8) }

  /// Writes a string. JSON is UTF-8: each maximal ill-formed run of bytes becomes U+FFFD, so two names
  /// that differ only there look the same.
  fileprivate mutating func write(text: ArraySlice<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    if let special = text.firstIndex(where: { !Self.isPlain($0) }) {
      bytes.append(contentsOf: text[..<special])
      for byte in String(decoding: text[special...], as: UTF8.self).utf8 {
        if byte >= 0x80 || Self.isPlain(byte) {
          bytes.append(byte)
        } else {
          write(literal: Self.escape(byte))
        }
      }
    } else {
      bytes.append(contentsOf: text)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// ASCII that stands for itself in a string.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// Writes `"0x1f"`, as `hexadecimal(_:)` has it, without a string in between: there is one for each
  /// function.
  fileprivate mutating func write(hexadecimal value: UInt64) {
    write(literal: "\"0x")
    var shift = max(0, (63 - value.leadingZeroBitCount) & ~3)
    while shift >= 0 {
      let digit = UInt8(truncatingIfNeeded: value >> UInt64(shift)) & 15
      bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      shift -= 4
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func escape(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\""): "\\\""
    case UInt8(ascii: "\\"): "\\\\"
    case UInt8(ascii: "\n"): "\\n"
    case UInt8(ascii: "\r"): "\\r"
    case UInt8(ascii: "\t"): "\\t"
    default: (byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16)
    }
  }
}

extension Int: JSONValue {
  package func write(to json: inout JSONWriter) { json.write(literal: String(self)) }
}

extension UInt64: JSONValue {
  package func write(to json: inout JSONWriter) { json.write(literal: String(self)) }
}

extension Bool: JSONValue {
  package func write(to json: inout JSONWriter) { json.write(literal: self ? "true" : "false") }
}

extension String: JSONValue {
  package func write(to json: inout JSONWriter) { json.write(text: Array(utf8)[...]) }
}

extension SymbolName: JSONValue {
  package func write(to json: inout JSONWriter) { json.write(text: bytes[...]) }
}

extension StatedAddress: JSONValue {
  /// A string: many readers hold numbers as 64-bit floats, which have no room for an address.
  package func write(to json: inout JSONWriter) { json.write(hexadecimal: rawValue) }
}

extension Milliseconds: JSONValue {
  package func write(to json: inout JSONWriter) { json.write(literal: description) }
}
