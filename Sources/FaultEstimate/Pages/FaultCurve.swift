// The fault curve
//
// How many distinct pages has a launch touched after its first, second, third step? The curve rises by
// the pages that are new at each step and ends at the page count. Two layouts that end at the same
// count can differ on the way: the one whose curve lies lower reaches each stage of the launch with
// fewer faults behind it. The area under the curve, the sum of its values in page-steps, puts that
// into one number. It is what balanced partitioning minimises (Hoag, Lee, Mestre, Pupyrev, Zhu,
// "Optimizing Function Layout for Mobile Applications", 2022, <https://arxiv.org/abs/2211.09285>).
//
// An example with four steps on three pages A, B, C:
//
//     steps touch          curve        area
//     A, B, C, A           1 2 3 3         9
//     A, A, B, C           1 1 2 3         7     the same three faults, later
//
// Method: `UnpaintedPages`, painted by the steps in time order; each paints what no earlier one did.
//
// What it leaves out: time. Steps are counted, not weighed, so a step that computes for a second and
// one that returns at once are the same width. And read-ahead: a kernel that reads ahead of a fault,
// never behind, makes a descending list slower than none with the same curve.

import Addresses

/// The number of distinct pages touched after each step of a launch.
package struct FaultCurve: Hashable, Sendable {
  /// One value for each step, in time order; never falls.
  package let pagesAfterStep: [Int]

  /// The pages touched in all; 0 for a launch without steps.
  package var pageCount: Int { pagesAfterStep.last ?? 0 }

  /// The sum of `pagesAfterStep`, in page-steps; stays at `UInt64.max` if it would pass that.
  package let area: UInt64

  /// The curve of `stepCount` steps; a step may have several ranges of pages, or none.
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
