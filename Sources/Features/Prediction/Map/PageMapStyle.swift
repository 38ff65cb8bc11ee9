import Addresses
import ImageModel

/// How a page map is drawn in text.
package struct PageMapStyle: Sendable {
  /// The number of columns of a line.
  package var width: Int
  /// Whether the map uses only ASCII characters.
  package var isASCII: Bool
  /// Whether to add colours. Colours show nothing that the characters don't show.
  package var isColoured: Bool
  /// The number of bytes that a character represents; `nil` for the smallest number with which each map has at most
  /// `mostCells` characters.
  package var scale: MapScale?

  /// The largest number of characters of a map if no scale is asked for: sixteen lines of 64.
  package static let mostCells = 1024

  package init(
    width: Int = 80, isASCII: Bool = false, isColoured: Bool = false, scale: MapScale? = nil
  ) {
    self.width = width
    self.isASCII = isASCII
    self.isColoured = isColoured
    self.scale = scale
  }

  /// The characters for an untouched page, and for a page whose share of startup code is below a quarter, below half,
  /// below three quarters, or larger.
  var shares: [Character] { isASCII ? [".", "-", "+", "%", "#"] : ["·", "░", "▒", "▓", "█"] }
}

/// The number of bytes that a character of a map represents.
package struct MapScale: Hashable, Sendable {
  /// The number of bytes, as a page size.
  package let unit: PageSize

  package static let largest: UInt64 = 1 << 30

  /// - Parameter text: `4k`, `64K`, `1m`; a power of two of at least 4 KiB and at most 1 GiB.
  package init?(_ text: String) {
    let units: [Character: UInt64] = ["k": 1 << 10, "m": 1 << 20, "g": 1 << 30]
    guard let unit = text.lowercased().last.flatMap({ units[$0] }),
      let count = UInt64(text.dropLast()),
      !text.hasPrefix("+"), count <= Self.largest / unit,
      let bytes = PageSize(bytes: count * unit), bytes.bytes >= 4096
    else { return nil }
    self.unit = bytes
  }

  private init(_ unit: PageSize) { self.unit = unit }

  /// Returns the smallest scale with which each of `maps` has at most `count` characters. A character is at least a
  /// page.
  static func fitting(_ maps: [[AddressRange]], in count: Int, _ pageSize: PageSize) -> Self {
    var unit = pageSize
    func isTooLarge(_ segments: [AddressRange]) -> Bool {
      segments.reduce(0) { $0 + unit.pageCount(of: $1) } > count
    }
    while unit.bytes < largest, maps.contains(where: isTooLarge),
      let next = PageSize(bytes: unit.bytes * 2)
    { unit = next }
    return Self(unit)
  }
}

extension PageSize {
  func pageCount(of range: AddressRange) -> Int {
    let pages = pages(of: range)
    return pages.lowerBound.distance(to: pages.upperBound) + 1
  }
}
