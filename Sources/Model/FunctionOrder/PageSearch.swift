/// Moves groups so that launches touch fewer pages, by local search: a group moves to the place where the sum is
/// smallest, again and again, until no move helps.
///
/// The sum is the number of pages that each launch touches, over all launches and several page sizes. Small pages alone
/// would make an order that depends on where exactly the linker begins. With few groups every place is tried; with many
/// groups, only nearby places, so that the time grows with the number of uses and not with its square.
struct PageSearch {
  /// The bits of an address within a page: 4 KiB, 16 KiB, and the 64 KiB that Linux maps around a fault.
  private static let pageBits = [12, 14, 16]
  /// About how many times a pass looks at a group's use by a launch.
  private static let stepsPerPass = 80_000_000
  private static let passes = 4

  private let sizes: [Int]
  private let start: Int
  private let launchCount: Int
  /// The launches of all groups; the launches of group `i` are at `first[i]..<first[i + 1]`.
  private var users: [Int] = []
  private var first = [0]
  private var order: [Int]

  /// The page that each launch touched last, or touches next, by launch and page size.
  private typealias Pages = [Int]

  /// - Parameter start: the address of the first group.
  /// - Complexity: O(*u* + *n* log *n*) for *u* pairs of group and launch among *n* groups, with a large factor.
  static func improving(_ order: [Int], of groups: ItemGroups, start: Int) -> [Int] {
    var search = PageSearch(order, groups, start)
    for _ in 0..<passes {
      guard search.pass() else { break }
    }
    return search.order
  }

  private init(_ order: [Int], _ groups: ItemGroups, _ start: Int) {
    self.order = order
    self.start = start
    sizes = groups.groups.map(\.size)
    launchCount = groups.runs.count
    for group in groups.groups {
      users += group.launches
      first.append(users.count)
    }
  }

  private var noPages: Pages { Pages(repeating: -1, count: launchCount * Self.pageBits.count) }

  /// Improves overlapping windows of the order, one after the other.
  ///
  /// - Returns: whether anything was improved.
  private mutating func pass() -> Bool {
    let usesPerGroup = max(1, users.count / max(1, order.count)) * Self.pageBits.count
    var step = 1
    // A window of w groups takes w * w * w steps.
    while 2 * step < order.count,
      4 * (step + 1) * (step + 1) * order.count * usesPerGroup < Self.stepsPerPass
    { step += 1 }
    let following = pagesFollowing(every: step)
    var before = noPages
    var address = start
    var hasImproved = false
    for from in stride(from: 0, to: order.count, by: step) {
      let window = from..<min(from + 2 * step, order.count)
      if improve(window, address, before, following[(window.upperBound + step - 1) / step]) {
        hasImproved = true
      }
      _ = touch(order[from..<min(from + step, order.count)], &address, &before)
    }
    return hasImproved
  }

  /// For each multiple of `step` groups, and for the end, the page that each launch touches next.
  private func pagesFollowing(every step: Int) -> [Pages] {
    var following: [Pages] = []
    var pages = noPages
    var address = start + order.reduce(0) { $0 + sizes[$1] }
    for place in stride(from: order.count, through: 0, by: -1) {
      if place == order.count || place.isMultiple(of: step) { following.append(pages) }
      guard place > 0 else { break }
      let group = order[place - 1]
      address -= sizes[group]
      for i in first[group]..<first[group + 1] {
        for (size, bits) in Self.pageBits.enumerated() {
          pages[users[i] * Self.pageBits.count + size] = address >> bits
        }
      }
    }
    return following.reversed()
  }

  /// Returns the number of pages that launches touch in `groups`. The page that a launch touched last is not counted
  /// again.
  ///
  /// - Parameter limit: the count may stop when it reaches this sum.
  private func touch(
    _ groups: some Sequence<Int>, _ address: inout Int, _ last: inout Pages, limit: Int = .max
  ) -> Int {
    let count = Self.pageBits.count
    var sum = 0
    for group in groups {
      let lastByte = address + sizes[group] - 1
      for (size, bits) in Self.pageBits.enumerated() {
        let (from, to) = (address >> bits, lastByte >> bits)
        for i in first[group]..<first[group + 1] {
          let slot = users[i] &* count &+ size
          sum &+= to &- max(from &- 1, last[slot])
          last[slot] = to
        }
      }
      address = lastByte + 1
      if sum >= limit { break }
    }
    return sum
  }

  /// Moves the groups of one window within the window.
  ///
  /// - Parameters:
  ///   - address: the address of the window's first byte.
  ///   - before: the pages that launches touched last before the window.
  ///   - after: the pages that launches touch next after the window.
  private mutating func improve(
    _ window: Range<Int>, _ address: Int, _ before: Pages, _ after: Pages
  ) -> Bool {
    var slots: [Int] = []
    var isListed = [Bool](repeating: false, count: launchCount)
    for group in order[window] {
      for user in users[first[group]..<first[group + 1]] where !isListed[user] {
        isListed[user] = true
        slots += user * Self.pageBits.count..<(user + 1) * Self.pageBits.count
      }
    }
    var last = before
    func pages(_ groups: [Int], below limit: Int) -> Int {
      for slot in slots { last[slot] = before[slot] }
      var address = address
      // A page that the window shares with the following groups does not count.
      let (most, overflow) = limit.addingReportingOverflow(slots.count)
      let sum = touch(groups, &address, &last, limit: overflow ? .max : most)
      return sum - slots.count { last[$0] == after[$0] }
    }
    var best = Array(order[window])
    var fewest = pages(best, below: .max)
    var hasImproved = false
    for group in order[window] {
      guard let place = best.firstIndex(of: group) else { continue }
      var others = best
      others.remove(at: place)
      var candidate = [group] + others
      var target: Int?
      for i in candidate.indices {
        if i > 0 { candidate.swapAt(i - 1, i) }
        guard i != place else { continue }
        let sum = pages(candidate, below: fewest)
        if sum < fewest { (fewest, target) = (sum, i) }
      }
      guard let target else { continue }
      others.insert(group, at: target)
      best = others
      hasImproved = true
    }
    order.replaceSubrange(window, with: best)
    return hasImproved
  }
}
