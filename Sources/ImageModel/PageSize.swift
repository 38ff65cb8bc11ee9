import Addresses

/// The size of a page in bytes: a power of two.
package struct PageSize: Hashable, Sendable {
  package let bytes: UInt64

  /// - Returns: `nil` unless `bytes` is a power of two of at least 512.
  package init?(bytes: UInt64) {
    guard bytes >= 512, bytes & (bytes - 1) == 0 else { return nil }
    self.bytes = bytes
  }

  private init(kibibytes: UInt64) { bytes = kibibytes << 10 }
  package static let fourKibibytes = PageSize(kibibytes: 4)
  package static let sixteenKibibytes = PageSize(kibibytes: 16)
  package static let sixtyFourKibibytes = PageSize(kibibytes: 64)

  /// The number of the page that holds `address`.
  package func page(of address: StatedAddress) -> UInt64 { address.rawValue / bytes }

  /// The numbers of the pages that `range` lies on; an empty range lies on the page of its start.
  package func pages(of range: AddressRange) -> ClosedRange<UInt64> {
    let last = range.size == 0 ? range.start.rawValue : range.start.rawValue + (range.size - 1)
    return range.start.rawValue / bytes...last / bytes
  }
}
