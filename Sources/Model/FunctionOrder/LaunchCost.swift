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

  /// What a launch touches in the first groups of an order.
  private struct Touched {
    var pages = 0
    var lastPage = -1
    var lastEnd = Int.max
    var lastLargePage = -1
  }

  /// What a launch touches in the last groups of an order.
  private struct Following {
    var pages = 0
    var firstPage = -2
    var start = 0
    var firstLargePage = -2
  }

  private let start: Int
  private let sizes: [Int]
  /// The launches of all groups; the launches of group `i` are at `first[i]..<first[i + 1]`.
  private var users: [Int] = []
  private var first = [0]
  /// The runs of all launches; the runs of launch `i` are at `firstRun[i]..<firstRun[i + 1]`.
  private var runs: [ItemGroups.Run] = []
  private var firstRun = [0]
  /// For each launch the pages that its bytes alone would fill, plus 1 % or one page, whichever is more.
  private let tolerablePages: [Int]
  /// For each launch the minimum number of faults, in any order, of this launch and of all launches before it.
  private let fewestFaults: [Int]
  /// For each launch the pages of 4 KiB that it touches with the order whose cost was computed last.
  private(set) var pages: [Int]
  /// The faults of all cold launches with the order whose cost was computed last, if no limit was reached.
  private(set) var faults = 0
  /// For each page, the launch that read the page last.
  private var reader: [Int]
  private var readerCount = 0

  // A search tries many small changes of one order. This order is *settled* first. Then the cost of a changed order is
  // computed only between the stops around the change. An array for several launches holds a value for each launch at the
  // first stop, then a value for each launch at the second stop, and so on.
  private let stops: OrderStops
  /// The addresses of the groups in the settled order.
  private var addresses: [Int]
  /// For each stop its address, and the pages of 16 KiB and the gaps of all launches before the stop.
  private var before: [(address: Int, largePages: Int, gaps: Int)]
  /// For each stop, the pages of 16 KiB and the gaps of all launches from the stop on.
  private var after: [(largePages: Int, gaps: Int)]
  /// For each stop and launch, what the launch touches before the stop.
  private var touched: [Touched]
  /// For each stop and launch, what the launch touches after the stop.
  private var following: [Following]
  /// For each launch, what it touches in the groups that have been placed so far.
  private var now: [Touched]

  /// - Parameter start: the address of the first group.
  package init(_ groups: ItemGroups, start: Int) {
    self.start = start
    sizes = groups.groups.map(\.size)
    for group in groups.groups {
      users += group.launches
      first.append(users.count)
    }
    for launch in groups.runs {
      runs += launch
      firstRun.append(runs.count)
    }
    let pagesAlone = groups.runs.map { launch in
      let bytes = launch.reduce(0) { $0 + $1.size }
      return (bytes - 1) >> Self.pageBits + 1
    }
    tolerablePages = pagesAlone.map { $0 + max(1, $0 / 100) }
    fewestFaults = pagesAlone.reduce(into: []) { sums, pages in
      sums.append((sums.last ?? 0) + (pages - 1) / Self.readAheadPages + 1)
    }
    pages = [Int](repeating: 0, count: groups.runs.count)
    let size = sizes.reduce(0, +)
    reader = [Int](
      repeating: 0, count: (start + size) >> Self.pageBits - start >> Self.pageBits + 1)
    stops = OrderStops(sizes.count)
    addresses = [Int](repeating: start, count: sizes.count)
    before = Array(repeating: (start, 0, 0), count: stops.count)
    after = Array(repeating: (0, 0), count: stops.count)
    touched = Array(repeating: Touched(), count: stops.count * pages.count)
    following = Array(repeating: Following(), count: stops.count * pages.count)
    now = Array(repeating: Touched(), count: pages.count)
  }

  /// The approximate number of steps that computing a cost takes.
  var steps: Int { runs.count + 2 * users.count }

  /// Returns the weighted sum of the pages of 4 KiB and of 16 KiB that launches touch, and of the faults of cold
  /// launches.
  ///
  /// - Parameter limit: for an order that costs at least this much, `Int.max` may be returned.
  /// - Complexity: O(*u*) for *u* uses, and the pages that they read.
  package mutating func cost(of order: [Int], below limit: Int = .max) -> Int {
    cost(of: order, changedIn: order.indices, below: limit)
  }

  /// Returns the cost of an order that has the same groups as the settled order before and after `places`.
  package mutating func cost(of order: [Int], changedIn places: Range<Int>, below limit: Int) -> Int
  {
    let (from, to) = stops.around(places)
    let window = stops.place(from)..<stops.place(to)
    var (address, cost, gaps) = before[from]
    for launch in pages.indices { now[launch] = touched[from * pages.count + launch] }
    for place in window { touch(order[place], &address, &cost, &gaps) }
    cost += after[to].largePages
    gaps += after[to].gaps
    for launch in pages.indices {
      let (last, next) = (now[launch], following[to * pages.count + launch])
      let touchedPages = last.pages + next.pages - (last.lastPage == next.firstPage ? 1 : 0)
      pages[launch] = touchedPages
      let beyond = max(0, touchedPages - tolerablePages[launch])
      cost += touchedPages + Self.excessWeight * beyond * beyond
      if last.lastLargePage == next.firstLargePage { cost -= 1 }
      gaps += Self.gap(from: last.lastEnd, to: next.start)
    }
    cost += (Self.gapWeight * gaps) >> Self.pageBits
    return addingFaults(to: cost, of: order, window, before[from].address, below: limit)
  }

  private static func gap(from end: Int, to start: Int) -> Int {
    min(1 << pageBits, max(0, start &- end))
  }

  /// Places a group at `address`, and adds what its launches touch.
  private mutating func touch(
    _ group: Int, _ address: inout Int, _ largePages: inout Int, _ gaps: inout Int
  ) {
    let end = address &+ sizes[group]
    let (from, to) = (address >> Self.pageBits, (end &- 1) >> Self.pageBits)
    let (fromLarge, toLarge) = (address >> Self.largePageBits, (end &- 1) >> Self.largePageBits)
    for use in first[group]..<first[group + 1] {
      let launch = users[use]
      let last = now[launch]
      gaps &+= Self.gap(from: last.lastEnd, to: address)
      largePages &+= toLarge &- max(fromLarge &- 1, last.lastLargePage)
      now[launch] = Touched(
        pages: last.pages &+ to &- max(from &- 1, last.lastPage), lastPage: to, lastEnd: end,
        lastLargePage: toLarge)
    }
    address = end
  }

  /// Returns `cost` and the cost of all faults.
  ///
  /// - Parameters:
  ///   - window: the places whose groups have other addresses than in the settled order.
  ///   - start: the address of the first of these places.
  private mutating func addingFaults(
    to cost: Int, of order: [Int], _ window: Range<Int>, _ start: Int, below limit: Int
  ) -> Int {
    faults = 0
    guard let all = fewestFaults.last else { return cost }
    guard cost + Self.faultWeight * all < limit else { return .max }
    var cost = cost
    let settled = addresses
    var address = start
    for place in window {
      addresses[order[place]] = address
      address += sizes[order[place]]
    }
    defer { addresses = settled }
    // The last launches come first. The computation stops when the cost so far and the fewest faults of the launches
    // that are left reach the limit.
    for launch in pages.indices.reversed() {
      guard cost + Self.faultWeight * fewestFaults[launch] < limit else { return .max }
      let faults = faults(of: launch)
      cost += Self.faultWeight * faults
      self.faults += faults
    }
    return cost
  }

  private mutating func faults(of launch: Int) -> Int {
    let firstPage = start >> Self.pageBits
    var faults = 0
    readerCount += 1
    for index in firstRun[launch]..<firstRun[launch + 1] {
      let run = runs[index]
      let address = addresses[run.group] + run.offset
      var page = address >> Self.pageBits - firstPage
      let last = (address + run.size - 1) >> Self.pageBits - firstPage
      while page <= last {
        if reader[page] != readerCount {
          faults += 1
          for read in page..<min(page + Self.readAheadPages, reader.count) {
            reader[read] = readerCount
          }
        }
        page += 1
      }
    }
    return faults
  }

  /// Settles an order: later orders are compared with it.
  ///
  /// - Parameter places: the places whose groups may differ from the order that was settled last.
  package mutating func settle(_ order: [Int], changedIn places: Range<Int>) {
    let launches = pages.count
    let (from, to) = stops.around(places)
    var (address, largePages, gaps) = before[from]
    for launch in 0..<launches { now[launch] = touched[from * launches + launch] }
    for stop in from..<stops.count - 1 {
      for place in stops.place(stop)..<stops.place(stop + 1) {
        addresses[order[place]] = address
        touch(order[place], &address, &largePages, &gaps)
      }
      before[stop + 1] = (address, largePages, gaps)
      for launch in 0..<launches { touched[(stop + 1) * launches + launch] = now[launch] }
    }
    for stop in (0..<to).reversed() {
      var (largePages, gaps) = after[stop + 1]
      for launch in 0..<launches {
        following[stop * launches + launch] = following[(stop + 1) * launches + launch]
      }
      for place in (stops.place(stop)..<stops.place(stop + 1)).reversed() {
        let address = addresses[order[place]]
        let last = address + sizes[order[place]] - 1
        let (from, to) = (address >> Self.pageBits, last >> Self.pageBits)
        let (fromLarge, toLarge) = (address >> Self.largePageBits, last >> Self.largePageBits)
        for use in first[order[place]]..<first[order[place] + 1] {
          let slot = stop * launches + users[use]
          let next = following[slot]
          gaps += Self.gap(from: last + 1, to: next.start)
          largePages += toLarge - fromLarge + (toLarge == next.firstLargePage ? 0 : 1)
          following[slot] = Following(
            pages: next.pages + to - from + (to == next.firstPage ? 0 : 1), firstPage: from,
            start: address, firstLargePage: fromLarge)
        }
      }
      after[stop] = (largePages, gaps)
    }
  }
}
