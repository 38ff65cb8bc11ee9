import Addresses
import ImageModel

/// The pages of an image to which the loader writes words, as relocations ask.
struct RelocatedPages {
  private let pageSize: PageSize
  private var pages: Set<StatedPage> = []
  /// Words of one table ascend, so most are on the page of the word before.
  private var last: StatedPage?

  init(_ pageSize: PageSize) { self.pageSize = pageSize }

  var count: Int { pages.count }

  mutating func add(_ address: StatedAddress) {
    let page = pageSize.page(of: address)
    guard page != last else { return }
    last = page
    pages.insert(page)
  }
}
