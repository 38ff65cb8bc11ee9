// Numbers that come out of a file or a process, each in a type of its own, so that an offset is never
// added to an address by accident and no address crosses from a process to a file unslid.

/// A position in a file, in bytes from its start.
public struct FileOffset: Hashable, Sendable {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A virtual address as an image states it, before any slide ("SVMA").
public struct StatedAddress: Hashable, Sendable {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A virtual address seen in a running process: stated address + slide ("AVMA").
public struct LoadedAddress: Hashable, Sendable {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// What the loader added to every stated address of one image: its load bias, modulo 2^64.
public struct Slide: Hashable, Sendable {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
}

extension LoadedAddress {
  /// This address as its image states it.
  ///
  /// - Returns: `nil` if the address lies below the slide and so cannot be this image's.
  public func stated(slide: Slide) -> StatedAddress? {
    let (value, underflow) = rawValue.subtractingReportingOverflow(slide.rawValue)
    return underflow ? nil : StatedAddress(rawValue: value)
  }
}

extension FileOffset: Comparable, CustomStringConvertible {
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  public var description: String { hexadecimal(rawValue) }
}

extension StatedAddress: Comparable, CustomStringConvertible {
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  public var description: String { hexadecimal(rawValue) }

  /// The address `byteCount` bytes further on; `nil` past the end of the address space.
  @inlinable public func advanced(by byteCount: UInt64) -> StatedAddress? {
    let (value, overflow) = rawValue.addingReportingOverflow(byteCount)
    return overflow ? nil : StatedAddress(rawValue: value)
  }
}

extension LoadedAddress: Comparable, CustomStringConvertible {
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  public var description: String { hexadecimal(rawValue) }
}

/// `value` as people and tools write an address or an offset: lower case, `0x`, no padding.
public func hexadecimal(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }
