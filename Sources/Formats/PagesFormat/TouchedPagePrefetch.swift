import Addresses
import ByteReading
import ImageModel
import JSON

/// The pages of 4 KiB that an image prefetches when it starts (`gen --prefetch`), and how many of the pages that a
/// launch touched are not among them.
package struct TouchedPagePrefetch: Hashable, Sendable {
  /// The number of pages of code, and of constants and variables, that the image prefetches.
  package var codePages: Int
  package var dataPages: Int
  /// The number of pages that the launch executed, and how many of these the image does not prefetch.
  package var touchedCode: Int
  package var outsideCode: Int
  /// The number of other pages that the launch read or wrote, and how many of these the image does not prefetch. Pages
  /// that the loader touched before the image's first instruction were in memory already, and do not count.
  package var touchedData: Int
  package var outsideData: Int

  package init(
    codePages: Int, dataPages: Int, touchedCode: Int = 0, outsideCode: Int = 0,
    touchedData: Int = 0, outsideData: Int = 0
  ) {
    self.codePages = codePages
    self.dataPages = dataPages
    self.touchedCode = touchedCode
    self.outsideCode = outsideCode
    self.touchedData = touchedData
    self.outsideData = outsideData
  }

  /// Compares the touched pages of `image` with the pages that the image prefetches.
  ///
  /// - Parameters:
  ///   - codePages: the number of pages of code that the image prefetches.
  ///   - dataPages: the number of pages of constants and variables that the image prefetches.
  ///   - isPrefetched: whether the image prefetches the page with an address.
  /// - Complexity: O(*n*) for *n* touches, on average, and one call of `isPrefetched` for each page.
  package init(
    of image: PagesDocument.Image, codePages: Int, dataPages: Int,
    isPrefetched: (StatedAddress) -> Bool
  ) {
    self.init(codePages: codePages, dataPages: dataPages)
    var seen: Set<StatedAddress> = []
    for touch in image.pages where touch.access == .execute && seen.insert(touch.address).inserted {
      touchedCode += 1
      if !isPrefetched(touch.address) { outsideCode += 1 }
    }
    seen.formUnion((image.loading ?? []).map(\.address))
    for touch in image.pages where seen.insert(touch.address).inserted {
      touchedData += 1
      if !isPrefetched(touch.address) { outsideData += 1 }
    }
  }

  /// Counts all touched pages as not prefetched.
  package mutating func prefetchNothing() {
    (codePages, dataPages) = (0, 0)
    (outsideCode, outsideData) = (touchedCode, touchedData)
  }

  /// The number of touched pages, and how many of these the image does not prefetch.
  package var touched: Int { touchedCode + touchedData }
  package var outside: Int { outsideCode + outsideData }
}

extension TouchedPagePrefetch: JSONListedObject {
  package static let members = JSONMembers(
    Self.init, pages("codePages") { $0.codePages }, pages("dataPages") { $0.dataPages },
    pages("touchedCode") { $0.touchedCode }, pages("outsideCode") { $0.outsideCode },
    pages("touchedData") { $0.touchedData }, pages("outsideData") { $0.outsideData })

  /// A member that is a number of pages. Sums of such numbers do not overflow.
  private static func pages(
    _ key: StaticString, _ value: @escaping @Sendable (Self) -> Int
  ) -> JSONMember<Self, Int> {
    JSONMember(key) { (object, key) throws(ParseError) in
      let count: Int = try object.value(key)
      guard (0...1 << 52).contains(count) else {
        throw object.invalid(key, expected: "0 to 2^52", found: "\(count)")
      }
      return count
    } write: {
      $2.member($1, value($0))
    }
  }
}
