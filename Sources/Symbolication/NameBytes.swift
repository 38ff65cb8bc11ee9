// Names are bytes: these are the few tests of the C locale that reading them needs.

func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

func isUpperCase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }

func isLowerCase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }

/// The digits of the numbers in mangled names, which are always lower case.
func isLowerHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || byte &- UInt8(ascii: "a") < 6 }

/// A letter or `_`.
func isWordByte(_ byte: UInt8) -> Bool { isLowerCase(byte | 0x20) || byte == UInt8(ascii: "_") }

/// What a symbol version is written with.
func isVersionByte(_ byte: UInt8) -> Bool {
  isWordByte(byte) || isDigit(byte) || byte == UInt8(ascii: ".")
}

/// Whether `range` of `bytes` holds exactly `text`.
func matches(_ text: StaticString, _ bytes: [UInt8], _ range: Range<Int>) -> Bool {
  guard range.count == text.utf8CodeUnitCount else { return false }
  return text.withUTF8Buffer { $0.elementsEqual(bytes[range]) }
}

/// Whether `range` of `bytes` begins with `text`.
func begins(with text: StaticString, _ bytes: [UInt8], _ range: Range<Int>) -> Bool {
  let end = range.lowerBound + text.utf8CodeUnitCount
  return end <= range.upperBound && matches(text, bytes, range.lowerBound..<end)
}
