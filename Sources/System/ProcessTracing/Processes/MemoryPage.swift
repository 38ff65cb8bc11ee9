import Addresses

/// The pages of a process's memory.
package enum MemoryPage {
  /// The size of a page in bytes.
  package static let size: UInt64 = 4096

  /// The page that holds `address`.
  static func page(holding address: LoadedAddress) -> Range<LoadedAddress> {
    Range(start: address.roundedDown(to: size), size: size)
  }

  /// The first bytes of the pages on which `range` lies, ascending; none if `range` is empty.
  static func pages(of range: Range<LoadedAddress>) -> some Sequence<LoadedAddress> {
    let first = range.isEmpty ? range.upperBound : range.lowerBound.roundedDown(to: size)
    return stride(from: first.rawValue, to: range.upperBound.rawValue, by: Int(size)).lazy
      .map(LoadedAddress.init(rawValue:))
  }
}
