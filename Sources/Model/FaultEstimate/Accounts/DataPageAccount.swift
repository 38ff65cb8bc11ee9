// Predicted pages of data beside measured ones
//
// A measurement sees only the first read and the first write of each page. So it does not show every section of the
// page that a launch touched. A predicted page counts as measured if any of its bytes was touched. Another page counts
// as measured if a touch that was seen lies in a section of data.

import Addresses
import ImageModel

/// The predicted pages of data, compared with the pages of data that a launch touched.
package struct DataPageAccount: Hashable, Sendable {
  /// Who touched a page that was not predicted. Raw values appear in reports.
  package enum Toucher: String, CaseIterable, Sendable {
    case loader
    case kernel
    /// The page was touched by code of another image, such as the C library.
    case library
    /// The page was touched by code of the image that has no callbacks, or that the recorded launch did not run.
    case program
  }

  package let pageSize: PageSize
  package let predicted: Int
  package let measured: Int
  package let onlyPredicted: Int
  /// The numbers of pages that were only measured, by first toucher. Zero counts are omitted.
  package let onlyMeasured: [Count]

  package struct Count: Hashable, Sendable {
    package var toucher: Toucher
    package var pages: Int

    package init(_ toucher: Toucher, pages: Int) {
      self.toucher = toucher
      self.pages = pages
    }
  }

  /// A page that a launch touched.
  package struct Touch: Hashable, Sendable {
    package var address: StatedAddress
    package var toucher: Toucher

    package init(_ address: StatedAddress, by toucher: Toucher) {
      self.address = address
      self.toucher = toucher
    }
  }

  package init(
    pageSize: PageSize, predicted: Int, measured: Int, onlyPredicted: Int, onlyMeasured: [Count]
  ) {
    self.pageSize = pageSize
    self.predicted = predicted
    self.measured = measured
    self.onlyPredicted = onlyPredicted
    self.onlyMeasured = onlyMeasured
  }

  /// - Parameters:
  ///   - layout: the data that `estimate` is for.
  ///   - touches: reads and writes, in time order.
  /// - Complexity: O(*n* log *s*) for *n* touches and *s* sections.
  package init(of estimate: DataPageEstimate, in layout: Layout, measured touches: [Touch]) {
    pageSize = estimate.pageSize
    let expected = estimate.filePages
    var found: Set<StatedPage> = []
    var others: [StatedPage: Toucher] = [:]
    for touch in touches {
      let page = estimate.pageSize.page(of: touch.address)
      if expected.contains(page) {
        found.insert(page)
      } else if layout.section(containing: touch.address) != nil, others[page] == nil {
        others[page] = touch.toucher
      }
    }
    predicted = expected.count
    measured = found.count + others.count
    onlyPredicted = expected.count - found.count
    onlyMeasured = Toucher.allCases.compactMap { toucher in
      let pages = others.values.count { $0 == toucher }
      return pages > 0 ? Count(toucher, pages: pages) : nil
    }
  }
}
