// Kept order
// ==========
//
// The idea. An order file is kept beside the code, and a small change of the program or of a launch can change where most
// of its lines stand although no launch gains by it: the functions that the same launches use can stand in any order, and
// there are many orders of nearly the same cost. Here entries stay in the order of a previous file where hardly
// anything is gained by moving them.
//
// What launches gain is counted as `LaunchCost` does, which is what the balanced order makes small: pages, cold faults, and
// that no launch pays for the others. It is predicted from the sizes of the functions. For one launch only the faults
// differ, because any order of the same functions has the same pages.
//
// Several orders are tried, from the one that moves least to the new one. The first is taken with which all launches together
// touch at most 1 % more pages of 4 KiB than with the new order, and that costs at most 10 % more. For the new order is itself
// the result of a search that finds one of many orders of nearly the same cost:
//
// 1. The previous order, also of functions that no launch uses any more. A new function goes behind the one that it
//    follows in the new order.
// 2. The same without the functions that no launch uses any more.
// 3. The second order, in which single groups of functions move as long as launches gain by it. A group is of functions
//    that stand next to each other and are used by the same launches, so that the launches can't tell them apart.
// 4. The third order, annealed a little (`OrderAnnealing`), and then thoroughly.
// 5. The new order, in which the functions of each group are in their previous order. The functions of a group that are
//    new keep their places in it.
// 6. The same with smaller groups: of functions that also begin on the same page of 4 KiB.
// 7. The new order.
//
// An example. Launch 1 uses main, read, log, and launch 2 uses main, write, log. The previous order has log before main,
// and does not have write:
//
//     previous     log main read
//     new order    main log read write
//     kept order   log main read write
//
// What it leaves out. The figures are those of whole functions in a section that begins as that of the layout does; a
// launch that runs parts of them may touch fewer pages with either order.

import Addresses
import ImageModel

/// An order in which functions keep their places in a previous order if hardly anything is gained by moving them.
package struct KeptOrder: Sendable {
  /// Without duplicates; the first of a function's aliases stands for all.
  package let parts: [Part]
  /// The parts among them that are in the previous order only, in their order.
  package let unused: [Part]

  /// - Parameters:
  ///   - order: the new order: each part once, the first of its function's aliases.
  ///   - previous: the parts of the previous order that the layout has, in any number.
  ///   - launches: as in `MergedLaunches.append`.
  ///   - size, precedingBytes, mostMoves: as of `BalancedOrder`.
  /// - Complexity: O(*u* + *n* log *n*) for *u* uses and *n* parts if they stay or are all moved; else as of `BalancedOrder`.
  package init(
    _ order: [Part], previous: [Part], launches: [[FirstUse]], layout: Layout,
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

/// Searches orders of items that move in groups: those that are adjacent, and used by the same launches.
private struct GroupSearch {
  let launches: [[Int]]
  let sizes: OrderedSizes
  let mostMoves: Int

  /// The cost, and the pages of 4 KiB of all launches together.
  func cost(of order: [Int]) -> (all: Int, pages: Int) {
    let groups = LaunchGroups(launches, sizes: sizes.sizes, adjacentIn: order)
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
    let groups = LaunchGroups(launches, sizes: sizes.sizes, adjacentIn: order)
    return method(Array(groups.groups.indices), LaunchCost(groups, start: sizes.start))
      .flatMap { groups.groups[$0].items }
  }
}

/// The orders that move less than the new one, which is that of the numbers below `count`.
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

  /// The previous order, and each new item behind the one that it follows in the new order.
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

  /// The new order with groups in their previous order.
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
