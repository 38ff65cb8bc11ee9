/// The name of a symbol as bytes, exactly as in the object: usually UTF-8, but not always.
package struct SymbolName: Hashable, Sendable {
  /// The bytes of the name, without a terminating zero.
  package var bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }
  package init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
  package init(_ text: String) { bytes = Array(text.utf8) }

  /// Hashes eight bytes at a time: the standard library hashes an array byte by byte.
  package func hash(into hasher: inout Hasher) {
    let span = bytes.span
    var rest = UInt64(span.count)
    var place = 0
    while place < span.count {
      rest = rest << 8 | UInt64(span[place])
      place += 1
      if place & 7 == 0 {
        hasher.combine(rest)
        rest = UInt64(span.count)
      }
    }
    hasher.combine(rest)
  }
}

extension SymbolName: Comparable, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// Compares names bytewise, so that the order is the same on every machine and in every locale.
  package static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
  package init(stringLiteral value: String) { self.init(value) }
  /// The name for people: bytes that are not UTF-8 become U+FFFD.
  package var description: String { String(decoding: bytes, as: UTF8.self) }
}
