// Balanced order
// ==============
//
// The idea. Several launches use different functions, and no order is the best for each launch. A balanced order makes
// two sums over all launches small: the pages that they touch, and the faults that they wait for when nothing is in
// memory. So functions that exactly the same launches use are together, since a launch needs all of them or none. Next
// to them are functions that almost the same launches use, so that few pages are used in part.
//
// An example. Launch 1 uses main, read, log, and launch 2 uses main, write, log; a page has two functions.
//
//     first hit    main read | log write | cold     launch 1 touches two pages, launch 2 two
//     balanced     main log | read write | cold     the same
//     a third launch of main, log                   first hit: two pages; balanced: one
//
// The method has four steps.
//
// 1. Functions that the same launches use form a group, in the order of first uses.
// 2. The groups are ordered in two ways. The first order has the groups that all launches use, and then the other
//    groups by balanced partitioning, whose utilities are the launches. The second order is the order of first uses.
// 3. In both orders, `PageSearch` moves groups as long as launches then touch fewer pages. It counts real sizes.
// 4. From the better order, `OrderAnnealing` searches for an order with a smaller `LaunchCost`, which also counts cold
//    faults, the square of the pages that a launch touches beyond its own bytes, and pages as if the order could begin
//    anywhere. With thousands of groups this step is left out.
//
// The bound. A launch touches at least the bytes of its functions in whole pages. The sum over the eight recorded
// launches of sqlite3, redis and this command (docs/how-it-works/STRATEGIES.md) is a few per cent above this bound.
//
// What was tried and not kept, because all launches together touched more pages: functions that all launches use, and
// then first uses (5 to 13 % more); functions by the number of launches that use them (2 to 5 %); balanced partitioning
// by launches alone (2 to 4 %) and with LLVM's utilities, which are the first 1, 2, 4 ... functions of each launch (12
// to 25 %); large functions after the others (up to 3 % more than the same order with them in their places).
//
// What it leaves out. The part of a function that runs: the whole function counts, so that a large function seems to
// touch more pages than it does. And launches that nobody recorded: functions that were used by the same launches so
// far are expected to be used together again.
//
// Papers: the paper of `BalancedPartitioning`; and Lavaee, Criswell, Ding, "Codestitcher: Inter-Procedural Basic Block
// Layout Optimization", CC 2019, which also counts pages at several distances.

import Addresses
import ImageModel

/// The parts that several launches used, so that all launches together touch few pages.
package struct BalancedOrder: Sendable {
  /// The parts in their new order, without duplicates; a function with aliases is listed by its first alias.
  package let parts: [Part]

  /// The maximum number of launches that are examined. If there are more launches, they are sampled at equal distances
  /// after sorting them by their numbers of functions. Functions that only other launches use come last.
  private static let mostLaunches = 128

  /// Orders the parts that `launches` used. The order of the launches does not matter.
  ///
  /// - Parameters:
  ///   - launches: as in `MergedLaunches.append`. With one launch, or several equal launches, the result is the order
  ///     of first uses.
  ///   - size: the bytes of a part that launches run, or that a linker moves with it.
  ///   - precedingBytes: the bytes between the beginning of the section and the first part.
  ///   - mostMoves: the maximum number of moves of groups by `OrderAnnealing`.
  /// - Complexity: O(*u* log *n*) for *u* uses of *n* parts, with a large factor: two seconds of processor time for
  ///   700,000 uses. The annealing of fewer uses takes as long.
  package init(
    _ launches: [[Part]], layout: Layout, size: ((Part) -> UInt64)? = nil,
    precedingBytes: UInt64 = 0, mostMoves: Int = OrderAnnealing.usualMoves
  ) {
    let size = size ?? layout.byteCount(of:)
    let sequences = launches.map { launch in
      var sequence = MergedLaunches()
      sequence.append(launch, in: layout)
      return sequence
    }.sorted { a, b in
      a.parts.count == b.parts.count
        ? a.parts.lexicographicallyPrecedes(b.parts) : a.parts.count > b.parts.count
    }
    var merged = MergedLaunches()
    for sequence in sequences { merged.append(sequence) }
    let all = merged.parts
    var number: [Part: Int] = [:]
    for (index, part) in all.enumerated() { number[part] = index }
    let sizes = OrderedSizes(all, in: layout, size: size, precedingBytes: precedingBytes)
    let chosen =
      sequences.count <= Self.mostLaunches
      ? sequences
      : (0..<Self.mostLaunches).map { sequences[$0 * sequences.count / Self.mostLaunches] }
    let groups = ItemGroups(chosen.map { $0.parts.compactMap { number[$0] } }, sizes: sizes.sizes)
    let order = Self.order(of: groups, start: sizes.start, mostMoves).flatMap {
      groups.groups[$0].items
    }
    let isPlaced = Set(order)
    parts = (order + all.indices.filter { !isPlaced.contains($0) }).map { all[$0] }
  }

  private static func order(of groups: ItemGroups, start: Int, _ mostMoves: Int) -> [Int] {
    let byFirstUse = Array(groups.groups.indices)
    guard byFirstUse.count > 2 else { return byFirstUse }
    var cost = LaunchCost(groups, start: start)
    var best = byFirstUse
    var leastCost = cost.cost(of: best)
    for order in [groups.partitioned, byFirstUse] {
      let improved = PageSearch.improving(order, of: groups, start: start)
      let cost = cost.cost(of: improved)
      if cost < leastCost { (leastCost, best) = (cost, improved) }
    }
    return OrderAnnealing.improving(best, cost: cost, mostMoves: mostMoves)
  }
}
