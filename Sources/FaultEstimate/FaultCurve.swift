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
// Method: the ends of all page ranges cut the page numbers into at most 2*s* + 1 runs that are touched
// as a whole or not at all. The steps, in time order, paint their runs; a painted run points to the
// next that may be unpainted, so each run is painted once (union-find with path halving). No page is
// stored, and a range of 2^50 pages is one run.
//
// What it leaves out: time. Steps are counted, not weighed, so a step that computes for a second and
// one that returns at once are the same width. And read-ahead: a kernel that reads ahead of a fault,
// never behind, makes a descending list slower than none with the same curve.

/// The number of distinct pages touched after each step of a launch.
package struct FaultCurve: Hashable, Sendable {
  /// One value for each step, in time order; never falls.
  package let pagesAfterStep: [Int]

  /// The pages touched in all; 0 for a launch without steps.
  package var pageCount: Int { pagesAfterStep.last ?? 0 }

  /// The sum of `pagesAfterStep`, in page-steps; stays at `UInt64.max` if it would pass that.
  package let area: UInt64

  /// The curve of `stepCount` steps; a step may have several ranges of page numbers, or none.
  ///
  /// - Parameter touches: ascending by step; page numbers below 2^55, as a `PageSize` gives them.
  /// - Complexity: O(*s* log *s* + `stepCount`) for *s* touches.
  package init(_ touches: [(step: Int, pages: ClosedRange<UInt64>)], stepCount: Int) {
    var unpainted = UnpaintedRuns(of: touches.map(\.pages))
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

/// Page numbers cut into runs, each painted at most once.
private struct UnpaintedRuns {
  /// Where the runs start, ascending; the last one is where the last run ends.
  private let bounds: [UInt64]
  /// For each run, itself if unpainted, else a later run, none of those between being unpainted.
  private var successor: [Int]

  init(of ranges: [ClosedRange<UInt64>]) {
    var ends: [UInt64] = []
    ends.reserveCapacity(2 * ranges.count)
    for range in ranges {
      ends.append(range.lowerBound)
      ends.append(range.upperBound + 1)
    }
    ends.sort()
    var bounds: [UInt64] = []
    for end in ends where end != bounds.last { bounds.append(end) }
    self.bounds = bounds
    successor = Array(bounds.indices)
  }

  /// Paints one of the ranges that this value was made from.
  ///
  /// - Returns: the pages in it that were unpainted.
  mutating func paint(_ pages: ClosedRange<UInt64>) -> Int {
    var painted: UInt64 = 0
    var run = firstUnpainted(atOrAfter: firstRun(from: pages.lowerBound))
    while run < bounds.count - 1, bounds[run] <= pages.upperBound {
      painted += bounds[run + 1] - bounds[run]
      successor[run] = run + 1
      run = firstUnpainted(atOrAfter: run + 1)
    }
    return Int(painted)
  }

  private mutating func firstUnpainted(atOrAfter start: Int) -> Int {
    var run = start
    while successor[run] != run {
      successor[run] = successor[successor[run]]
      run = successor[run]
    }
    return run
  }

  /// Binary search for the run that starts at `page`.
  private func firstRun(from page: UInt64) -> Int {
    var low = 0
    var high = bounds.count
    while low < high {
      let middle = low + (high - low) / 2
      if bounds[middle] < page { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
