/// The items that launches use, in groups. Exactly the same launches use all items of a group, so that a launch needs
/// either the whole group or nothing of it.
package struct ItemGroups: Sendable {
  package struct Group: Sendable {
    /// The items of the group, in the order in which the launches, one after the other, first use them.
    package fileprivate(set) var items: [Int] = []
    /// The launches that use the group, ascending.
    package let launches: [Int]
    /// The size of the group, in bytes.
    package fileprivate(set) var size = 0
  }

  /// Bytes of a group that a launch uses without using anything else in between.
  package struct Run: Sendable {
    package let group: Int
    package let offset: Int
    package fileprivate(set) var size: Int
  }

  /// The groups, in the order of their first items.
  package private(set) var groups: [Group] = []
  /// The groups that each launch uses, piece by piece, in the order of first uses.
  package private(set) var runs: [[Run]] = []

  /// - Parameters:
  ///   - launches: the items of each launch in the order of first uses, each once.
  ///   - sizes: the sizes of all items, in bytes, at least 1.
  /// - Complexity: O(*u*) for *u* uses, on average.
  package init(_ launches: [[Int]], sizes: [Int]) {
    var groupOfLaunches: [[Int]: Int] = [:]
    self.init(launches, sizes: sizes, order: launches.joined()) { users, next in
      let group = groupOfLaunches[users] ?? next
      groupOfLaunches[users] = group
      return group
    }
  }

  /// Makes groups only of items that are adjacent in `order`, so that the groups one after the other have the items in
  /// this order.
  ///
  /// - Parameter order: all items that `launches` use, each once.
  /// - Complexity: O(*u*) for *u* uses, on average.
  package init(_ launches: [[Int]], sizes: [Int], adjacentIn order: [Int]) {
    var last: [Int]?
    self.init(launches, sizes: sizes, order: order) { users, next in
      defer { last = users }
      return users == last ? next - 1 : next
    }
  }

  /// - Parameter group: returns the group of an item that the given launches use; it returns its second argument to
  ///   begin a new group.
  private init(
    _ launches: [[Int]], sizes: [Int], order: some Sequence<Int>, group: ([Int], Int) -> Int
  ) {
    var launchesOfItem = [[Int]](repeating: [], count: sizes.count)
    for (number, launch) in launches.enumerated() {
      for item in launch { launchesOfItem[item].append(number) }
    }
    var place = [(group: Int, offset: Int)?](repeating: nil, count: sizes.count)
    for item in order where place[item] == nil {
      let users = launchesOfItem[item]
      let group = group(users, groups.count)
      if group == groups.count { groups.append(Group(launches: users)) }
      place[item] = (group, groups[group].size)
      groups[group].items.append(item)
      groups[group].size += sizes[item]
    }
    runs = launches.map { launch in
      launch.reduce(into: []) { runs, item in
        guard let (group, offset) = place[item] else { return }
        if let last = runs.last, last.group == group, last.offset + last.size == offset {
          runs[runs.count - 1].size += sizes[item]
        } else {
          runs.append(Run(group: group, offset: offset, size: sizes[item]))
        }
      }
    }
  }

  /// The order of the groups by balanced partitioning; the groups that all launches use are first.
  var partitioned: [Int] {
    // Groups that more launches use come first, so that code that is used throughout is not among code that is used
    // once.
    let input = groups.indices.sorted { a, b in
      let (a, b) = (groups[a].launches, groups[b].launches)
      return a.count == b.count ? a.lexicographicallyPrecedes(b) : a.count > b.count
    }
    let common = input.prefix { groups[$0].launches.count == runs.count }
    let others = input.dropFirst(common.count)
    let order = BalancedPartitioning.order(others.map { groups[$0].launches.map(UInt32.init) })
    return common + order.map { others[others.startIndex + $0] }
  }
}
