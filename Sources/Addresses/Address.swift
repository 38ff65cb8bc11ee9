// Numbers from a file or a process, each kind with its own type, so that an offset is never added to an
// address by mistake, and an address in a process is never used as an address in a file without removing the
// slide.

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

/// Where a byte of an image is in memory, in bytes from the image's first one there: the same before and after
/// loading.
public struct RelativeAddress: BytePosition {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// - Parameter start: of the image in memory.
  /// - Returns: `nil` if `address` lies before `start`.
  @inlinable public init?(_ address: LoadedAddress, from start: LoadedAddress) {
    guard address >= start else { return nil }
    rawValue = address - start
  }

  /// - Parameter start: of what the loader maps of the image.
  /// - Returns: `nil` if `address` lies before `start`.
  @inlinable public init?(_ address: StatedAddress, from start: StatedAddress) {
    guard address >= start else { return nil }
    rawValue = address - start
  }

  /// Where this is in an image that begins at `start`; `nil` past 2^64.
  @inlinable public func loaded(from start: LoadedAddress) -> LoadedAddress? {
    start.advanced(by: rawValue)
  }

  /// Where this is in an image that begins at `start`; `nil` past 2^64.
  @inlinable public func stated(from start: StatedAddress) -> StatedAddress? {
    start.advanced(by: rawValue)
  }
}

/// What the loader added to every stated address of one image: its load bias, modulo 2^64, so that one can be
/// "negative".
public struct Slide: Hashable, Sendable {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Of an image that has the byte at `loaded` that it states at `stated`.
  @inlinable public init(from stated: StatedAddress, to loaded: LoadedAddress) {
    rawValue = loaded.rawValue &- stated.rawValue
  }
}

extension LoadedAddress {
  /// This address as its image states it, modulo 2^64; that of another image gives one outside of this one.
  @inlinable public func stated(slide: Slide) -> StatedAddress {
    StatedAddress(rawValue: rawValue &- slide.rawValue)
  }
}

extension StatedAddress {
  /// Where the loader has put it, modulo 2^64.
  @inlinable public func loaded(slide: Slide) -> LoadedAddress {
    LoadedAddress(rawValue: rawValue &+ slide.rawValue)
  }
}
