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
    /// What no entry places; of the first of its function's aliases.
    case part(Part)
  }

  package enum Move: Hashable, Sendable {
    case addMissing
    case unusedLast
    case largeLast(bytes: UInt64)
  }

  private let entries: [Entry]
  /// What no entry places, of the first of its function's aliases, by first use; each with the entry behind
  /// which it belongs, `nil` for the very beginning.
  package let missing: [(part: Part, entry: Int?)]

  private struct Entry {
    /// `true` also of one that places nothing in this layout: nothing is known of it.
    var isUsed: Bool
    /// Of its largest part.
    var size: UInt64
  }

  /// - Parameters:
  ///   - entries: for each entry of the order file what it places of the layout; none for an entry that names
  ///     nothing of it.
  ///   - uses: what the launch ran, in any order.
  /// - Complexity: O((*e* + *u*) log *n*) for *e* placed parts, *u* uses and *n* functions.
  package init(entries: [[Part]], uses: [FirstUse], layout: Layout) {
    let entries = entries.map { $0.map(layout.canonical) }
    var placedBy: [Part: Int] = [:]
    for (index, parts) in entries.enumerated() {
      for part in parts where placedBy[part] == nil { placedBy[part] = index }
    }
    var launch = MergedLaunches()
    launch.append(uses, in: layout)
    let isUsed = Set(launch.parts)
    self.entries = entries.map { parts in
      Entry(
        isUsed: parts.isEmpty || parts.contains(where: isUsed.contains),
        size: parts.map(layout.byteCount(of:)).max() ?? 0)
    }
    var missing: [(part: Part, entry: Int?)] = []
    var last: Int?
    for part in launch.parts {
      if let entry = placedBy[part] { last = entry } else { missing.append((part, last)) }
    }
    self.missing = missing
  }

  /// The order after one move.
  ///
  /// - Complexity: O(*e* + *m*) for *e* entries and *m* missing parts, on average.
  package func applying(_ move: Move) -> [Element] {
    let indexes = Array(entries.indices)
    switch move {
    case .addMissing:
      // Several behind one entry keep their order in time.
      let added = Dictionary(grouping: missing, by: \.entry).mapValues {
        $0.map { Element.part($0.part) }
      }
      return (added[nil] ?? []) + indexes.flatMap { [.entry($0)] + (added[$0] ?? []) }
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
