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

  /// The page that holds `address`.
  package func page(of address: StatedAddress) -> StatedPage {
    StatedPage(rawValue: address.rawValue / bytes)
  }

  /// The page that holds the byte at `offset`.
  package func page(of offset: FileOffset) -> FilePage {
    FilePage(rawValue: offset.rawValue / bytes)
  }

  /// The pages that `range` lies on; an empty range lies on the page of its start.
  package func pages(of range: AddressRange) -> ClosedRange<StatedPage> {
    let last = range.size == 0 ? range.start : range.start + (range.size - 1)
    return page(of: range.start)...page(of: last)
  }

  /// The first byte of a page.
  ///
  /// - Precondition: `page` holds an address.
  package func start(of page: StatedPage) -> StatedAddress {
    StatedAddress(rawValue: page.rawValue * bytes)
  }
}
