// The tokens of the names that `RustV0Printer` reads: tags, numbers, identifiers; and its output.

import ByteReading

extension RustV0Printer {
  mutating func next() throws(NotUnderstood) -> Unicode.Scalar {
    guard position < end, bytes[position] < 0x80 else { throw NotUnderstood() }
    defer { position += 1 }
    return Unicode.Scalar(bytes[position])
  }

  mutating func eat(_ tag: Unicode.Scalar) -> Bool {
    guard position < end, Unicode.Scalar(bytes[position]) == tag else { return false }
    position += 1
    return true
  }

  /// Reads a number in base 62: `_` is 0, `0_` is 1, `Z_` is 62, `10_` is 63.
  mutating func base62() throws(NotUnderstood) -> UInt64 {
    if eat("_") { return 0 }
    var value: UInt64 = 0
    while !eat("_") {
      let byte = UInt8(ascii: try next())
      let digit: UInt8
      switch byte {
      case _ where isDigit(byte): digit = byte - UInt8(ascii: "0")
      case _ where isLowerCase(byte): digit = byte - UInt8(ascii: "a") + 10
      case _ where isUpperCase(byte): digit = byte - UInt8(ascii: "A") + 36
      default: throw NotUnderstood()
      }
      let (product, overflow) = value.multipliedReportingOverflow(by: 62)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      guard !overflow, !carry else { throw NotUnderstood() }
      value = sum
    }
    guard value < .max else { throw NotUnderstood() }
    return value + 1
  }

  /// Reads `tag` and the number after it. Returns the number plus 1; 0 if another tag follows.
  mutating func tagged(_ tag: Unicode.Scalar) throws(NotUnderstood) -> UInt64 {
    guard eat(tag) else { return 0 }
    let value = try base62()
    guard value < .max else { throw NotUnderstood() }
    return value + 1
  }

  mutating func disambiguator() throws(NotUnderstood) -> UInt64 { try tagged("s") }

  mutating func hexNibbles() throws(NotUnderstood) -> Range<Int> {
    let first = position
    while position < end, isLowerHexDigit(bytes[position]) { position += 1 }
    guard eat("_") else { throw NotUnderstood() }
    return first..<position - 1
  }

  /// Returns the value of hexadecimal digits; `nil` if the number has more than 64 bits.
  func value(ofHex nibbles: Range<Int>) -> UInt64? {
    let significant = bytes[nibbles].drop { $0 == UInt8(ascii: "0") }
    guard significant.count <= 16 else { return nil }
    return significant.reduce(0) { $0 << 4 | UInt64(hexDigit($1)) }
  }

  func hexDigit(_ byte: UInt8) -> UInt8 {
    isDigit(byte) ? byte - UInt8(ascii: "0") : byte - UInt8(ascii: "a") + 10
  }

  mutating func identifier() throws(NotUnderstood) -> RustIdentifier {
    let isPunycode = eat("u")
    var count = 0
    guard position < end, isDigit(bytes[position]) else { throw NotUnderstood() }
    if !eat("0") {
      while position < end, isDigit(bytes[position]) {
        count = count * 10 + Int(bytes[position] - UInt8(ascii: "0"))
        guard count <= end else { throw NotUnderstood() }
        position += 1
      }
    }
    _ = eat("_")
    guard end - position >= count else { throw NotUnderstood() }
    defer { position += count }
    return RustIdentifier(bytes: bytes[position..<position + count], isPunycode: isPunycode)
  }

  mutating func print(_ text: some Collection<UInt8>) throws(NotUnderstood) {
    guard silence == 0 else { return }
    guard self.text.count + text.count <= Self.maximumText else { throw NotUnderstood() }
    self.text += text
  }

  mutating func print(_ text: String) throws(NotUnderstood) { try print(text.utf8) }

  mutating func printIdentifier(_ identifier: RustIdentifier) throws(NotUnderstood) {
    guard identifier.isPunycode else { return try print(identifier.bytes) }
    guard let decoded = identifier.decoded else { throw NotUnderstood() }
    try print(decoded)
  }
}
