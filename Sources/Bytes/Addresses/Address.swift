// Each kind of number from a file or a process has its own type. So an offset is never added to an address by mistake,
// and an address in a process is never used as an address in a file without removing the slide.

/// A position in a file, in bytes from its start.
public struct FileOffset: BytePosition {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A virtual address as an image states it, before any slide ("SVMA").
public struct StatedAddress: BytePosition {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A virtual address seen in a running process: stated address + slide ("AVMA").
public struct LoadedAddress: BytePosition {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// An address counted from the first byte of its image in memory, in bytes: the same before and after loading.
public struct RelativeAddress: BytePosition {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// - Parameter start: the first byte of the image in memory.
  /// - Returns: `nil` if `address` lies before `start`.
  @inlinable public init?(_ address: LoadedAddress, from start: LoadedAddress) {
    guard address >= start else { return nil }
    rawValue = address - start
  }

  /// - Parameter start: the first byte that the loader maps.
  /// - Returns: `nil` if `address` lies before `start`.
  @inlinable public init?(_ address: StatedAddress, from start: StatedAddress) {
    guard address >= start else { return nil }
    rawValue = address - start
  }

  /// The loaded address of this byte, in an image that begins at `start`; `nil` if it would be 2^64 or more.
  @inlinable public func loaded(from start: LoadedAddress) -> LoadedAddress? {
    start.advanced(by: rawValue)
  }

  /// The stated address of this byte, in an image that begins at `start`; `nil` if it would be 2^64 or more.
  @inlinable public func stated(from start: StatedAddress) -> StatedAddress? {
    start.advanced(by: rawValue)
  }
}

/// The number that the loader adds to every stated address of one image, its load bias. It is modulo 2^64, so it can
/// be "negative".
public struct Slide: Hashable, Sendable {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The slide of an image whose byte at `stated` was loaded at `loaded`.
  @inlinable public init(from stated: StatedAddress, to loaded: LoadedAddress) {
    rawValue = loaded.rawValue &- stated.rawValue
  }
}

extension LoadedAddress {
  /// Returns the stated address of this loaded address: the difference from `slide`, modulo 2^64. It lies outside the
  /// image if this address is in another image.
  @inlinable public func stated(slide: Slide) -> StatedAddress {
    StatedAddress(rawValue: rawValue &- slide.rawValue)
  }
}

extension StatedAddress {
  /// Returns the loaded address of this stated address: the sum with `slide`, modulo 2^64.
  @inlinable public func loaded(slide: Slide) -> LoadedAddress {
    LoadedAddress(rawValue: rawValue &+ slide.rawValue)
  }
}
