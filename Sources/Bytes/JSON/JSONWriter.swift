/// Writes a JSON document from front to back, <https://www.rfc-editor.org/rfc/rfc8259>.
///
/// The same values give the same bytes: the keys of an object are sorted. The caller may add members in any order; an
/// object whose keys were not added in ascending order is rewritten when it ends. Each member of an object is on its own
/// line, and each element of an array is on one line, so that `grep` and `diff` see one function per line.
package struct JSONWriter {
  private var bytes: [UInt8] = []
  /// Receives the document piece by piece; `nil` keeps it in `bytes`.
  private let sink: (([UInt8]) -> Void)?
  /// The innermost container. The containers around it are in `outer`, outermost first.
  private var innermost = Container(start: 0, isInline: false)
  private var outer: [Container] = []
  /// The number of containers, counted from the outermost, whose text may have been sent to `sink` in part. No key can
  /// be inserted into these containers any more.
  private var sentDepth = 0
  /// The number of open objects with keys that did not ascend. Nothing is sent to `sink` before these objects end.
  private var unsortedDepth = 0

  private struct Container {
    /// The index in `bytes` after the container's opening bracket.
    let start: Int
    /// The key that was written last in the container; empty in an array.
    var key: StaticString = ""
    var isEmpty = true
    var isSorted = true
    let isInline: Bool

    var isArray: Bool { key.utf8CodeUnitCount == 0 }
  }

  private init(_ sink: (([UInt8]) -> Void)?) { self.sink = sink }

  /// Returns a document that consists of one object and a final newline.
  package static func document(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter(nil)
    json.writeDocument(members)
    return json.bytes
  }

  /// Returns an object on a line of its own, with the final newline: <https://jsonlines.org>.
  package static func line(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter(nil)
    json.writeContainer("{", "}", isInline: true, members)
    json.bytes.append(UInt8(ascii: "\n"))
    return json.bytes
  }

  /// Writes a document that may be large. `sink` receives it in non-empty pieces of about `pieceSize`, and the document
  /// is never in memory as a whole. For this, the keys that an object gets after an array of objects must ascend from
  /// the array's key.
  package static func document(
    to sink: @escaping ([UInt8]) -> Void, _ members: (inout JSONWriter) -> Void
  ) {
    var json = JSONWriter(sink)
    json.bytes.reserveCapacity(pieceSize + (64 << 10))
    json.writeDocument(members)
    sink(json.bytes)
  }

  private static let pieceSize = 1 << 20

  private mutating func writeDocument(_ members: (inout JSONWriter) -> Void) {
    writeContainer("{", "}", isInline: false, members)
    bytes.append(UInt8(ascii: "\n"))
  }
}

// MARK: Objects

extension JSONWriter {
  /// Adds a member to the innermost object.
  ///
  /// - Precondition: `key` is plain ASCII, and the object has no member with this key yet.
  package mutating func member(_ key: StaticString, _ value: some JSONValue) {
    write(key: key)
    value.write(to: &self)
  }

  /// Adds a member unless `value` is `nil`; `JSONObject.optional` reads it.
  package mutating func optional(_ key: StaticString, _ value: (some JSONValue)?) {
    if let value { member(key, value) }
  }

  /// Adds a member that is a name in a name table, without an intermediate copy.
  package mutating func member(_ key: StaticString, _ name: ArraySlice<UInt8>) {
    write(key: key)
    write(text: name)
  }

  /// Adds a member that is an object.
  package mutating func object(_ key: StaticString, _ members: (inout JSONWriter) -> Void) {
    write(key: key)
    writeContainer("{", "}", isInline: innermost.isInline, members)
  }

  /// Adds a member that is an array.
  package mutating func array(_ key: StaticString, _ elements: (inout JSONWriter) -> Void) {
    write(key: key)
    writeContainer("[", "]", isInline: innermost.isInline, elements)
  }

  private mutating func write(key: StaticString) {
    if !Self.isAscending(innermost.key, key) { addUnsorted(key) }
    innermost.key = key
    separate()
    bytes.append(UInt8(ascii: "\""))
    write(fixed: key)
    write(fixed: "\": ")
  }

