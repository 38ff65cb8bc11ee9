import Addresses
import ImageModel

/// How a page map is drawn in text.
package struct PageMapStyle: Sendable {
  /// The columns of a line.
  package var width: Int
  /// Whether only ASCII can be shown.
  package var isASCII: Bool
  /// Whether to add colours, which say nothing that the characters don't.
  package var isColoured: Bool
  /// The bytes that a character stands for; `nil` for the fewest with which each map has at most `mostCells`.
  package var scale: MapScale?

  /// The characters of a map if no scale is asked for: sixteen lines of 64.
  package static let mostCells = 1024

  package init(
    width: Int = 80, isASCII: Bool = false, isColoured: Bool = false, scale: MapScale? = nil
  ) {
    self.width = width
    self.isASCII = isASCII
    self.isColoured = isColoured
    self.scale = scale
  }

  /// An untouched page; pages of which a startup function fills less than a quarter, less than half, less than three quarters, and
  /// more.
  var shares: [Character] { isASCII ? [".", "-", "+", "%", "#"] : ["·", "░", "▒", "▓", "█"] }
}

/// The bytes that a character of a map stands for.
package struct MapScale: Hashable, Sendable {
  /// As if they were one page.
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

  /// The smallest scale with which each of `maps` has at most `count` characters; at least a page.
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
