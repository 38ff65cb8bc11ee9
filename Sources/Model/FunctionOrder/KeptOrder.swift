// Kept order
// ==========
//
// The idea. An order file is kept beside the code, and a small change of the program or of a launch can move most of
// its lines although no launch gains by it: functions that the same launches use can be in any order, and there are
// many orders of nearly the same cost. A kept order leaves entries in the order of a previous file where moving them
// gains hardly anything.
//
// `LaunchCost` measures what launches gain: pages, cold faults, and that no launch pays for the others. The balanced
// order makes this cost small. The cost is predicted from the sizes of the functions. For one launch only the faults
// differ, because any order of the same functions has the same pages.
//
// Several orders are tried, from the order that moves least to the new order. The first acceptable order is taken: with
// it, all launches together touch at most 1 % more pages of 4 KiB than with the new order, and its cost is at most 10 %
// higher. These tolerances are needed because the new order is itself the result of a search that finds one of many
// orders of nearly the same cost. The orders are:
//
// 1. The previous order, including functions that no launch uses any more. A new function is placed after the function
//    that it follows in the new order.
// 2. The first order without the functions that no launch uses any more.
// 3. The second order, in which single groups of functions move as long as launches gain by it. A group consists of
//    adjacent functions that the same launches use.
// 4. The third order, annealed a little (`OrderAnnealing`), and then thoroughly.
// 5. The new order, in which the functions of each group are in their previous order. New functions keep their places
//    in the group.
// 6. The fifth order with smaller groups, whose functions also begin on the same page of 4 KiB.
// 7. The new order.
//
// An example. Launch 1 uses main, read, log, and launch 2 uses main, write, log. The previous order has log before main,
// and does not have write:
//
//     previous     log main read
//     new order    main log read write
//     kept order   log main read write
//
// What it leaves out. The figures are for whole functions, in a section that begins where the layout's section begins.
// A launch that runs only parts of functions may touch fewer pages with either order.

import Addresses
import ImageModel

/// An order in which functions keep their places in a previous order if hardly anything is gained by moving them.
package struct KeptOrder: Sendable {
  /// The parts in the resulting order, without duplicates; a function with aliases is listed by its first alias.
  package let parts: [Part]
  /// The members of `parts` that only the previous order has, in the order of `parts`.
  package let unused: [Part]

  /// - Parameters:
  ///   - order: the new order: each part once, by its function's first alias.
  ///   - previous: the parts of the previous order that the layout has; repetitions are ignored.
  ///   - launches: as in `MergedLaunches.append`.
  ///   - size, precedingBytes, mostMoves: as for `BalancedOrder`.
  /// - Complexity: O(*u* + *n* log *n*) for *u* uses and *n* parts if the parts stay or are all moved; otherwise as for
  ///   `BalancedOrder`.
  package init(
    _ order: [Part], previous: [Part], launches: [[Part]], layout: Layout,
    size: ((Part) -> UInt64)? = nil, precedingBytes: UInt64 = 0,
    mostMoves: Int = OrderAnnealing.usualMoves
  ) {
    var number: [Part: Int] = [:]
    var all = order
    for (index, part) in order.enumerated() { number[part] = index }
    var previousOrder: [Int] = []
    var isPrevious: Set<Part> = []
    for part in previous.lazy.map(layout.canonical) where isPrevious.insert(part).inserted {
      let index = number[part] ?? all.count
      if index == all.count {
        number[part] = index
        all.append(part)
      }
      previousOrder.append(index)
    }
    let sequences = launches.map { launch in
      var sequence = MergedLaunches()
      sequence.append(launch, in: layout)
      return sequence.parts.compactMap { number[$0] }
    }
    let sizes = OrderedSizes(
      all, in: layout, size: size ?? layout.byteCount(of:), precedingBytes: precedingBytes)
    let places = PreviousPlaces(
      previous: previousOrder, count: order.count, launches: sequences, sizes: sizes)
    let search = GroupSearch(launches: sequences, sizes: sizes, mostMoves: mostMoves)
    let new = Array(order.indices)
    let limit = search.cost(of: new)
    let known = places.previous(withUnused: false)
    var improved = known
    let candidates: [() -> [Int]] = [
      { places.previous(withUnused: true) }, { known },
      {
        improved = search.descending(from: known)
        return improved
      },
      { search.annealed(improved, from: .mild) }, { search.annealed(improved, from: .hot) },
      { places.sortedGroups(onPages: false) },
      { places.sortedGroups(onPages: true) },
    ]
    let kept =
      candidates.lazy.map { $0() }.first { candidate in
        let cost = search.cost(of: candidate)
        return 100 * cost.pages <= 101 * limit.pages && 10 * cost.all <= 11 * limit.all
      } ?? new
    parts = kept.map { all[$0] }
    unused = kept.filter { $0 >= order.count }.map { all[$0] }
  }
}

/// Searches orders of items that move in groups. A group consists of adjacent items that the same launches use.
private struct GroupSearch {
  let launches: [[Int]]
  let sizes: OrderedSizes
  let mostMoves: Int

  /// Returns the cost of an order for all launches together, and the number of their pages of 4 KiB.
  func cost(of order: [Int]) -> (all: Int, pages: Int) {
    let groups = ItemGroups(launches, sizes: sizes.sizes, adjacentIn: order)
    var cost = LaunchCost(groups, start: sizes.start)
    let all = cost.cost(of: Array(groups.groups.indices))
    return (all, cost.pages.reduce(0, +))
  }

  func descending(from order: [Int]) -> [Int] {
    improving(order) { OrderAnnealing.descending(from: $0, cost: $1, mostMoves: mostMoves) }
  }

  func annealed(_ order: [Int], from temperature: OrderAnnealing.Temperature) -> [Int] {
    improving(order) {
      OrderAnnealing.improving($0, cost: $1, mostMoves: mostMoves, from: temperature)
    }
  }

  private func improving(_ order: [Int], by method: ([Int], LaunchCost) -> [Int]) -> [Int] {
    let groups = ItemGroups(launches, sizes: sizes.sizes, adjacentIn: order)
    return method(Array(groups.groups.indices), LaunchCost(groups, start: sizes.start))
      .flatMap { groups.groups[$0].items }
  }
}

/// The orders that move less than the new order, which consists of the numbers below `count`, ascending.
private struct PreviousPlaces {
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
