/// The position of a byte, counted from 0: an offset in a file, or an address.
///
/// Two positions of one kind have a distance in bytes. Positions of different kinds do not, and the compiler
/// rejects the difference.
public protocol BytePosition: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The position, in bytes.
  var rawValue: UInt64 { get set }
  init(rawValue: UInt64)
}

extension BytePosition {
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// The position as text in the usual form of addresses: `0x1f8`.
  public var description: String { hexadecimal(rawValue) }

  /// Returns the position `byteCount` bytes after this position; `nil` if it would be 2^64 or more.
  @inlinable public func advanced(by byteCount: UInt64) -> Self? {
    let (value, overflow) = rawValue.addingReportingOverflow(byteCount)
    return overflow ? nil : Self(rawValue: value)
  }

  /// The number of bytes from `start` to `end`.
  ///
  /// - Precondition: `end` is not before `start`.
  @inlinable public static func - (end: Self, start: Self) -> UInt64 {
    end.rawValue - start.rawValue
  }

  /// The position `byteCount` bytes after `start`. For a number from a file use `advanced(by:)`.
  ///
  /// - Precondition: the sum is below 2^64.
  @inlinable public static func + (start: Self, byteCount: UInt64) -> Self {
    Self(rawValue: start.rawValue + byteCount)
  }

  /// - Parameter unit: a number of bytes.
  /// - Returns: the last multiple of `unit` that is not after this position.
  @inlinable public func roundedDown(to unit: UInt64) -> Self {
    Self(rawValue: rawValue - rawValue % unit)
  }
}

extension Range where Bound: BytePosition {
  /// A range whose end would pass 2^64 is cut off there.
  @inlinable public init(start: Bound, size: UInt64) {
    self = start..<(start.advanced(by: size) ?? Bound(rawValue: .max))
  }

  /// The size of the range, in bytes.
  @inlinable public var size: UInt64 { upperBound - lowerBound }
}

/// `value` in the usual form of an address or an offset: lower case, `0x`, no padding.
public func hexadecimal(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }
