// The fault curve
//
// How many distinct pages has a launch touched after its first, second, third step? The curve rises by the
// number of new pages at each step and ends at the page count. Two layouts with the same count can differ on
// the way: the one with the lower curve reaches each stage of the launch with fewer faults so far. The area
// under the curve, the sum of its values in page-steps, expresses this in one number. Balanced partitioning
// minimizes it (Hoag, Lee, Mestre, Pupyrev, Zhu, "Optimizing Function Layout for Mobile Applications", 2022,
// <https://arxiv.org/abs/2211.09285>).
//
// An example with four steps on three pages A, B, C:
//
//     steps touch          curve        area
//     A, B, C, A           1 2 3 3         9
//     A, A, B, C           1 1 2 3         7     the same three faults, later
//
// Method: the steps paint `UnpaintedPages` in time order. Each step paints the pages that no earlier step painted.
//
// What it leaves out: time. Steps are counted, not weighted, so a step that computes for a second has the same width as
// a step that returns at once. And read-ahead: with a kernel that reads pages after a fault and never before it, a
// descending list is slower than another list with the same curve.

import Addresses

/// The number of distinct pages touched after each step of a launch.
package struct FaultCurve: Hashable, Sendable {
  /// The number of pages that are touched up to each step, in time order. The values never decrease.
  package let pagesAfterStep: [Int]

  /// The total number of touched pages; 0 for a launch without steps.
  package var pageCount: Int { pagesAfterStep.last ?? 0 }

  /// The sum of `pagesAfterStep`, in page-steps; limited to `UInt64.max`.
  package let area: UInt64

  /// Makes the curve of `stepCount` steps; a step may have several ranges of pages, or none.
  ///
  /// - Parameter touches: ascending by step.
  /// - Complexity: O(*s* log *s* + `stepCount`) for *s* touches.
  package init(_ touches: [(step: Int, pages: ClosedRange<StatedPage>)], stepCount: Int) {
    var unpainted = UnpaintedPages(of: touches.map(\.pages))
    var curve: [Int] = []
    curve.reserveCapacity(stepCount)
    var area: UInt64 = 0
    var pages = 0
    var next = 0
    for step in 0..<stepCount {
      while next < touches.count, touches[next].step == step {
        pages += unpainted.paint(touches[next].pages)
        next += 1
      }
      curve.append(pages)
      let (sum, overflow) = area.addingReportingOverflow(UInt64(pages))
      area = overflow ? .max : sum
    }
    precondition(next == touches.count, "touches ascend by step, below stepCount")
    pagesAfterStep = curve
    self.area = area
  }
}
