import Addresses
import ByteReading

/// Reads the fields at the beginning of a line of an ld64 map.
///
/// Each read advances past the field that it parsed, and past the tab or blank after it.
package struct LD64Fields {
  package let bytes: FileBytes
  package var position: Int
  package let end: Int

  @inline(__always)
  package init(bytes: FileBytes, position: Int, end: Int) {
    self.bytes = bytes
    self.position = position
    self.end = end
  }

  /// Reads `0x`, hexadecimal digits and a tab.
  ///
  /// - Returns: `nil` if there is no such field, or the number has more than 64 bits.
  @inline(__always)
  package mutating func number() -> UInt64? {
    var next = position &+ 2
    guard next < end, bytes[position] == UInt8(ascii: "0"),
      bytes[position &+ 1] == UInt8(ascii: "x")
    else { return nil }
    let firstDigit = next
    var value: UInt64 = 0
    if next &+ 8 <= end, let eight = Self.eightDigits(bytes.loadUnaligned(UInt64.self, at: next)) {
      value = eight
      next &+= 8
    }
    while next < end {
      let byte = bytes[next]
      var digit = UInt64(byte &- UInt8(ascii: "0"))
      if digit > 9 {
        // The bit 0x20 makes letters lower-case, so that both cases are accepted.
        let letter = (byte | 0x20) &- UInt8(ascii: "a")
        guard letter < 6 else { break }
        digit = UInt64(letter &+ 10)
      }
      guard value >> 60 == 0 else { return nil }
      value = value << 4 | digit
      next &+= 1
    }
    guard next > firstDigit, next < end, bytes[next] == UInt8(ascii: "\t") else { return nil }
    position = next &+ 1
    return value
  }

  @inline(__always)
  mutating func address() -> StatedAddress? { number().map(StatedAddress.init(rawValue:)) }

  /// Returns the value of 8 upper-case hexadecimal digits; nearly all numbers have 8. It converts all digits at once: a
  /// conversion digit by digit takes as long as all the rest of reading a line.
  ///
  /// - Parameter text: the 8 bytes as loaded from the map.
  /// - Returns: `nil` if one of the bytes is not such a digit.
  @inline(__always)
  private static func eightDigits(_ text: UInt64) -> UInt64? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let text = UInt64(littleEndian: text)
    // The value of each byte: for the letters 0x41 to 0x46 the low half plus 9, for the digits 0x30 to 0x39 the low
    // half.
    let letters = text >> 6 & ones
    let values = (text & ones &* 0x0f) &+ letters &* 9
    // The values are formatted as digits again. If a byte is no digit, the result differs from the text, or a value
    // exceeds 15.
    let written = values &+ ones &* 0x30 &+ ((values &+ ones &* 6) >> 4 & ones) &* 7
    guard written == text, values & ones &* 0x10 == 0 else { return nil }
    // The values are put in order of significance, the first digit highest. Then neighboring values are joined: halves
    // of bytes, bytes, and pairs of bytes.
    var joined = values.byteSwapped
    joined = (joined | joined >> 4) & 0x00ff_00ff_00ff_00ff
    joined = (joined | joined >> 8) & 0x0000_ffff_0000_ffff
    return (joined | joined >> 16) & 0xffff_ffff
  }

  /// The index of an object file, `[  7] `: at least three columns wide, padded with blanks.
  ///
  /// - Returns: `nil` if there is no such field, or the number has more than 64 bits.
  @inline(__always)
  package mutating func fileIndex() -> UInt64? {
    guard position < end, bytes[position] == UInt8(ascii: "[") else { return nil }
    var next = position &+ 1
    while next < end, bytes[next] == UInt8(ascii: " ") { next &+= 1 }
    let firstDigit = next
    var value: UInt64 = 0
    while next < end {
      let digit = bytes[next] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(UInt64(digit))
      guard !overflow, !carry else { return nil }
      value = sum
      next &+= 1
    }
    guard next > firstDigit, bytes.hasPrefix("] ", at: next), next &+ 2 <= end else { return nil }
    position = next &+ 2
    return value
  }

  /// Advances past the marker in place of a dead-stripped symbol's address, and the tab after it. ld64
  /// classic puts a blank between the two.
  ///
  /// - Returns: whether the marker is there.
  package mutating func isDead() -> Bool {
    for text: StaticString in ["<<dead>>\t", "<<dead>> \t"]
    where bytes.hasPrefix(text, at: position) && position + text.utf8CodeUnitCount <= end {
      position += text.utf8CodeUnitCount
      return true
    }
    return false
  }
}
