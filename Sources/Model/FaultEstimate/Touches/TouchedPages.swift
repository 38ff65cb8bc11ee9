/// What the startup functions of one section, or of all sections, touch.
package struct TouchedPages: Hashable, Sendable {
  /// The number of distinct bodies: aliases at one address count once.
  package var startupFunctions = 0
  /// The size in bytes of the union of their ranges and of the sections that count whole: overlaps count
  /// once.
  package var startupBytes: UInt64 = 0
  /// In the row of a section: the pages that no section with more startup bytes touches. Sections that count
  /// whole come after all others.
  package var pages = 0
  /// The pages that `startupBytes` would fill without gaps; in a row, its share of the total's.
  package var floorPages = 0
  /// Aligned windows of 64 KiB; in a row, those that no section with more startup bytes touches, likewise.
  package var windows64k = 0

  package init() {}

  /// The sum of two sections of one estimate, in which nothing is counted twice.
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
