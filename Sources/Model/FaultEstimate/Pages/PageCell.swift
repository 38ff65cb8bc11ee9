// What a map of an image shows of each page, and what a curve shows of each step
//
// A page that a launch touches is a cell. The cell has the step at which the page is touched first, the number of its
// bytes that run, the number of startup functions on it, and whether an order file could empty the page. An order file
// can empty a page if only startup functions with names touch it: code of the C runtime, linkage tables and unnamed
// code stay where the linker puts them.
//
// Method: first steps by painting pages in time order (`UnpaintedPages`); bytes in one sweep by address that remembers
// the end of the counted bytes; functions by a +1 at the first page of each function and a -1 after its last page,
// added up at the end. So a page is visited a constant number of times, however many functions claim to lie on it. A
// curve paints bytes in the same way as pages: its floor is the number of pages that the bytes so far would fill, and
// each byte counts once.

import Addresses
import ImageModel

/// A page that a launch is predicted to touch.
package struct PageCell: Hashable, Sendable {
  package var page: StatedPage
  /// The step at which the page is touched first.
  package var step: Int
  /// The number of bytes of the page that are touched, each once.
  package var bytes: UInt64
  /// The number of startup functions that lie on the page, wholly or in part.
  package var functions: Int
  /// Whether only startup functions with names touch the page, so that an order file can move all of them.
  package var isOrderable: Bool
}

/// The touches of a launch up to a step: a point of a fault curve.
package struct FaultCurvePoint: Hashable, Sendable {
  package var step: Int
  package var pages: Int
  /// The pages that the bytes touched so far would fill without gaps; at least 1.
  package var floorPages: Int
}

extension PageFaultEstimate {
  /// Returns the touched pages of an image, ascending.
  ///
  /// - Parameters:
  ///   - window: the addresses to examine; all pages of the window are held in memory.
  ///   - isNamed: whether the function at an index of the layout has a name.
  /// - Complexity: O(*s* log *s* + *p*) for *s* touches and *p* pages of the window.
  package func cells(in window: AddressRange, isNamed: (Int) -> Bool) -> [PageCell] {
    let touches = touches(in: window)
    guard !touches.isEmpty else { return [] }
    let first = pageSize.page(of: window.start)
    let pages = touches.map { pageSize.pages(of: $0.bytes) }
    let count = Int((pages.map(\.upperBound).max() ?? first) - first) + 1
    var steps = [Int?](repeating: nil, count: count)
    var unpainted = UnpaintedPages(of: pages)
    for (index, touch) in touches.enumerated() {
      unpainted.paint(pages[index]) { run in
        for page in run { steps[Int(page - first)] = touch.step }
      }
    }
    let bytes = bytesOfPages(touches, from: first, count)
    var functions = Coverage(count)
    var others = Coverage(count)
    let byFunction = touches.indices.sorted { a, b in
      guard touches[a].entry != touches[b].entry else {
        return pages[a].lowerBound < pages[b].lowerBound
      }
      return isAscending(touches[a].entry, touches[b].entry)
    }
    var known: (entry: StatedAddress?, end: StatedPage) = (nil, first)
    for index in byFunction {
      let touch = touches[index]
      if !(touch.function.map(isNamed) ?? false) || launch.rows[touch.row].cause != .startupFunction
      {
        others.add(pages[index], from: first)
      }
      guard let entry = touch.entry, launch.rows[touch.row].cause == .startupFunction else {
        continue
      }
      if known.entry != entry { known = (entry, pages[index].lowerBound) }
      let start = max(known.end, pages[index].lowerBound)
      if start <= pages[index].upperBound {
        functions.add(start...pages[index].upperBound, from: first)
      }
      known.end = max(known.end, pages[index].upperBound + 1)
    }
    let (functionCounts, otherCounts) = (functions.counts, others.counts)
    return steps.indices.compactMap { place in
      steps[place].map {
        PageCell(
          page: first + UInt64(place), step: $0, bytes: bytes[place],
          functions: functionCounts[place],
          isOrderable: otherCounts[place] == 0)
      }
    }
  }

  /// Returns the fault curve at each step that touches bytes for the first time, ascending by step.
  ///
  /// - Complexity: O(*s* log *s*) for *s* touches.
  package func curvePoints(in window: AddressRange) -> [FaultCurvePoint] {
    let touches = touches(in: window)
    let pages = touches.map { pageSize.pages(of: $0.bytes) }
    // Bytes are painted as pages of one byte, counted from the window's start.
    let bytes = touches.map { touch in
      let start = StatedPage(rawValue: touch.bytes.start - window.start)
      return start...(start + max(1, touch.bytes.size) - 1)
    }
    var (unpaintedPages, unpaintedBytes) = (UnpaintedPages(of: pages), UnpaintedPages(of: bytes))
    var points: [FaultCurvePoint] = []
    var (pageCount, byteCount) = (0, 0)
    for (index, touch) in touches.enumerated() {
      let newPages = unpaintedPages.paint(pages[index])
      let newBytes = touch.bytes.size == 0 ? 0 : unpaintedBytes.paint(bytes[index])
      guard newPages > 0 || newBytes > 0 else { continue }
      (pageCount, byteCount) = (pageCount + newPages, byteCount + newBytes)
      if points.last?.step == touch.step { points.removeLast() }
      let size = Int(pageSize.bytes)
      points.append(
        FaultCurvePoint(
          step: touch.step, pages: pageCount, floorPages: max(1, (byteCount + size - 1) / size)))
    }
    return points
  }

  /// Returns the ranges in `window` that the launch touches, ascending by step. An empty range touches the page of its
  /// start.
  private func touches(in window: AddressRange) -> [LaunchTouches.Range] {
    launch.ranges.compactMap { range in
      let start = max(range.bytes.start, window.start)
      let end = min(range.bytes.end, window.end)
      guard start < end || window.contains(range.bytes.start) else { return nil }
      var range = range
      range.bytes = AddressRange(start: start, size: end.rawValue - start.rawValue)
      return range
    }
  }

  private func bytesOfPages(
    _ touches: [LaunchTouches.Range], from first: StatedPage, _ count: Int
  ) -> [UInt64] {
    var bytes = [UInt64](repeating: 0, count: count)
    var countedUpTo = pageSize.start(of: first)
    for range in touches.map(\.bytes).sorted(by: { $0.start < $1.start }) {
      var start = max(range.start, countedUpTo)
      while start < range.end {
        let page = pageSize.page(of: start)
        let stop = min(range.end, pageSize.start(of: page + 1))
        bytes[Int(page - first)] += stop.rawValue - start.rawValue
        start = stop
      }
      countedUpTo = max(countedUpTo, range.end)
    }
    return bytes
  }
}

/// The number of ranges that cover each page.
private struct Coverage {
  private var changes: [Int]

  init(_ count: Int) { changes = Array(repeating: 0, count: count + 1) }

  mutating func add(_ pages: ClosedRange<StatedPage>, from first: StatedPage) {
    changes[Int(pages.lowerBound - first)] += 1
    changes[Int(pages.upperBound - first) + 1] -= 1
  }

  var counts: [Int] {
    var sum = 0
    return changes.dropLast().map {
      sum += $0
      return sum
    }
  }
}
