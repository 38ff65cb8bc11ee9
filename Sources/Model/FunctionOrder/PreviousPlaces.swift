/// The orders that move less than the new order, which consists of the numbers below `count`, ascending.
struct PreviousPlaces {
  private let previous: [Int]
  private let count: Int
  private let sizes: OrderedSizes
  /// For each item its place in the previous order.
  private var place: [Int?]
  /// For each item the launches that use it, ascending.
  private var users: [[Int]]

  init(previous: [Int], count: Int, launches: [[Int]], sizes: OrderedSizes) {
    self.previous = previous
    self.count = count
    self.sizes = sizes
    place = [Int?](repeating: nil, count: sizes.sizes.count)
    for (index, item) in previous.enumerated() { place[item] = index }
    users = [[Int]](repeating: [], count: sizes.sizes.count)
    for (launch, items) in launches.enumerated() {
      for item in items { users[item].append(launch) }
    }
  }

  var newOrder: [Int] { Array(0..<count) }

  /// Returns the previous order, with each new item after the item that it follows in the new order.
  func previous(withUnused keepsUnused: Bool) -> [Int] {
    var first: [Int] = []
    var following = [[Int]](repeating: [], count: previous.count)
    var last: Int?
    for item in 0..<count {
      if let place = place[item] {
        last = place
      } else if let last {
        following[last].append(item)
      } else {
        first.append(item)
      }
    }
    return first
      + previous.indices.flatMap { index in
        (keepsUnused || previous[index] < count ? [previous[index]] : []) + following[index]
      }
  }

  /// Returns the number of lines that diff(1) shows because `items` leave their places. A line that moves is in both
  /// files, and a line that is left out only in the previous file.
  func changedLines(ifMoving items: [Int]) -> Int {
    items.reduce(0) { $0 + (place[$1] == nil ? 0 : $1 < count ? 2 : 1) }
  }

  /// Returns the number of lines that diff(1) shows, without the lines of new items.
  func changedLines(with order: [Int]) -> Int {
    let lines = previous.map { changedLines(ifMoving: [$0]) }
    var staying = AscendingLines()
    for place in order.compactMap({ place[$0] }) { staying.append(place, lines: lines[place]) }
    return lines.reduce(0, +) - staying.most
  }

  /// Returns the numbers of `groups` so that items that are adjacent in the new order, and that the same launches use, are
  /// in their previous order, and all others in the new order. Groups without a used item are last.
  ///
  /// - Parameter groups: groups of adjacent items of the previous order that the same launches use, in this order.
  func inNewOrder(_ groups: [[Int]]) -> [Int] {
    var runs: [Int] = []
    for item in 0..<count {
      let last = runs.last ?? 0
      runs.append(item > 0 && users[item] != users[item - 1] ? last + 1 : last)
    }
    let run = groups.map { group in group.first { $0 < count }.map { runs[$0] } ?? .max }
    return groups.indices.sorted { (run[$0], $0) < (run[$1], $1) }
  }

  /// Returns the items of all groups, without unused items that were moved to the end.
  func withoutUnusedEnd(_ groups: [[Int]]) -> [Int] {
    let end = groups.lastIndex { $0.contains { $0 < count } }.map { $0 + 1 } ?? 0
    let used = groups[..<end].joined()
    var last = used.lazy.compactMap { place[$0] }.max() ?? -1
    return used
      + groups[end...].joined().filter { item in
        guard let place = place[item], place > last else { return false }
        last = place
        return true
      }
  }

  /// Returns the new order, in which the items of each group are in their previous order.
  func sortedGroups(onPages: Bool) -> [Int] {
    var order: [Int] = []
    var start = 0
    var address = sizes.start
    while start < count {
      let page = address >> LaunchCost.pageBits
      var end = start
      repeat {
        address += sizes.sizes[end]
        end += 1
      } while end < count && users[end] == users[start]
        && (!onPages || address >> LaunchCost.pageBits == page)
      let run = start..<end
      var known = run.filter { place[$0] != nil }
        .sorted { place[$0] ?? 0 < place[$1] ?? 0 }[...]
      order += run.map { place[$0] == nil ? $0 : known.popFirst() ?? $0 }
      start = end
    }
    return order
  }
}
