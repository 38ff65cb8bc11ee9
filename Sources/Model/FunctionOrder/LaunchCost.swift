/// What an order of groups costs all launches together: pages, and the faults of cold launches.
///
/// The bytes of a launch alone would fill a number of pages. The pages that the launch touches beyond this number weigh
/// by their square, so that no launch pays for the others with many pages. Pages are also counted as if the order could
/// begin anywhere in a page: then a gap between bytes that a launch uses costs the launch a share of a page that is
/// proportional to the width of the gap, and at most one page. Without this count, an order fits the pages of its own
/// launches and of one build by chance, and other launches and builds touch more pages. Cold faults are counted as
/// Linux reads: a fault on a page that is not in memory reads that page and the pages after it, 128 KiB in all. A
/// launch is assumed to touch a whole item at its first use.
package struct LaunchCost {
  private static let readAheadPages = 32
  /// The weight of the square of a launch's pages beyond `tolerablePages`, in pages.
  private static let excessWeight = 32
  /// The weight of the pages that are counted as if the order could begin anywhere.
  private static let gapWeight = 3
  /// The weight of a cold fault, in pages.
  private static let faultWeight = 16
  static let pageBits = 12
  private static let largePageBits = 14

  private let groups: ItemGroups
  private let start: Int
  /// The launches of all groups; the launches of group `i` are at `first[i]..<first[i + 1]`.
  private var users: [Int] = []
  private var first = [0]
  /// For each launch the pages that its bytes alone would fill, plus 1 % or one page, whichever is more.
  private let tolerablePages: [Int]
  /// For each launch the minimum number of faults, in any order, of this launch and of all launches before it.
  private let fewestFaults: [Int]
  private var addresses: [Int]
  /// For each launch the pages of 4 KiB that it touches with the order whose cost was computed last.
  private(set) var pages: [Int]
  /// The faults of all cold launches with the order whose cost was computed last, if no limit was reached.
  private(set) var faults = 0
  private var lastPage: [Int]
  private var lastEnd: [Int]
  private var lastLargePage: [Int]
  /// For each page, the launch that read the page last.
  private var reader: [Int]
  private var readerCount = 0

  /// - Parameter start: the address of the first group.
  package init(_ groups: ItemGroups, start: Int) {
    self.groups = groups
    self.start = start
    for group in groups.groups {
      users += group.launches
      first.append(users.count)
    }
    let pagesAlone = groups.runs.map { launch in
      let bytes = launch.reduce(0) { $0 + $1.size }
      return (bytes - 1) >> Self.pageBits + 1
    }
    tolerablePages = pagesAlone.map { $0 + max(1, $0 / 100) }
    fewestFaults = pagesAlone.reduce(into: []) { sums, pages in
      sums.append((sums.last ?? 0) + (pages - 1) / Self.readAheadPages + 1)
    }
    addresses = [Int](repeating: start, count: groups.groups.count)
    pages = [Int](repeating: 0, count: groups.runs.count)
    lastPage = pages
    lastEnd = pages
    lastLargePage = pages
    let size = groups.groups.reduce(0) { $0 + $1.size }
    reader = [Int](
      repeating: 0, count: (start + size) >> Self.pageBits - start >> Self.pageBits + 1)
  }

  /// The approximate number of steps that computing a cost takes.
  var steps: Int { groups.runs.reduce(0) { $0 + $1.count } + 2 * users.count }

  /// Returns the weighted sum of the pages of 4 KiB and of 16 KiB that launches touch, and of the faults of cold
  /// launches.
  ///
  /// - Parameter limit: for an order that costs at least this much, `Int.max` may be returned.
  /// - Complexity: O(*u*) for *u* uses, and the pages that they read.
  package mutating func cost(of order: [Int], below limit: Int = .max) -> Int {
    for launch in pages.indices {
      (pages[launch], lastPage[launch], lastLargePage[launch]) = (0, -1, -1)
      lastEnd[launch] = .max
    }
    var cost = 0
    var gaps = 0
    var address = start
    for group in order {
      addresses[group] = address
      let end = address + groups.groups[group].size
      let (from, to) = (address >> Self.pageBits, (end - 1) >> Self.pageBits)
      let (fromLarge, toLarge) = (address >> Self.largePageBits, (end - 1) >> Self.largePageBits)
      for launch in users[first[group]..<first[group + 1]] {
        pages[launch] += to - max(from - 1, lastPage[launch])
        lastPage[launch] = to
        gaps += min(1 << Self.pageBits, max(0, address - lastEnd[launch]))
        lastEnd[launch] = end
        cost += toLarge - max(fromLarge - 1, lastLargePage[launch])
        lastLargePage[launch] = toLarge
      }
      address = end
    }
    cost += (Self.gapWeight * gaps) >> Self.pageBits
    for launch in pages.indices {
      let beyond = max(0, pages[launch] - tolerablePages[launch])
      cost += pages[launch] + Self.excessWeight * beyond * beyond
    }
    // The last launches come first. The computation stops when the cost so far and the fewest faults of the launches
    // that are left reach the limit.
    let firstPage = start >> Self.pageBits
    faults = 0
    for (number, launch) in groups.runs.enumerated().reversed() {
      guard cost + Self.faultWeight * fewestFaults[number] < limit else { return .max }
      var faults = 0
      readerCount += 1
      for run in launch {
        let address = addresses[run.group] + run.offset
        let last = (address + run.size - 1) >> Self.pageBits - firstPage
        for page in address >> Self.pageBits - firstPage...last where reader[page] != readerCount {
          faults += 1
          for read in page..<min(page + Self.readAheadPages, reader.count) {
            reader[read] = readerCount
          }
        }
      }
      cost += Self.faultWeight * faults
      self.faults += faults
    }
    return cost
  }
}
