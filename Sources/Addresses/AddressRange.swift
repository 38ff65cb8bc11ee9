/// A half-open run of stated addresses: `start ..< start + size`, never past the end of the address
/// space.
public struct AddressRange: Hashable, Sendable {
  public let start: StatedAddress
  /// In bytes; 0 is an empty range that contains nothing.
  public let size: UInt64

  /// A range whose end would pass 2^64 is cut off there: files state such sizes, and a range must not
  /// wrap around.
  @inlinable public init(start: StatedAddress, size: UInt64) {
    self.start = start
    self.size = Swift.min(size, UInt64.max - start.rawValue)
  }

  /// The first address behind the range.
  @inlinable public var end: StatedAddress {
    StatedAddress(rawValue: start.rawValue + size)  // cannot overflow: init limits the size
  }

  @inlinable public func contains(_ address: StatedAddress) -> Bool {
    address >= start && address.rawValue - start.rawValue < size
  }

  /// The part that lies in both ranges; `nil` if there is none.
  public func intersection(_ other: AddressRange) -> AddressRange? {
    let low = Swift.max(start, other.start)
    let high = Swift.min(end, other.end)
    guard low < high else { return nil }
    return AddressRange(start: low, size: high.rawValue - low.rawValue)
  }
}
