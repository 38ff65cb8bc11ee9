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
  private var open: [Container] = []

  private struct Container {
    /// The last key written; empty in an array.
    var key = ""
    var isEmpty = true
    let isInline: Bool
  }

  private init() {}

  /// A document that is one object, ended by one newline.
  package static func document(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
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
    writeContainer("{", "}", isInline: open[open.count - 1].isInline, members)
  }

  /// Adds a member that is an array.
  package mutating func array(_ key: String, _ elements: (inout JSONWriter) -> Void) {
    write(key: key)
    writeContainer("[", "]", isInline: open[open.count - 1].isInline, elements)
  }

  private mutating func write(key: String) {
    let innermost = open.count - 1
    precondition(open[innermost].key < key, "keys are written sorted, each once")
    open[innermost].key = key
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: key.utf8)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    bytes.append(UInt8(ascii: " "))
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
    open.append(Container(isInline: isInline))
    contents(&self)
    let container = open.removeLast()
    if !container.isEmpty && !isInline { startLine() }
    bytes.append(UInt8(ascii: closing))
  }

  /// Goes to the place of the innermost container's next member or element.
  private mutating func separate() {
    let innermost = open.count - 1
    let isFirst = open[innermost].isEmpty
    open[innermost].isEmpty = false
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    if !open[innermost].isInline {
      startLine()
    } else if !isFirst {
      bytes.append(UInt8(ascii: " "))
    }
  }

  private mutating func startLine() {
    bytes.append(UInt8(ascii: "\n"))
    for _ in open { write(literal: "  ") }
  }
}

// MARK: Values

extension JSONWriter {
  fileprivate mutating func write(literal: String) { bytes.append(contentsOf: literal.utf8) }

  /// Writes a string. JSON is UTF-8: each maximal ill-formed run of bytes becomes U+FFFD, so two names
  /// that differ only there look the same.
  fileprivate mutating func write(text: ArraySlice<UInt8>) {
    guard !text.contains(where: { $0 >= 0x80 }) else {
      return writeEscaped(Array(String(decoding: text, as: UTF8.self).utf8)[...])
    }
    writeEscaped(text)
  }

  private mutating func writeEscaped(_ text: ArraySlice<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    var written = text.startIndex
    for index in text.indices {
      let byte = text[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
        continue
      }
      bytes.append(contentsOf: text[written..<index])
      write(literal: Self.escape(byte))
      written = index + 1
    }
    bytes.append(contentsOf: text[written...])
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
  package func write(to json: inout JSONWriter) { json.write(literal: "\"\(description)\"") }
}

extension Milliseconds: JSONValue {
  package func write(to json: inout JSONWriter) { json.write(literal: description) }
}
