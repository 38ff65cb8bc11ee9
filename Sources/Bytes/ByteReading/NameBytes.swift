// Tests of bytes as in the C locale. Names are bytes, and reading them needs only these tests.

@inlinable public func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

@inlinable public func isUpperCase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }

@inlinable public func isLowerCase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }

/// A hexadecimal digit in a mangled name; these digits are always lower case.
@inlinable public func isLowerHexDigit(_ byte: UInt8) -> Bool {
  isDigit(byte) || byte &- UInt8(ascii: "a") < 6
}

/// Whether `byte` is a letter or `_`.
@inlinable public func isWordByte(_ byte: UInt8) -> Bool {
  isLowerCase(byte | 0x20) || byte == UInt8(ascii: "_")
}

/// Whether `byte` can be part of a symbol's version (`f@VERSION`).
@inlinable public func isVersionByte(_ byte: UInt8) -> Bool {
  isWordByte(byte) || isDigit(byte) || byte == UInt8(ascii: ".")
}

/// Whether `range` of `bytes` is exactly `text`.
@inlinable public func matches(_ text: StaticString, _ bytes: [UInt8], _ range: Range<Int>) -> Bool
{
  guard range.count == text.utf8CodeUnitCount else { return false }
  return text.withUTF8Buffer { $0.elementsEqual(bytes[range]) }
}

/// Whether `range` of `bytes` begins with `text`.
@inlinable public func begins(with text: StaticString, _ bytes: [UInt8], _ range: Range<Int>)
  -> Bool
{
  let end = range.lowerBound + text.utf8CodeUnitCount
  return end <= range.upperBound && matches(text, bytes, range.lowerBound..<end)
}

/// Returns 8 bytes as one little-endian number.
///
/// - Precondition: the 8 bytes are within `bytes`.
@inlinable @inline(__always)
func word(_ bytes: RawSpan, _ position: Int) -> UInt64 {
  // The function checks the index against the span's end. It is called "unsafe" because of types for which not every
  // bit pattern is valid.
  UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
}

/// The last `@` in `range` of `bytes`, or `nil`. It tests 8 bytes at a time, because nearly all names contain no `@`.
@inlinable public func lastIndex(ofAtSignIn bytes: [UInt8], _ range: Range<Int>) -> Int? {
  let ones: UInt64 = 0x0101_0101_0101_0101
  var end = range.upperBound
  while end - range.lowerBound >= 8 {
    // The exclusive or makes each `@` a zero byte, which the next line finds by the classic test for zero bytes
    // (Mycroft 1987).
    let differences = word(bytes.span.bytes, end - 8) ^ ones &* UInt64(UInt8(ascii: "@"))
    if (differences &- ones) & ~differences & (ones << 7) != 0 { break }
    end -= 8
  }
  return bytes[range.lowerBound..<end].lastIndex(of: UInt8(ascii: "@"))
}
