import ByteReading

/// Reads the right-justified numbers at the beginning of a line of a map in columns.
///
/// Each read advances past the field that it parsed. A field must fill its column: it ends where the column
/// ends, or it is wider and begins where the column begins. So the second half of a name with a line feed is
/// hardly ever taken for a number.
package struct ColumnFields {
  package let bytes: FileBytes
  package var position: Int
  package let end: Int

  @inline(__always)
  package init(bytes: FileBytes, position: Int, end: Int) {
    self.bytes = bytes
    self.position = position
    self.end = end
  }

  /// Reads lower-case hexadecimal digits, with or without `0x`.
  ///
  /// - Returns: `nil` if there is no such number, or it has more than 64 bits.
  @inline(__always)
  package mutating func hexadecimal(width: Int) -> UInt64? {
    let start = position
    skipBlanks(atMost: width)
    let first = position
    if position &+ 1 < end, bytes[position] == UInt8(ascii: "0"),
      bytes[position &+ 1] == UInt8(ascii: "x")
    {
      position &+= 2
    }
    let firstDigit = position
    var value: UInt64 = 0
    while position < end {
      let byte = bytes[position]
      var digit = UInt64(byte &- UInt8(ascii: "0"))
      if digit > 9 {
        let letter = byte &- UInt8(ascii: "a")
        guard letter < 6 else { break }
        digit = UInt64(letter &+ 10)
      }
      guard value >> 60 == 0 else { return nil }
      value = value << 4 | digit
      position &+= 1
    }
    return position > firstDigit && fills(width, start, first) ? value : nil
  }

  /// Reads decimal digits.
  ///
  /// - Returns: `nil` if there is no such number, or it has more than 64 bits.
  @inline(__always)
  package mutating func decimal(width: Int) -> UInt64? {
    let start = position
    skipBlanks(atMost: width)
    let first = position
    var value: UInt64 = 0
    while position < end {
      let digit = bytes[position] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(UInt64(digit))
      guard !overflow, !carry else { return nil }
      value = sum
      position &+= 1
    }
    return position > first && fills(width, start, first) ? value : nil
  }

  /// Advances past the blank between two fields; `false` if there is none.
  @inline(__always)
  package mutating func separator() -> Bool {
    guard position < end, bytes[position] == UInt8(ascii: " ") else { return false }
    position &+= 1
    return true
  }

  @inline(__always)
  private mutating func skipBlanks(atMost count: Int) {
    let limit = min(end, position &+ count)
    while position < limit, bytes[position] == UInt8(ascii: " ") { position &+= 1 }
  }

  private func fills(_ width: Int, _ start: Int, _ first: Int) -> Bool {
    let count = position &- start
    return count == width || count > width && first == start
  }
}
