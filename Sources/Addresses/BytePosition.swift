/// Where a byte is, counted from 0: an offset in a file, or an address.
///
/// Two positions of one kind have a distance in bytes. Those of different kinds have nothing in common, and the
/// compiler says so.
public protocol BytePosition: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// In bytes.
  var rawValue: UInt64 { get set }
  init(rawValue: UInt64)
}

extension BytePosition {
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// As people and tools write it: `0x1f8`.
  public var description: String { hexadecimal(rawValue) }

  /// The position `byteCount` bytes further on; `nil` past 2^64.
  @inlinable public func advanced(by byteCount: UInt64) -> Self? {
    let (value, overflow) = rawValue.addingReportingOverflow(byteCount)
    return overflow ? nil : Self(rawValue: value)
  }

  /// The bytes from `start` to `end`.
  ///
  /// - Precondition: `end` is not before `start`.
  @inlinable public static func - (end: Self, start: Self) -> UInt64 {
    end.rawValue - start.rawValue
  }

  /// The position `byteCount` bytes behind `start`, which is known to be one: for what a file says there is
  /// `advanced(by:)`.
  ///
  /// - Precondition: it does not pass 2^64.
  @inlinable public static func + (start: Self, byteCount: UInt64) -> Self {
    Self(rawValue: start.rawValue + byteCount)
  }

  /// - Parameter unit: in bytes.
  /// - Returns: the last multiple of `unit` that is not behind this.
  @inlinable public func roundedDown(to unit: UInt64) -> Self {
    Self(rawValue: rawValue - rawValue % unit)
  }
}

extension Range where Bound: BytePosition {
  /// A range whose end would pass 2^64 is cut off there.
  @inlinable public init(start: Bound, size: UInt64) {
    self = start..<(start.advanced(by: size) ?? Bound(rawValue: .max))
  }

  /// In bytes.
  @inlinable public var size: UInt64 { upperBound - lowerBound }
}

/// `value` as people and tools write an address or an offset: lower case, `0x`, no padding.
public func hexadecimal(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }
