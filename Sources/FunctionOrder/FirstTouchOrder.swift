// First-touch order
// =================
//
// The idea. A launch runs each of its functions for a first time at some moment. Laid out in the order of
// those moments, the startup functions fill one dense run of pages, and the launch walks through that run
// from its beginning to its end.
//
// An example. A launch uses main, parse, log, open in this order, and two functions fill a page. In link
// order all four pages are touched; in first-touch order two are, one after the other:
//
//     log cold1 | main cold2 | open cold3 | parse
//     main parse | log open | cold1 cold2 | cold3
//
// The objective is two-fold, and the second half is why the list must ascend in time. Fewest pages: the
// startup functions stand together; any order among them does about as well. And the page that is needed
// next is the one behind: Linux reads ahead of a fault in an executable mapping and never behind it. With
// cold pages sqlite3's shell took 20 major faults in link order, 11 in this order and 92 with the same
// list reversed.
//
// The bound is the startup functions' own bytes in whole pages, or little less: a large function is not
// always executed to its last page. Text pages of 4 KiB that a short launch touches, sqlite3 3.40.1 / redis
// 7.0.15: link order 212 / 127, this order 138 / 46, the bytes alone 141 / 44.
//
// Several launches are taken in sequence: all of the first, then what the second adds, and so on. One
// launch over-fits: another launch of redis touched 102 pages of a list made from the first, and 60 of a
// list made from both, which cost the first launch about one page.
//
// Initializers that no trace saw go ahead of everything, in the order that the loader calls them: it does
// call them, and before main; that they are missing means only that they were not instrumented.
//
// Aliases are one body under several names. All of them are listed, side by side: which of the names the
// linker knows in the next build cannot be told from here.
//
// Large functions last is an option, off by default: functions of at least N bytes move behind the smaller
// ones, the order kept on both sides. A launch rarely executes all of a large function, so the small ones
// come to stand closer. With N = 8 KiB sqlite3's cold major faults fell from 11 to 6 and its wall time
// from 0.73 to 0.65 of link order. Off, because it was measured on one program and gives up part of the
// ascent in time.
//
// What it leaves out. Which functions are used together in *some* launches: balanced partitioning weighs
// that, and does better where many different launches share one list. How often a function is called.
// Data. And everything below the function: half to two thirds of a startup function's bytes do not run.
//
// The limit: functions first used by other threads are interleaved as they happened to run. Pages do not
// mind; read-ahead may.
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

  /// The use of a whole function, an index into the layout's `functions`.
  package init(step: UInt64, function: Int) { self.init(step: step, part: Part(function)) }
}

/// The startup parts of one image, earliest use first.
///
/// What no launch used is left out: the linker keeps it in its own order behind the list.
package struct FirstTouchOrder: Sendable {
  /// None twice; those of a function's aliases side by side, ascending by name.
  package let parts: [Part]
  /// How many of `parts`, the first ones unless large functions were moved behind, are there only
  /// because the loader calls them.
  package let untracedInitializerCount: Int
  /// Initializers at which no function begins, in loader order, each once.
  package let unknownInitializers: [StatedAddress]

  /// Orders what `launches` used.
  ///
  /// - Parameter launches: taken in sequence.
  package init(
    launches: [[FirstUse]], layout: Layout, initializers: [StatedAddress] = [],
    largeFunctionBytes: UInt64? = nil
  ) {
    var merged = MergedLaunches()
    for launch in launches { merged.append(launch, in: layout) }
    self.init(
      merged, layout: layout, initializers: initializers, largeFunctionBytes: largeFunctionBytes)
  }

  /// Orders what launches of `layout` used.
  ///
  /// - Parameter initializers: what the loader calls before `main`, in its order.
  /// - Parameter largeFunctionBytes: parts of at least this size go behind the smaller ones; `nil`
  ///   leaves all where they are.
  /// - Complexity: O((*p* + *i*) log *n*) for *p* parts, *i* initializers and *n* functions in the image.
  package init(
    _ launches: MergedLaunches, layout: Layout, initializers: [StatedAddress] = [],
    largeFunctionBytes: UInt64? = nil
  ) {
    let isUsed = Set(launches.parts.map(\.function))
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

    var order = untraced + launches.parts
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

  /// The part by all names of its function, ascending by name: the layout has them by size first, and sizes
  /// may change from build to build. Equal names, which an image may well have, keep the layout's order.
  private static func aliases(of part: Part, in layout: Layout) -> [Part] {
    layout.allAliases(of: part).sorted { a, b in
      let nameA = layout.names[layout.functions[a.function].name]
      let nameB = layout.names[layout.functions[b.function].name]
      if nameA.lexicographicallyPrecedes(nameB) { return true }
      return !nameB.lexicographicallyPrecedes(nameA) && a < b
    }
  }
}
