// First-touch order
// =================
//
// The idea. A launch runs each startup function for the first time at some moment. If the functions are laid
// out in the order of these moments, they fill one dense run of pages, and the launch walks through it from
// beginning to end.
//
// An example. A launch uses main, parse, log, open in this order, and two functions fit on a page. In link
// order it touches all four pages; in first-touch order it touches two, one after the other:
//
//     log cold1 | main cold2 | open cold3 | parse
//     main parse | log open | cold1 cold2 | cold3
//
// The objective is twofold. First, fewest pages: the startup functions are placed together; for this goal,
// any order among them is about as good. Second, the page that is needed next should follow the present one,
// because Linux reads ahead of a fault in an executable mapping and never behind it; therefore the list
// ascends in time. With a cold cache sqlite3's shell took 20 major faults in link order, 11 in this order,
// and 92 with the same list reversed.
//
// The bound is the size of the startup functions in whole pages, or a little less: a large function is not
// always executed to its last page. Text pages of 4 KiB that a short launch touches, sqlite3 3.40.1 / redis
// 7.0.15: link order 212 / 127, this order 138 / 46, the bytes alone 141 / 44.
//
// Several launches are processed in sequence: all functions of the first launch, then the functions that the second
// launch adds, and so on. An order from one launch over-fits: another launch of redis touched 102 pages with a list
// made from the first launch, and 60 with a list made from both, which cost the first launch about one page.
// `BalancedOrder` places the functions of several launches better, and is the usual strategy for them.
//
// Initializers that no trace recorded come first, in the order in which the loader calls them. The loader
// does call them, before main; if they are missing in the traces, they were not instrumented.
//
// Aliases are several names of one body. All are listed, next to each other, because it is not known which of
// the names the linker sees in the next build.
//
// Large functions last is an option, off by default: functions of at least N bytes move after the smaller ones; the
// order within both groups stays. A launch rarely executes all of a large function, so this packs the small ones more
// densely. With N = 8 KiB sqlite3's cold major faults fell from 11 to 6 and its wall time from 0.73 to 0.65 of link
// order. It is off because it was measured on one program, and because it gives up part of the ascent in time.
//
// What it leaves out. Which functions are used together in *some* launches: `BalancedOrder` weighs that. How often a
// function is called. Data. And everything smaller than a function: half to two thirds of a startup function's bytes do
// not run. Compilers can split functions by what ran (docs/how-to/BLOCKS.md); this order is then an order of the parts.
//
// The limit: functions first used by different threads are interleaved as they happened to run. This does not
// matter for the number of pages, but may for read-ahead.
//
// Paper: Hoag, Lee, Mestre, Pupyrev, "Optimizing Function Layout for Mobile Applications", LCTES 2023,
// <https://arxiv.org/abs/2211.09285>.

import Addresses
import ImageModel

/// The first use of a part in one launch.
package struct FirstUse: Hashable, Sendable {
  /// Position in the launch: a smaller step was earlier.
  package var step: UInt64
  package var part: Part

  package init(step: UInt64, part: Part) {
    self.step = step
    self.part = part
  }

  /// The use of a whole function, given as an index into the layout's `functions`.
  package init(step: UInt64, function: Int) { self.init(step: step, part: Part(function)) }
}

/// The startup parts of one image, earliest use first, or in the order of another strategy; with their aliases and
/// all initializers.
///
/// Parts that no launch used are left out: the linker keeps them in its own order after the list.
package struct FirstTouchOrder: Sendable {
  /// Without duplicates; the parts of a function's aliases are adjacent, ascending by name.
  package let parts: [Part]
  /// The number of `parts` that are listed only because the loader calls them. They are the first parts, unless large
  /// functions were moved to the end.
  package let untracedInitializerCount: Int
  /// Initializers at whose address no function begins, in loader order, each once.
  package let unknownInitializers: [StatedAddress]

  /// Orders the parts that `launches` used.
  ///
  /// - Parameter launches: in the order in which they are processed.
  package init(
    launches: [[FirstUse]], layout: Layout, initializers: [StatedAddress] = [],
    largeFunctionBytes: UInt64? = nil
  ) {
    var merged = MergedLaunches()
    for launch in launches { merged.append(launch, in: layout) }
    self.init(
      merged, layout: layout, initializers: initializers, largeFunctionBytes: largeFunctionBytes)
  }

  /// Orders the parts that launches of `layout` used.
  ///
  /// - Parameters:
  ///   - initializers: the functions that the loader calls before `main`, in its order.
  ///   - largeFunctionBytes: parts of at least this size are placed after the smaller ones; `nil` moves none.
  /// - Complexity: O((*p* + *i*) log *n*) for *p* parts, *i* initializers and *n* functions in the image.
  package init(
    _ launches: MergedLaunches, layout: Layout, initializers: [StatedAddress] = [],
    largeFunctionBytes: UInt64? = nil
  ) {
    self.init(
      parts: launches.parts, layout: layout, initializers: initializers,
      largeFunctionBytes: largeFunctionBytes)
  }

  /// Adds to `parts`, which are in an order of any strategy, the initializers that are not among them.
  ///
  /// - Parameter parts: each part once, by its function's first alias.
  package init(
    parts used: [Part], layout: Layout, initializers: [StatedAddress] = [],
    largeFunctionBytes: UInt64? = nil
  ) {
    let isUsed = Set(used.map(\.function))
    var untraced: [Part] = []
    var isKnown: Set<StatedAddress> = []
    var unknown: [StatedAddress] = []
    for address in initializers where isKnown.insert(address).inserted {
      guard let function = layout.functions(at: address).first else {
        unknown.append(address)
        continue
      }
      if !isUsed.contains(function) { untraced.append(Part(function)) }
    }

    var order = untraced + used
    if let largeFunctionBytes {
      let isLarge = { (part: Part) in layout.byteCount(of: part) >= largeFunctionBytes }
      order = order.filter { !isLarge($0) } + order.filter(isLarge)
    }
    parts = order.flatMap { Self.aliases(of: $0, in: layout) }
    untracedInitializerCount = untraced.reduce(0) {
      $0 + layout.aliases(of: $1.function).count
    }
    unknownInitializers = unknown
  }

  /// Returns the part under each name of its function, ascending by name: the layout sorts them by size first, and
  /// sizes may change from build to build. Equal names, which an image may have, keep the layout's order.
  private static func aliases(of part: Part, in layout: Layout) -> [Part] {
    layout.allAliases(of: part).sorted { a, b in
      let nameA = layout.names[layout.functions[a.function].name]
      let nameB = layout.names[layout.functions[b.function].name]
      if nameA.lexicographicallyPrecedes(nameB) { return true }
      return !nameB.lexicographicallyPrecedes(nameA) && a < b
    }
  }
}
