// Long runs of pages
//
// A function of a gigabyte takes a few bytes of a file, but has a quarter of a million pages. A run
// is a range of pages that are touched in ascending order, and none of which is in memory or
// mapped. In a run, the state of the kernel soon repeats: after each period, the kernel has read
// and mapped the same distance ahead. The period is a common multiple of the kernel's windows and
// units. So periods are simulated until two states are equal. The other periods are counted, not
// simulated. Then the state is moved to the last pages of the run, and these pages are simulated.

import Addresses

extension LinuxFaultModel {
  /// Touches each page of a run in ascending order. Except near the ends of the run, the pages must
  /// not have been touched or read by earlier touches.
  ///
  /// - Complexity: O(*w*) on average for windows of *w* pages, for any number of pages.
  package mutating func touch(_ pages: Range<LoadedPage>, in mapping: LinuxMapping) {
    var next = pages.lowerBound
    if let period, reach < 1 << 20,
      mapping.pages.contains(pages.lowerBound), pages.upperBound <= mapping.pages.upperBound,
      mapping.firstFilePage + (pages.upperBound - mapping.pages.lowerBound) <= fileEnd
    {
      skipPeriods(of: pages, in: mapping, &next, period)
    }
    for page in next..<pages.upperBound { touch(page, in: mapping) }
  }

  /// A number of pages that is larger than the number that the kernel reads or maps ahead.
  private var reach: UInt64 { 2 * (aroundPages + readAheadPages + unitPages) + 4 }

  /// The number of pages after which the state may repeat; `nil` if the period is too long to save
  /// time.
  private var period: UInt64? {
    // Fault-around windows are cut at a page table only if their size does not divide it.
    let table = tableEntries % aroundPages == 0 ? 1 : tableEntries
    var period: UInt64 = 1
    for unit in [
      aroundPages, table, max(1, readAheadPages), unitPages,
      1 << UInt64(Self.order(of: readAheadPages)),
    ] {
      var (a, b) = (period, unit)
      while b != 0 { (a, b) = (b, a % b) }
      let (product, overflows) = (period / a).multipliedReportingOverflow(by: unit)
      guard !overflows, product <= 1 << 20 else { return nil }
      period = product
    }
    return period
  }

  /// The number of periods after which the state repeats at the latest. The count of misses takes a
  /// thousand pages.
  private static let mostPeriods = 1200

  private mutating func skipPeriods(
    of pages: Range<LoadedPage>, in mapping: LinuxMapping, _ next: inout LoadedPage,
    _ period: UInt64
  ) {
    let reach = reach
    func touchTo(_ end: LoadedPage, _ model: inout Self) {
      for page in next..<end { model.touch(page, in: mapping) }
      next = end
    }
    /// Whether there is room to simulate one period and to skip another before the last pages.
    func hasRoom() -> Bool {
      pages.upperBound - next > 2 * reach + 3 * period
    }
    guard hasRoom() else { return }
    touchTo(next + reach, &self)
    var state = RunState(self, at: next, reach, in: mapping)
    for _ in 0..<Self.mostPeriods where hasRoom() {
      let counts = (minorFaults, majorFaults)
      touchTo(next + period, &self)
      let now = RunState(self, at: next, reach, in: mapping)
      guard now == state else {
        state = now
        continue
      }
      let skipped = (pages.upperBound - next - reach - period) / period
      minorFaults += Int(skipped) * (minorFaults - counts.0)
      majorFaults += Int(skipped) * (majorFaults - counts.1)
      if !isAllInMemory { pagesOfRuns += skipped * period }
      move(from: next, by: skipped * period, reach, in: mapping)
      next = next + skipped * period
      return
    }
  }

  /// The state that determines the faults on the next pages of a run, relative to the first of
  /// these pages.
  private struct RunState: Equatable {
    var misses, order: Int
    var window: [Int]
    var inMemory, mapped: [UInt64]
    var marked: [[Int]]

    init(_ model: LinuxFaultModel, at page: LoadedPage, _ reach: UInt64, in mapping: LinuxMapping) {
      let file = mapping.filePage(at: page)
      (misses, order) = (model.misses, min(model.order, 64))
      let window = model.window
      self.window =
        model.isAllInMemory
        ? [] : [file.distance(to: window.start), Int(window.size), Int(window.ahead)]
      mapped = (0..<reach).filter { model.mapped.contains(page + $0) }
      inMemory =
        model.isAllInMemory ? [] : (0..<reach).filter { model.pagesInMemory.contains(file + $0) }
      marked = (0..<reach).compactMap { offset in
        model.marked[file + offset].map {
          [Int(offset), file.distance(to: $0.lowerBound), file.distance(to: $0.upperBound)]
        }
      }
    }
  }

  /// Moves the state of the `reach` pages from `page` on: the pages in memory, mapped and marked.
  private mutating func move(
    from page: LoadedPage, by distance: UInt64, _ reach: UInt64, in mapping: LinuxMapping
  ) {
    let file = mapping.filePage(at: page)
    for offset in (0..<reach).reversed() {
      if mapped.remove(page + offset) != nil { mapped.insert(page + offset + distance) }
      if pagesInMemory.remove(file + offset) != nil {
        pagesInMemory.insert(file + offset + distance)
      }
      if let folio = marked.removeValue(forKey: file + offset) {
        marked[file + offset + distance] = folio.lowerBound + distance..<folio.upperBound + distance
      }
    }
    window.start = window.start + distance
  }
}
