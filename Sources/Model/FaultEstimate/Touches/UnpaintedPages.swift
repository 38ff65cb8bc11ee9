// Who touched a page first? This is asked for each of many page ranges, in the order that decides who is
// first: by time for the fault curve, by the sections' sizes for the rows of an estimate.
//
// The ends of all ranges divide the page numbers into at most 2*s* runs that are touched as a whole or not at
// all. Each range in turn paints its runs; a painted run points to the next one that may be unpainted, so
// each run is painted once (union-find with path halving; Tarjan and van Leeuwen, "Worst-case analysis of set
// union algorithms", 1984). No page is stored: a range of 2^50 pages is one run.

import Addresses

/// Pages that are each painted at most once.
struct UnpaintedPages {
  /// The starts of the runs, ascending, followed by the end of the last run.
  private let bounds: [StatedPage]
  /// For each run, its own index if the run is unpainted. Otherwise the index of a later run, with no unpainted run
  /// between the two.
  private var successor: [Int]

  /// - Parameter ranges: all ranges that will be painted.
  /// - Complexity: O(*s* log *s*) for *s* ranges.
  init(of ranges: [ClosedRange<StatedPage>]) {
    var ends: [StatedPage] = []
    ends.reserveCapacity(2 * ranges.count)
    for range in ranges {
      ends.append(range.lowerBound)
      ends.append(range.upperBound + 1)
    }
    ends.sort()
    var bounds: [StatedPage] = []
    for end in ends where end != bounds.last { bounds.append(end) }
    self.bounds = bounds
    successor = Array(bounds.indices)
  }

  /// Paints one of the ranges that were passed to the initializer.
  ///
  /// - Parameter newPages: called with each run of `pages` that was unpainted, ascending.
  /// - Returns: the number of pages that were unpainted.
  /// - Complexity: O(log *s*) amortised, *s* being the number of ranges.
  @discardableResult mutating func paint(
    _ pages: ClosedRange<StatedPage>, newPages: (Range<StatedPage>) -> Void = { _ in }
  ) -> Int {
    var painted: UInt64 = 0
    var run = firstUnpainted(atOrAfter: firstRun(from: pages.lowerBound))
    while run < bounds.count - 1, bounds[run] <= pages.upperBound {
      newPages(bounds[run]..<bounds[run + 1])
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

  /// Returns the index of the run that starts at `page`.
  private func firstRun(from page: StatedPage) -> Int { bounds.partitioningIndex { $0 >= page } }
}
