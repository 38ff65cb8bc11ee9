// Refining an order
// =================
//
// The idea. An order file was made from one build and is used by another, and what a launch runs is not all
// in it: functions that nobody instrumented, that the compiler split off or merged later, that are entered
// in their middle. Each of them can cost a page of its own. So the build that was linked with the order is
// launched once more, everything that it runs is noted, and the order is changed by one move at a time. A
// move is kept if the relinked program touches fewer pages; that is measured and not guessed, so the result
// is never worse than what it began with.
//
// An example. The order has main, parse, save (which the launch does not run), open. The launch runs main,
// parse, stub, open. A page holds two functions:
//
//     given          main parse | save open | ... stub     3 pages
//     add missing    main parse | stub save | open         3
//     unused last    main parse | stub open | save         2
//
// The moves:
//
// - Add what is missing: each function that the launch runs and that no entry places goes behind the one
//   that ran before it, so that the order still ascends in time, which is what read-ahead wants.
// - Unused last: entries whose functions this launch does not run go behind those that it does. They stay in
//   the order: it may have been made from other launches, too.
// - Large last: of the functions that the launch runs, those of at least so many bytes go behind the
//   smaller ones. A launch rarely runs all of a large function; the small ones come to stand closer.
//
// The bound is the used functions' bytes in whole pages, and the pages with what no order file can move.
//
// What it leaves out. It is a search along a line, not among all orders: a move that only helps together
// with the next one is dropped. And it trains on one launch: see `FirstTouchOrder` on several.

import Addresses
import ImageModel

/// One order file, the layout that was linked with it, and what a launch of that used.
package struct OrderRefinement: Sendable {
  /// What an order is made of.
  package enum Element: Hashable, Sendable {
    /// An entry of the order file that is refined, by its index.
    case entry(Int)
    /// A function that no entry places, by its index in the layout; the first of its aliases.
    case function(Int)
  }

  package enum Move: Hashable, Sendable {
    case addMissing
    case unusedLast
    case largeLast(bytes: UInt64)
  }

  private let entries: [Entry]
  /// Functions that no entry places, the first of their aliases, by first use; each with the entry behind
  /// which it belongs, -1 for the very beginning.
  package let missing: [(function: Int, entry: Int)]

  private struct Entry {
    /// `true` also of one that places nothing in this layout: nothing is known of it.
    var isUsed: Bool
    /// Of its largest function.
    var size: UInt64
  }

  /// - Parameters:
  ///   - entries: for each entry of the order file the functions that it places, by their indexes in the
  ///     layout; none for an entry that names nothing of it.
  ///   - uses: what the launch ran, in any order.
  /// - Complexity: O((*e* + *u*) log *n*) for *e* placed functions, *u* uses and *n* functions.
  package init(entries: [[Int]], uses: [FirstUse], layout: Layout) {
    func body(_ function: Int) -> Range<Int> {
      layout.functions(at: layout.functions[function].address)
    }
    var placedBy: [Int: Int] = [:]
    for (index, functions) in entries.enumerated() {
      for function in functions {
        let body = body(function).lowerBound
        if placedBy[body] == nil { placedBy[body] = index }
      }
    }
    let used = uses.map { (step: $0.step, body: body($0.function).lowerBound) }
      .sorted { ($0.step, $0.body) < ($1.step, $1.body) }
    let isUsed = Set(used.map(\.body))
    self.entries = entries.map { functions in
      let bodies = functions.map(body)
      return Entry(
        isUsed: bodies.isEmpty || bodies.contains { isUsed.contains($0.lowerBound) },
        // Aliases ascend by size: the last one knows the whole body.
        size: bodies.map { layout.functions[$0.upperBound - 1].knownBytes }.max() ?? 0)
    }
    var missing: [(function: Int, entry: Int)] = []
    var isKnown: Set<Int> = []
    var last = -1
    for use in used {
      if let entry = placedBy[use.body] {
        last = entry
      } else if isKnown.insert(use.body).inserted {
        missing.append((use.body, last))
      }
    }
    self.missing = missing
  }

  /// The order after one move.
  ///
  /// - Complexity: O(*e* + *m* log *m*) for *e* entries and *m* missing functions.
  package func applying(_ move: Move) -> [Element] {
    let indexes = Array(entries.indices)
    switch move {
    case .addMissing:
      // A stable sort by the entry before: several behind one entry keep their order in time.
      let added = missing.enumerated().sorted {
        ($0.element.entry, $0.offset) < ($1.element.entry, $1.offset)
      }
      var order: [Element] = []
      var next = 0
      for entry in -1..<entries.count {
        if entry >= 0 { order.append(.entry(entry)) }
        while next < added.count, added[next].element.entry == entry {
          order.append(.function(added[next].element.function))
          next += 1
        }
      }
      return order
    case .unusedLast:
      return (indexes.filter { entries[$0].isUsed } + indexes.filter { !entries[$0].isUsed })
        .map(Element.entry)
    case .largeLast(let bytes):
      let used = indexes.filter { entries[$0].isUsed }
      return
        (used.filter { entries[$0].size < bytes } + used.filter { entries[$0].size >= bytes }
        + indexes.filter { !entries[$0].isUsed }).map(Element.entry)
    }
  }
}
