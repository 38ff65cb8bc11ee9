// Pages that a launch reads or writes, by section and by accessor
//
// A page belongs to its first touch other than an execution: to the section of the byte that was accessed, and to the
// accessor. So each page is in one row, and the rows add up to all pages. Loading comes first, if it was counted. A
// larger page belongs to the first touch of any of its parts.
//
// The first accessor of a page need not be the only one. So there are two more numbers for each accessor: the pages
// that it touches at all, and the pages that no other accessor touches. Only the pages of the second number would not
// be touched without that accessor.

import Addresses
import ImageModel

/// Pages that were read or written, by section and accessor.
package struct DataPages: Hashable, Sendable {
  /// Numbers of pages, one for each of `PagesDocument.pageSizes`.
  package typealias Counts = [Int]

  package struct Row: Hashable, Sendable {
    /// The section of the touched bytes; `nil` for memory outside the sections.
    package var section: String?
    package var segment: Segment
    package var accessor: Accessor
    package var pages: Counts

    package init(section: String?, segment: Segment, accessor: Accessor, pages: Counts) {
      self.section = section
      self.segment = segment
      self.accessor = accessor
      self.pages = pages
    }
  }

  package struct Share: Hashable, Sendable {
    package var accessor: Accessor
    /// The pages that the accessor touched first.
    package var pages: Counts
    /// The pages that the accessor touched at all, according to the accesses that were seen.
    package var touched: Counts
    /// The pages that no other accessor touched, not even by executing them.
    package var alone: Counts
  }

  /// The rows: by segment, then by address, then by accessor.
  package var rows: [Row]
  /// The numbers of pages of each accessor that touched a page.
  package var shares: [Share]
  package var total: Counts

  /// - Parameter image: touches of unknown accessors, in documents of older versions, are left out.
  /// - Complexity: O(*n* log *n*) for *n* touches.
  package init(of image: PagesDocument.Image) {
    let touches = ((image.loading ?? []) + image.pages).filter { $0.accessor != nil }
    let sizes = PagesDocument.pageSizes
    let everybody = Accessor.allCases
    let none = Counts(repeating: 0, count: sizes.count)

    var places: [Place] = []
    var placeIndexes: [Place.Key: Int] = [:]
    var sharesOfAll = everybody.map { Share(accessor: $0, pages: none, touched: none, alone: none) }
    var total = none
    for touch in touches where touch.access != .execute {
      let key = Place.Key(section: touch.section, segment: touch.segment)
      let start = touch.touched ?? touch.address
      if let index = placeIndexes[key] {
        places[index].start = min(places[index].start, start)
      } else {
        placeIndexes[key] = places.count
        places.append(Place(key: key, start: start, pages: everybody.map { _ in none }))
      }
    }
    for (index, size) in sizes.enumerated() {
      let owners = PageOwners(of: touches, size)
      for (touch, accessor, isFirst) in owners.firstTouches {
        sharesOfAll[accessor].touched[index] += 1
        guard isFirst else { continue }
        sharesOfAll[accessor].pages[index] += 1
        total[index] += 1
        let key = Place.Key(section: touch.section, segment: touch.segment)
        if let place = placeIndexes[key] { places[place].pages[accessor][index] += 1 }
      }
      for accessor in owners.alone { sharesOfAll[accessor].alone[index] += 1 }
    }
    self.total = total
    rows = places.sorted { a, b in
      (a.key.segment.order, a.start, a.key.section ?? "")
        < (b.key.segment.order, b.start, b.key.section ?? "")
    }.flatMap { place in
      everybody.indices.filter { place.pages[$0] != none }.map { index in
        Row(
          section: place.key.section, segment: place.key.segment, accessor: everybody[index],
          pages: place.pages[index])
      }
    }
    shares = sharesOfAll.filter { $0.touched != none }
  }

  /// A section, or memory of a segment outside the sections.
  private struct Place {
    struct Key: Hashable {
      var section: String?
      var segment: Segment
    }
    var key: Key
    /// The lowest address that was touched in the section or memory.
    var start: StatedAddress
    /// The numbers of pages for each accessor.
    var pages: [Counts]
  }
}

/// The accessors of each page, for one page size.
private struct PageOwners {
  /// The first touch of each page by each accessor, except for executions; and whether it is the first of all. Accessors
  /// are indexes into `Accessor.allCases`.
  private(set) var firstTouches: [(touch: PagesDocument.Page, accessor: Int, isFirst: Bool)] = []
  /// The accessors of pages that nobody else touches.
  private(set) var alone: [Int] = []

  init(of touches: [PagesDocument.Page], _ size: PageSize) {
    /// The accessors of each page, as one bit for each accessor.
    var owners: [StatedPage: UInt8] = [:]
    var pages: [StatedPage] = []
    for touch in touches where touch.access != .execute {
      guard let accessor = touch.accessor.flatMap({ Accessor.allCases.firstIndex(of: $0) }) else {
        continue
      }
      let page = size.page(of: touch.address)
      let before = owners[page] ?? 0
      guard before & 1 << accessor == 0 else { continue }
      if before == 0 { pages.append(page) }
      owners[page] = before | 1 << accessor
      firstTouches.append((touch, accessor, before == 0))
    }
    let executed = Set(
      touches.lazy.filter { $0.access == .execute }.map { size.page(of: $0.address) })
    for page in pages where !executed.contains(page) {
      guard let bits = owners[page], bits.nonzeroBitCount == 1 else { continue }
      alone.append(bits.trailingZeroBitCount)
    }
  }
}

extension Segment {
  fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
