/// A half-open range of stated addresses, `start ..< start + size`, which never exceeds the address space.
public struct AddressRange: Hashable, Sendable {
  public let start: StatedAddress
  /// The size in bytes; an empty range has size 0 and contains nothing.
  public let size: UInt64

  /// Truncates a range that would exceed 2^64: files may state such sizes, and a range must not wrap around.
  @inlinable public init(start: StatedAddress, size: UInt64) {
    self.start = start
    self.size = Swift.min(size, UInt64.max - start.rawValue)
  }

  /// The first address after the range.
  @inlinable public var end: StatedAddress {
    StatedAddress(rawValue: start.rawValue + size)  // cannot overflow: init limits the size
  }

  @inlinable public func contains(_ address: StatedAddress) -> Bool {
    address >= start && address.rawValue - start.rawValue < size
  }

  /// The addresses in the range, ascending.
  public var addresses: some Sequence<StatedAddress> {
    (0..<size).lazy.map { StatedAddress(rawValue: start.rawValue + $0) }
  }

  /// The intersection of both ranges; `nil` if it is empty.
  public func intersection(_ other: AddressRange) -> AddressRange? {
    let low = Swift.max(start, other.start)
    let high = Swift.min(end, other.end)
    guard low < high else { return nil }
    return AddressRange(start: low, size: high.rawValue - low.rawValue)
  }
}
