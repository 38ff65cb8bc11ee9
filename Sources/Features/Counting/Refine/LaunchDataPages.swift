// The pages of data that a launch touches, and what they hold
//
// A launch of a fresh image reads and writes pages of data for several reasons. An order changes only some of them:
//
// - The loader writes to the page. The image shows all words that the loader relocates, whatever the program does.
// - The touched variable or constant has a name, so that an entry can move it.
// - The touched bytes have no name: they are strings and constants that the compiler or the linker merged.
// - The page is in no section that linkers order.
//
// Only the first touch of each page is seen. So one variable or constant on a touched page is known, but others that
// the launch touches there are not.

import Addresses
import ImageModel
import OrderFileFormat
import OrderFileMatching
import PagesFormat
import Symbolication

/// The touches of the data of a build by a launch.
struct LaunchDataPages {
  private let data: DataLayout
  private let rows: [PagesDocument.Page]
  private let executed: [PagesDocument.Page]

  /// - Parameter pages: the touches of the image whose data are `data`.
  init(_ data: DataLayout, _ pages: PagesDocument.Image) {
    self.data = data
    let all = (pages.loading ?? []) + pages.pages
    rows = all.filter { row in
      row.access != .execute && (row.accessor == .program || row.accessor == .kernel)
    }
    executed = all.filter { $0.access == .execute }
  }

  /// Returns the number of distinct pages of data of a size, without pages that were also executed.
  func pages(_ size: PageSize) -> Int {
    let touched = rows.map(\.address) + data.relocatedWords
    return Set(touched.map(size.page(of:))).subtracting(executed.map { size.page(of: $0.address) })
      .count
  }

  /// Returns the variables and constants that were touched and that `order` does not place, in the order of time.
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

  /// Returns the entries for `parts` of the data, with all their names.
  func entries(
    of parts: [Part], for dialect: OrderFileDialect, _ architecture: Architecture?
  ) -> [OrderFileEntry] {
    PlacingEntries(
      of: parts.flatMap(data.layout.allAliases), in: SymbolMap(data.layout), for: dialect,
      architecture: architecture
    ).dataEntries
  }

  /// Counts pages of 4 KiB by what they hold. A page is counted by the first member of `RefineDocument.DataPages` that
  /// holds for it.
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
