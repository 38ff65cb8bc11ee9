// The pages of data that a launch touches in one layout
//
// A page counts if the loader writes to it, or if the program touches one of its bytes. Each page belongs to one
// section. If the loader writes to the page, this is the section of the first word that the loader writes there.
// Otherwise it is the section of the first byte that the program touches. So the sections add up to all pages, as in
// the report of `orderfile pages`.
//
// Linkers put zero-filled sections after the others. Only the first page of the zero-filled data can have bytes of the
// file.

import Addresses
import ImageModel

/// The pages of data that a launch is predicted to touch.
package struct DataPageEstimate: Hashable, Sendable {
  package struct Page: Hashable, Sendable {
    package var page: StatedPage
    /// The section to which the page belongs, as an index into the sections of the data.
    package var section: Int
    /// Whether the loader writes to the page, so that the page is touched in any order.
    package var isLoaders: Bool
    /// Whether the file has no byte of the page.
    package var isZeroFilled: Bool
  }

  package let pageSize: PageSize
  /// The touched pages, ascending.
  package let pages: [Page]

  /// - Parameters:
  ///   - layout: the layout of the data; a page without a section of `layout` is not counted.
  ///   - loaded: the words that the loader writes.
  ///   - touched: the ranges that the program touches, in the order of first touches.
  ///   - zeroFilled: the sections without bytes in the file, as indexes.
  /// - Complexity: O(*n* log *s* + *p* log *p*) for *n* words and touches, *s* sections and *p* pages.
  package init(
    of layout: Layout, loaded: [StatedAddress], touched: [AddressRange], zeroFilled: Set<Int>,
    pageSize: PageSize
  ) {
    self.pageSize = pageSize
    func hasNoBytes(_ page: StatedPage) -> Bool {
      let start = pageSize.start(of: page)
      return layout.section(containing: start).map(zeroFilled.contains) ?? false
    }
    var owners: [StatedPage: Page] = [:]
    func add(_ address: StatedAddress, isLoaders: Bool) {
      let page = pageSize.page(of: address)
      guard owners[page] == nil, let section = layout.section(containing: address) else { return }
      owners[page] = Page(
        page: page, section: section, isLoaders: isLoaders, isZeroFilled: hasNoBytes(page))
    }
    for word in loaded { add(word, isLoaders: true) }
    for range in touched where range.size > 0 {
      let pages = pageSize.pages(of: range)
      add(range.start, isLoaders: false)
      guard pages.lowerBound < pages.upperBound else { continue }
      for page in (pages.lowerBound + 1)...pages.upperBound {
        add(pageSize.start(of: page), isLoaders: false)
      }
    }
    pages = owners.values.sorted { $0.page < $1.page }
  }

  /// The touched pages that have bytes of the file. `orderfile pages` can count only these pages.
  package var filePages: Set<StatedPage> {
    Set(pages.lazy.filter { !$0.isZeroFilled }.map(\.page))
  }
}
