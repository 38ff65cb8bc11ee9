/// The number of a page, counted from 0 at the start of its file or address space. It does not include the page size.
///
/// A page has at least 512 bytes, so numbers are below 2^55, and the distance of any two is an `Int`.
public struct PageNumber<Position: BytePosition>: Hashable, Sendable {
  public var rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  @inlinable public static func == (a: Self, b: Self) -> Bool { a.rawValue == b.rawValue }
  @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
  /// Sets call this function. The hash function of integers is faster than a `Hasher`: with a `Hasher`, the kernel
  /// models, which keep pages in sets, would take twice as long.
  @inlinable public func _rawHashValue(seed: Int) -> Int { rawValue._rawHashValue(seed: seed) }
}

/// A page of stated addresses.
public typealias StatedPage = PageNumber<StatedAddress>
/// A page in the address space of a process.
public typealias LoadedPage = PageNumber<LoadedAddress>
/// A page of a file.
public typealias FilePage = PageNumber<FileOffset>

extension PageNumber: Strideable {
  @inlinable public static var first: Self { Self(rawValue: 0) }

  @inlinable public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  @inlinable public func distance(to other: Self) -> Int {
    Int(other.rawValue) - Int(rawValue)
  }

  @inlinable public func advanced(by pageCount: Int) -> Self {
    Self(rawValue: UInt64(Int(rawValue) + pageCount))
  }

  @inlinable public static func + (page: Self, pageCount: UInt64) -> Self {
    Self(rawValue: page.rawValue + pageCount)
  }

  /// - Precondition: there are `pageCount` pages before `page`.
  @inlinable public static func - (page: Self, pageCount: UInt64) -> Self {
    Self(rawValue: page.rawValue - pageCount)
  }

  /// The number of pages from `start` to `end`.
  ///
  /// - Precondition: `end` is not before `start`.
  @inlinable public static func - (end: Self, start: Self) -> UInt64 {
    end.rawValue - start.rawValue
  }

  /// Returns the last page that is not after this page and whose number is a multiple of `pageCount`.
  @inlinable public func roundedDown(to pageCount: UInt64) -> Self {
    Self(rawValue: rawValue - rawValue % pageCount)
  }
}

extension PageNumber: CustomStringConvertible {
  public var description: String { "\(rawValue)" }
}
