/// A decimal number that arrives byte by byte; blanks around it are ignored. A negative number gives its two's
/// complement.
struct DecimalNumber {
  private enum State { case empty, negative, digits, behind, invalid }
  private var state = State.empty
  private var isNegative = false
  private var magnitude: UInt64 = 0

  /// Whether only blanks arrived.
  var isEmpty: Bool { state == .empty }

  /// `nil` if there is no number, if there is other text, or if the number needs more than 64 bits.
  var value: UInt64? {
    guard state == .digits || state == .behind else { return nil }
    return isNegative ? 0 &- magnitude : magnitude
  }

  mutating func append(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      let (tens, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      magnitude = sum
      state = state == .behind || state == .invalid || overflow || carry ? .invalid : .digits
    case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
      if state == .digits { state = .behind }
      if state == .negative { state = .invalid }
    case UInt8(ascii: "-") where state == .empty:
      isNegative = true
      state = .negative
    default: state = .invalid
    }
  }
}

extension XMLText {
  /// The value of a text of `0x` and hexadecimal digits, as addresses are written.
  var hexadecimalNumber: UInt64? {
    guard count > 2, count <= 18, self[0] == UInt8(ascii: "0"), self[1] | 0x20 == UInt8(ascii: "x")
    else { return nil }
    var value: UInt64 = 0
    for index in 2..<count {
      guard let digit = hexadecimalDigit(self[index]) else { return nil }
      value = value << 4 | UInt64(digit)
    }
    return value
  }

  /// The 16 bytes that 32 hexadecimal digits give, with hyphens anywhere between the digits.
  var uuid: [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for index in 0..<count where self[index] != UInt8(ascii: "-") {
      guard let digit = hexadecimalDigit(self[index]), bytes.count < 16 else { return nil }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return bytes.count == 16 && high == nil ? bytes : nil
  }

  /// The text in quotes, for messages.
  var quoted: String { "'\(String(decoding: bytes, as: UTF8.self))'" }
}

private func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}
