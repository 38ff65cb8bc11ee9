/// What an order of groups costs all launches together: pages, and the faults of cold launches.
///
/// Cold faults are counted as Linux reads: a fault on a page that is not in memory reads that page and those behind it,
/// 128 KiB in all. A launch is taken to touch all of an item at its first use.
struct LaunchCost {
  private static let readAheadPages = 32
  /// How many pages more a page weighs that a launch touches beyond `tolerablePages`.
  private static let excessWeight = 2
  /// How many pages a cold fault weighs.
  private static let faultWeight = 4
  private static let pageBits = 12
  private static let largePageBits = 14

  private let groups: LaunchGroups
  private let start: Int
  /// For each launch the pages of its bytes alone, and 2 % or two pages more.
  private let tolerablePages: [Int]
  private var addresses: [Int]
  /// The launch that last read each page.
  private var reader: [Int]
  private var readerCount = 0

  /// - Parameter start: the address of the first group.
  init(_ groups: LaunchGroups, start: Int) {
    self.groups = groups
    self.start = start
    tolerablePages = groups.runs.map { launch in
      let bytes = launch.reduce(0) { $0 + $1.size }
      let pages = (bytes - 1) >> Self.pageBits + 1
      return pages + max(2, pages / 50)
    }
    addresses = [Int](repeating: start, count: groups.groups.count)
    let size = groups.groups.reduce(0) { $0 + $1.size }
    reader = [Int](
      repeating: 0, count: (start + size) >> Self.pageBits - start >> Self.pageBits + 1)
  }

  /// About how many steps it takes to compute a cost.
  var steps: Int {
    groups.runs.reduce(0) { $0 + $1.count } + groups.groups.reduce(0) { $0 + 2 * $1.launches.count }
  }

  /// The pages of 4 KiB and those of 16 KiB that launches touch, and the faults of cold launches, with their weights.
  ///
  /// - Complexity: O(*u*) for *u* uses, and the pages that they read.
  mutating func cost(of order: [Int]) -> Int {
    var address = start
    for group in order {
      addresses[group] = address
      address += groups.groups[group].size
    }
    let pages = pages(order, Self.pageBits)
    let beyond = zip(pages, tolerablePages).reduce(0) { $0 + max(0, $1.0 - $1.1) }
    return pages.reduce(0, +) + Self.excessWeight * beyond
      + self.pages(order, Self.largePageBits).reduce(0, +) + Self.faultWeight * coldFaults()
  }

  /// The number of pages that each launch touches.
  private func pages(_ order: [Int], _ bits: Int) -> [Int] {
    var last = [Int](repeating: -1, count: groups.runs.count)
    var counts = [Int](repeating: 0, count: groups.runs.count)
    for group in order {
      let from = addresses[group] >> bits
      let to = (addresses[group] + groups.groups[group].size - 1) >> bits
      for launch in groups.groups[group].launches {
        counts[launch] += to - max(from - 1, last[launch])
        last[launch] = to
      }
    }
    return counts
  }

  private mutating func coldFaults() -> Int {
    let firstPage = start >> Self.pageBits
    var faults = 0
    for launch in groups.runs {
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
    }
    return faults
  }
}
