/// The figures of the startup functions of one section, or of all sections.
package struct TouchedPages: Hashable, Sendable {
  /// The number of distinct bodies: aliases at one address count once.
  package var startupFunctions = 0
  /// The size in bytes of the union of the ranges of these functions and of the sections that count whole: overlaps
  /// count once.
  package var startupBytes: UInt64 = 0
  /// The number of touched pages. The row of a section has only the pages that no section with more startup bytes
  /// touches. Sections that count whole come after all others.
  package var pages = 0
  /// The number of pages that `startupBytes` would fill without gaps; in a row, its share of the total's.
  package var floorPages = 0
  /// The number of touched, aligned windows of 64 KiB. The row of a section has only the windows that no section with
  /// more startup bytes touches.
  package var windows64k = 0

  package init() {}

  /// Returns the sum of two sections of one estimate, which count nothing twice.
  package static func + (a: Self, b: Self) -> Self {
    var sum = a
    sum.startupFunctions += b.startupFunctions
    sum.startupBytes += b.startupBytes
    sum.pages += b.pages
    sum.floorPages += b.floorPages
    sum.windows64k += b.windows64k
    return sum
  }
}