  private static func isAscending(_ a: StaticString, _ b: StaticString) -> Bool {
    a.withUTF8Buffer { a in b.withUTF8Buffer { b in a.lexicographicallyPrecedes(b) } }
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
  ///
  /// - Parameter isInline: whether to write the object on one line; an object with a long array should have several
  ///   lines.
  package mutating func object(
    isInline: Bool = true, _ members: (inout JSONWriter) -> Void
  ) {
    separate()
    writeContainer("{", "}", isInline: isInline, members)
    sendPiece()
  }

  /// Sends the bytes written so far to `sink`, if they fill a piece. Called at the end of an object in an array.
  private mutating func sendPiece() {
    guard let sink, unsortedDepth == 0 else { return }
    sentDepth = outer.count + 1
    guard bytes.count >= Self.pieceSize else { return }
    sink(bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}

// MARK: Sorting

extension JSONWriter {
  /// Notes that the innermost object must be sorted when it ends.
  private mutating func addUnsorted(_ key: StaticString) {
    precondition(!Self.areEqual(innermost.key, key), "each key is written once")
    guard innermost.isSorted else { return }
    precondition(sentDepth <= outer.count, "keys ascend where a document is written in pieces")
    innermost.isSorted = false
    unsortedDepth += 1
  }

  private static func areEqual(_ a: StaticString, _ b: StaticString) -> Bool {
    !isAscending(a, b) && !isAscending(b, a)
  }

  /// Rewrites the innermost object with its members sorted by key.
  private mutating func sortMembers() {
    let text = bytes[innermost.start...]
    let members = Self.members(in: text).map { (key: Self.key(of: $0), text: $0) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    for (a, b) in zip(members, members.dropFirst()) {
      precondition(!a.key.elementsEqual(b.key), "each key is written once")
    }
    bytes.removeSubrange(innermost.start...)
    innermost.isEmpty = true
    for member in members {
      separate()
      bytes.append(contentsOf: member.text)
    }
    unsortedDepth -= 1
  }

  /// Returns the text of each member of an object, with the key, in the order in which the members were written.
  private static func members(in text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var members: [ArraySlice<UInt8>] = []
    var (start, depth, isInString, isEscaped) = (text.startIndex, 0, false, false)
    func add(_ member: ArraySlice<UInt8>) { members.append(member.drop { $0 <= 0x20 }) }
    for index in text.indices {
      let byte = text[index]
      if isInString {
        isInString = isEscaped || byte != UInt8(ascii: "\"")
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        add(text[start..<index])
        start = index + 1
      default: break
      }
    }
    add(text[start...])
    return members
  }

  /// Returns the key of a member, without quotes. Keys have no escapes.
  private static func key(of member: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    member.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
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
    innermost = Container(start: bytes.count, isInline: isInline)
    contents(&self)
    if !innermost.isSorted { sortMembers() }
    let hasLines = !innermost.isEmpty && !isInline
    innermost = outer.removeLast()
    sentDepth = min(sentDepth, outer.count + 1)
    if hasLines { startLine() }
    bytes.append(UInt8(ascii: closing))
  }

  /// Writes the separator before the innermost container's next member or element.
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
  /// Writes an object as an element, on one line, or as the value of a member.
  mutating func writeObject(_ members: (inout JSONWriter) -> Void) {
    writeContainer("{", "}", isInline: innermost.isInline || innermost.isArray, members)
    if innermost.isArray { sendPiece() }
  }

  /// Writes an array as an element or as the value of a member.
  mutating func writeArray(_ elements: (inout JSONWriter) -> Void) {
    writeContainer(
      "[", "]", isInline: innermost.isInline || innermost.isArray, elements)
  }

  package mutating func write(literal: String) { bytes.append(contentsOf: literal.utf8) }

  mutating func write(fixed literal: StaticString) {
    literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Writes a string. JSON is UTF-8: each maximal ill-formed sequence of bytes becomes U+FFFD, so two names
  /// that differ only there look the same.
  package mutating func write(text: ArraySlice<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    if !Self.isPlain(text), let special = text.firstIndex(where: { !Self.isPlain($0) }) {
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

  /// Whether no byte of `text` needs an escape. The loop has no branch, so that it can process many bytes at
  /// a time.
  private static func isPlain(_ text: ArraySlice<UInt8>) -> Bool {
    text.withContiguousStorageIfAvailable { text in
      var special: UInt8 = 0
      for byte in text {
        special |= byte &- 0x20 >= 0x60 ? 1 : 0
        special |= byte == UInt8(ascii: "\"") ? 1 : 0
        special |= byte == UInt8(ascii: "\\") ? 1 : 0
      }
      return special == 0
    } ?? false
  }

  /// Returns whether `byte` is an ASCII character that needs no escape in a string.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// Writes `"0x1f"` in the notation of `hexadecimal(_:)`, without creating a string: this is called for each
  /// function.
  mutating func write(hexadecimal value: UInt64) {
    write(fixed: "\"0x")
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
