// The pages of data that a launch touches, and what holds them
//
// A launch of a fresh image reads and writes pages of data for several reasons, and an order changes only some of them:
//
// - The loader writes to it. All words that it relocates are known from the image, whatever the program does.
// - What was touched has a name, so an entry can move it.
// - What was touched has none: strings and constants that the compiler or the linker merged.
// - It is of no section that linkers order.
//
// On each page only the first touch is seen. So it is known what holds a page, but not what else does.

import Addresses
import ImageModel
import OrderFileFormat
import PagesFormat
import Symbolication

/// What a launch touched of the data of a build.
struct LaunchDataPages {
  private let data: DataLayout
  private let rows: [PagesDocument.Page]
  private let executed: [PagesDocument.Page]

  /// - Parameter pages: what a launch touched of the image whose data are `data`.
  init(_ data: DataLayout, _ pages: PagesDocument.Image) {
    self.data = data
    let all = (pages.loading ?? []) + pages.pages
    rows = all.filter { row in
      row.access != .execute && (row.accessor == .program || row.accessor == .kernel)
    }
    executed = all.filter { $0.access == .execute }
  }

  /// The distinct pages of that size, without those that were executed, too.
  func pages(_ size: PageSize) -> Int {
    let touched = rows.map(\.address) + data.relocatedWords
    return Set(touched.map(size.page(of:))).subtracting(executed.map { size.page(of: $0.address) })
      .count
  }

  /// The variables and constants that were touched, and that `order` does not place, in time order.
  func missing(from order: OrderFile, _ architecture: Architecture?) -> [Part] {
    let layout = data.layout
    var seen = Set(
      order.parts(in: layout, architecture: architecture).joined().map(layout.canonical))
    return rows.compactMap { row in
      guard let address = row.touched, case .symbol(let names)? = data.place(at: address),
        let first = names.first
      else { return nil }
      let part = layout.canonical(Part(first))
      return seen.insert(part).inserted ? part : nil
    }
  }

  /// The entries for `parts` of the data, with all their names.
  func entries(
    of parts: [Part], for dialect: OrderFileDialect, _ architecture: Architecture?
  ) -> [OrderFileEntry] {
    PlacingEntries(
      of: parts.flatMap(data.layout.allAliases), in: SymbolMap(data.layout), for: dialect,
      architecture: architecture
    ).dataEntries
  }

  /// What holds the pages of 4 KiB, each by the first reason that holds for it.
  func holders(_ order: OrderFile, _ architecture: Architecture?) -> RefineDocument.DataPages {
    let size = PageSize.fourKibibytes
    let placed = Set(
      order.parts(in: data.layout, architecture: architecture).joined().map(data.layout.canonical))
    var pages = RefineDocument.DataPages()
    var seen = Set(executed.map { size.page(of: $0.address) })
    for word in data.relocatedWords where seen.insert(size.page(of: word)).inserted {
      pages.loader += 1
    }
    for row in rows where seen.insert(size.page(of: row.address)).inserted {
      switch row.touched.flatMap(data.place(at:)) {
      case .symbol(let names)?:
        let part = names.first.map { data.layout.canonical(Part($0)) }
        if part.map(placed.contains) ?? false { pages.listed += 1 } else { pages.unlisted += 1 }
      case .unnamed?, .string?: pages.unnamed += 1
      case nil: pages.other += 1
      }
    }
    return pages
  }
}
