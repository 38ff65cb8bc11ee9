// Kept order
// ==========
//
// The idea. An order file is kept beside the code, and a small change of the program or of a launch can change where most
// of its lines stand although no launch gains by it: the functions that the same launches use can stand in any order, and
// there are many orders of nearly the same cost. Here entries stay in the order of a previous file where nothing is gained
// by moving them.
//
// What a launch gains is counted in three figures, which are predicted from the sizes of the functions:
//
// - pages of 4 KiB that it touches,
// - pages of 16 KiB,
// - faults of a cold launch on Linux, where a fault reads 128 KiB from its page on. For one launch this is what an order
//   can change at all, because any order of the same functions has the same pages.
//
// Five orders are tried, from the one that moves least to the new one. The first is taken with which none of the launches
// has a larger figure than with the new order:
//
// 1. The previous order, also of functions that no launch uses any more. A new function goes behind the one that it
//    follows in the new order.
// 2. The same without the functions that no launch uses any more.
// 3. The new order, in which the functions of each run are in their previous order. A run is of functions that stand next
//    to each other and are used by the same launches, so that the launches can't tell them apart. The functions of a run
//    that are new keep their places in it.
// 4. The same with shorter runs: of functions that also begin on the same page of 4 KiB.
// 5. The new order.
//
// An example. Launch 1 uses main, read, log, and launch 2 uses main, write, log. The previous order has log before main,
// and does not have write:
//
//     previous     log main read
//     new order    main log read write
//     kept order   log main read write
//
// What it leaves out. Whether a mixture of both orders would do: if the previous order is worse for a single launch, and be
// it by one page, then only runs keep their order. And the figures are those of whole functions in a section that begins
// as that of the layout does; a launch that runs parts of them may touch fewer pages with either order.

import Addresses
import ImageModel

/// An order in which functions keep their places in a previous order where nothing is gained by moving them.
package struct KeptOrder: Sendable {
  /// Without duplicates; the first of a function's aliases stands for all.
  package let parts: [Part]
  /// The parts among them that are in the previous order only, in their order.
  package let unused: [Part]

  /// - Parameters:
  ///   - order: the new order: each part once, the first of its function's aliases.
  ///   - previous: the parts of the previous order that the layout has, in any number.
  ///   - launches: as in `MergedLaunches.append`.
  ///   - size: the bytes of a part that launches run.
  /// - Complexity: O(*u* + *n* log *n*) for *u* uses and *n* parts, and the pages that launches read.
  package init(
    _ order: [Part], previous: [Part], launches: [[FirstUse]], layout: Layout,
    size: ((Part) -> UInt64)? = nil
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
    let sizes = OrderedSizes(all, in: layout, size: size ?? layout.byteCount(of:))
    let figures = LaunchFigures(sequences, sizes: sizes)
    let candidates = PreviousPlaces(
      previous: previousOrder, count: order.count, launches: sequences, sizes: sizes)
    let new = Array(order.indices)
    let limits = figures.figures(of: new)
    let kept =
      [
        candidates.previous(withUnused: true), candidates.previous(withUnused: false),
        candidates.sortedRuns(onPages: false), candidates.sortedRuns(onPages: true),
      ].first { figures.figures(of: $0, areAtMost: limits) } ?? new
    parts = kept.map { all[$0] }
    unused = kept.filter { $0 >= order.count }.map { all[$0] }
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

  /// The new order with runs in their previous order.
  func sortedRuns(onPages: Bool) -> [Int] {
    var order: [Int] = []
    var start = 0
    var address = sizes.start
    while start < count {
      let page = address >> LaunchFigures.pageBits
      var end = start
      repeat {
        address += sizes.sizes[end]
        end += 1
      } while end < count && users[end] == users[start]
        && (!onPages || address >> LaunchFigures.pageBits == page)
      let run = start..<end
      var known = run.filter { place[$0] != nil }
        .sorted { place[$0] ?? 0 < place[$1] ?? 0 }[...]
      order += run.map { place[$0] == nil ? $0 : known.popFirst() ?? $0 }
      start = end
    }
    return order
  }
}

/// What each launch costs with an order of items.
private struct LaunchFigures {
  static let pageBits = 12
  private static let largePageBits = 14
  private static let readAheadPages = 32

  struct Figures {
    var pages = 0
    var largePages = 0
    var coldFaults = 0
  }

  private let launches: [[Int]]
  private let sizes: OrderedSizes

  init(_ launches: [[Int]], sizes: OrderedSizes) {
    self.launches = launches
    self.sizes = sizes
  }

  /// Whether no figure of a launch with `order` is larger than that of `limits`.
  func figures(of order: [Int], areAtMost limits: [Figures]) -> Bool {
    zip(figures(of: order), limits).allSatisfy {
      $0.pages <= $1.pages && $0.largePages <= $1.largePages && $0.coldFaults <= $1.coldFaults
    }
  }

  /// - Complexity: O(*u*) for *u* uses, and the pages that they read.
  func figures(of order: [Int]) -> [Figures] {
    var address = sizes.start
    var addresses = [Int](repeating: 0, count: sizes.sizes.count)
    for item in order {
      addresses[item] = address
      address += sizes.sizes[item]
    }
    let firstPage = sizes.start >> Self.pageBits
    let pageCount = address >> Self.pageBits - firstPage + 1
    var touched = [Int](repeating: -1, count: pageCount)
    var touchedLarge = touched
    var read = touched
    let pagesPerLarge = Self.largePageBits - Self.pageBits
    return launches.enumerated().map { launch, items in
      var figures = Figures()
      for item in items {
        let end = addresses[item] + sizes.sizes[item] - 1
        for page in addresses[item] >> Self.pageBits...end >> Self.pageBits {
          let index = page - firstPage
          guard touched[index] != launch else { continue }
          touched[index] = launch
          figures.pages += 1
          let large = page >> pagesPerLarge - firstPage >> pagesPerLarge
          if touchedLarge[large] != launch {
            touchedLarge[large] = launch
            figures.largePages += 1
          }
          guard read[index] != launch else { continue }
          figures.coldFaults += 1
          for readPage in index..<min(index + Self.readAheadPages, pageCount) {
            read[readPage] = launch
          }
        }
      }
      return figures
    }
  }
}
