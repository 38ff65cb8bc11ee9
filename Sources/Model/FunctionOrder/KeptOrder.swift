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
// What is acceptable. The new order is itself the result of a search that finds one of many orders of nearly the same
// cost, so a kept order may be a little worse. Usually all launches together may touch 1 % more pages of 4 KiB, and the
// cost may be 10 % higher. Instead, a user can say how many pages a launch may lose: with a bound of two, launches may
// touch two pages more than with the new order, on average. A lost page can also be a fault, so launches may then wait
// for two cold faults more, on average, or for 10 % more faults if that is more than two.
//
// The previous order, with each new function after the function that it follows in the new order, moves nothing. It is
// taken if it is acceptable. Otherwise lines have to change, and pages and lines are two costs of an order. A price in
// pages for each line that changes makes them one cost: if a line costs nothing, the new order is best, and if it costs
// a lot, the previous order is. For each price an order is annealed (`OrderAnnealing`), beginning with the result of
// the price before (`PricedPath`):
//
// 1. From the previous order, with falling prices. This finds orders in which few lines change, but it stays in the
//    neighborhood of the previous order.
// 2. From the new order, with rising prices. This also finds orders that cost hardly more than the new order.
//
// The lines that stay are counted exactly for each move (`PricedLines`): groups that are in the same order in both files
// keep their lines, and of all choices of such groups the one with the most lines counts. A group consists of adjacent
// functions of the previous order that the same launches use. A function that no launch uses costs one line if it is
// left out, and a used function costs two lines if it moves, as diff(1) counts them.
//
// Three more orders are tried because they cost nothing: the previous order without the functions that no launch uses
// any more; the new order with the functions of each group in their previous order; and the same, only for functions
// that also begin on the same page. Of all acceptable orders, the one with the fewest changed lines is taken. What is
// tried does not depend on the bound, so a higher bound never changes more lines.
//
// An example. Launch 1 uses main, read, log, and launch 2 uses main, write, log. The previous order has log before main,
// and does not have write:
//
//     previous     log main read
//     new order    main log read write
//     kept order   log main read write
//
// What was tried and not kept, on versions of sqlite3 with eight launches (Benchmarks/refreshing-curve). Only the way
// from the previous order: it never came within 1 % of the pages of the new order. Only the way from the new order:
// where two pages might be lost, up to a third more lines changed. Pages, gaps and faults alone as the cost, without
// the square of the pages that a launch loses: at least 1.5 % more pages than the new order, from either end. A higher
// temperature, with three times as many moves: on the way from the new order, up to twice as many lines changed for the
// same pages in one of two steps. Half as many moves, to any place or mostly to near places: without a bound, up to 46 %
// more lines changed. Prices of 256 and 1024 pages on the way from the new order: of 13 refreshes, none took such an
// order with a bound of at most 12 pages.
//
// What it leaves out. The figures are for whole functions, in a section that begins where the layout's section begins.
// A launch that runs only parts of functions may touch fewer pages with either order. `gen --large-last` moves functions
// after this order was found.

import Addresses
import ImageModel

/// An order in which functions keep their places in a previous order if hardly anything is gained by moving them.
package struct KeptOrder: Sendable {
  /// The parts in the resulting order, without duplicates; a function with aliases is listed by its first alias.
  package let parts: [Part]
  /// The members of `parts` that only the previous order has, in the order of `parts`.
  package let unused: [Part]
  package let prediction: KeptPrediction

  /// - Parameters:
  ///   - order: the new order: each part once, by its function's first alias.
  ///   - previous: the parts of the previous order that the layout has; repetitions are ignored.
  ///   - launches: as in `MergedLaunches.append`.
  ///   - size, precedingBytes, mostMoves: as for `BalancedOrder`.
  ///   - lostPages: how many pages of 4 KiB more than with `order` a launch may touch, on average; `nil` for the usual
  ///     tolerance.
  /// - Complexity: O(*u* + *n* log *n*) for *u* uses and *n* parts if the parts stay; otherwise as for `BalancedOrder`,
  ///   with a larger factor.
  package init(
    _ order: [Part], previous: [Part], launches: [[Part]], layout: Layout,
    size: ((Part) -> UInt64)? = nil, precedingBytes: UInt64 = 0, lostPages: Int? = nil,
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
    let search = GroupSearch(
      launches: sequences, sizes: sizes, places: places, mostMoves: mostMoves)
    let tolerance = Tolerance(
      new: search.cost(of: Array(order.indices)), launches: sequences.count, lostPages: lostPages)
    let kept = search.keepingLines { tolerance.accepts(search.cost(of: $0)) }
    parts = kept.map { all[$0] }
    unused = kept.filter { $0 >= order.count }.map { all[$0] }
    let cost = search.cost(of: kept)
    prediction = KeptPrediction(
      launches: sequences.count, pages: .init(new: tolerance.new.pages, kept: cost.pages),
      faults: .init(new: tolerance.new.faults, kept: cost.faults))
  }
}

/// How much more than the new order a kept order may cost.
private struct Tolerance {
  let new: GroupSearch.Cost
  let launches: Int
  let lostPages: Int?

  func accepts(_ cost: GroupSearch.Cost) -> Bool {
    guard let lostPages else {
      return 100 * cost.pages <= 101 * new.pages && 10 * cost.all <= 11 * new.all
    }
    /// Whether a sum over all launches is at most `lostPages` higher for the mean launch. Any number may be given.
    func isWithin(_ sum: Int, of other: Int) -> Bool {
      sum <= other || (sum - other - 1) / launches < lostPages
    }
    return isWithin(cost.pages, of: new.pages)
      && (isWithin(cost.faults, of: new.faults) || 10 * cost.faults <= 11 * new.faults)
  }
}
