// Refining an order
// =================
//
// The idea. An order file made from one build is used for another build, and it does not contain everything that a
// launch runs: functions that were not instrumented, that the compiler split off or merged later, or that are entered
// in their middle. Each such function can cost a page. So the build that was linked with the order is launched once
// more, all functions that run are recorded, and the order is changed by one move at a time. A move is kept if the
// relinked program touches fewer pages. This is measured, so the result is never worse than the given order.
//
// An example. The order has main, parse, save (which the launch does not run), open. The launch runs main,
// parse, stub, open. Two functions fit on a page:
//
//     given          main parse | save open | ... stub     3 pages
//     add missing    main parse | stub save | open         3
//     unused last    main parse | stub open | save         2
//
// The moves:
//
// - Add missing: each function that the launch runs and that no entry places is placed after the one that ran
//   before it, so that the order still ascends in time, as read-ahead requires.
// - Unused last: entries whose functions this launch does not run are placed after the entries whose functions it runs.
//   They stay in the order, because it may have been made from other launches, too.
// - Large last: among the functions that the launch runs, functions of at least a given size are placed after the
//   smaller ones. A launch rarely runs all of a large function, so this packs the small ones more densely.
//
// The bound is the size of the used functions in whole pages, plus the pages of code that no order file can
// move.
//
// What it leaves out. It is a local search, one move at a time: a move that helps only together with the next
// one is rejected. And it trains on one launch: `MergedLaunches` discusses several.

import Addresses
import ImageModel

/// An order file, the layout that was linked with it, and the functions that a launch of that layout used.
package struct OrderRefinement: Sendable {
  /// An element of an order.
  package enum Element: Hashable, Sendable {
    /// An entry of the given order file, by its index.
    case entry(Int)
    /// A part that no entry places, by its function's first alias.
    case part(Part)
  }

  package enum Move: Hashable, Sendable {
    case addMissing
    case unusedLast
    case largeLast(bytes: UInt64)
  }

  private let entries: [Entry]
  /// Parts that no entry places, by the first aliases of their functions, in the order of first uses; each with the
  /// entry after which it belongs, or `nil` for the beginning.
  package let missing: [(part: Part, entry: Int?)]

  private struct Entry {
    /// Also `true` for an entry that places nothing in this layout: its use is unknown.
    var isUsed: Bool
    /// The size of the element's largest part.
    var size: UInt64
  }

  /// - Parameters:
  ///   - entries: for each entry of the order file, the parts of the layout that it places; empty for an entry that
  ///     names nothing in the layout.
  ///   - uses: the parts that the launch ran, in the order of first uses.
  /// - Complexity: O((*e* + *u*) log *n*) for *e* placed parts, *u* uses and *n* functions.
  package init(entries: [[Part]], uses: [Part], layout: Layout) {
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
      // Several parts after the same entry keep their time order.
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
