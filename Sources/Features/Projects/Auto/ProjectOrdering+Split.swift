// `auto --split`: whether the functions of a project should be split
//
// The images are linked twice: with whole functions in order, and with split functions. Functions are split if the
// launches then execute fewer pages of code; otherwise the images are linked with whole functions in order again. So
// the two builds are compared that differ in nothing but the profile and the order: without this comparison, the gain
// of the order would count as a gain of splitting.

import CommandSupport
import ImageModel
import Ordering
import PagesFormat
import Prediction

extension ProjectOrdering {
  /// How the images are linked after functions were split, or left whole.
  struct SplitImages {
    var result = AutoDocument.Split()
    /// The orders by which the images are linked.
    var orders: [String: OrderedImage]
    /// The counts of the images that are linked now; `nil` if pages were not counted.
    var counts: ProjectLaunches.Counts?
    var warnings: [Diagnostic] = []
  }

  /// Orders the images with whole functions, then with split functions, and keeps what needs fewer pages.
  ///
  /// - Parameter isCounted: whether pages can be counted. If not, functions are split without a comparison.
  func split(
    _ images: inout ProjectImages, _ launches: ProjectLaunches,
    _ recorded: ProjectLaunches.Recorded, isCounted: Bool, _ build: inout ProjectBuild
  ) throws -> SplitImages {
    func count() throws(Diagnostic) -> ProjectLaunches.Counts? {
      isCounted ? try launches.counts(of: recorded, steps) : nil
    }
    func link(_ step: String) throws(Diagnostic) {
      build.relink(recorded.images)
      try build.build(step, .ordered)
    }
    func writeOrders() throws -> (byPath: [String: OrderedImage], warnings: [Diagnostic]) {
      try steps.timed("order", recorded.images.map(\.name).joined(separator: ", ")) {
        try images.writeOrders()
      }
    }
    let folder = build.shell.folder
    let wholeWarnings = try writeOrders().warnings
    try folder.beginRelinking()
    var counts: ProjectLaunches.Counts?
    if isCounted {
      try link("relink")
      counts = try count()
    }
    images.splits = true
    let (split, splitWarnings) = try writeOrders()
    var found = SplitImages(orders: split)
    found.result.unmapped = recorded.images.compactMap { split[$0.path]?.split?.unmapped }
      .reduce(UnmappedCode(), +)
    if Folder.hasFile(folder.splitProfile) {
      try link("split")
      found.counts = try count()
      if let before = counts, let after = found.counts {
        func sum(_ pages: (_ image: (pages: Int, pages16k: Int)) -> Int) -> BeforeAfter<Int> {
          BeforeAfter(
            before: before.images.map(pages).reduce(0, +),
            after: after.images.map(pages).reduce(0, +))
        }
        let pages = sum(\.pages)
        found.result.pages = pages
        found.result.pages16k = sum(\.pages16k)
        if pages.after >= pages.before {
          found.result.refusal = "the launches execute no fewer pages"
        }
      }
      guard !found.result.isKept else {
        found.warnings = splitWarnings
        return found
      }
    } else {
      found.result.refusal = "no function can be split"
    }
    Folder.remove(Array(folder.splitProfile.utf8))
    images.splits = false
    found.orders = try writeOrders().byPath
    try link("relink")
    found.counts = counts
    // The reasons why images were not split are warnings of the orders of split functions.
    found.warnings = wholeWarnings + splitWarnings
    return found
  }
}
