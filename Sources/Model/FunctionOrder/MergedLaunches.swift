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
// What the order leaves out. Which functions are used together in *some* launches: `BalancedOrder` weighs that. How
// often a function is called. Data. And everything smaller than a function: half to two thirds of a startup function's
// bytes do not run. Compilers can split functions by what ran (docs/how-to/BLOCKS.md); this order is then an order of
// the parts.
//
// The limit: functions first used by different threads are interleaved as they happened to run. This does not
// matter for the number of pages, but may for read-ahead.
//
// Paper: Hoag, Lee, Mestre, Pupyrev, "Optimizing Function Layout for Mobile Applications", LCTES 2023,
// <https://arxiv.org/abs/2211.09285>.

import ImageModel

/// The uses of several launches in one sequence: all uses of the first launch, then the uses that the second launch
/// adds, and so on.
///
/// Launches are added one at a time; memory grows with the number of distinct parts, not with the number of launches.
/// Adding is associative: (a + b) + c is a + (b + c). It is not commutative, because an earlier launch decides the
/// position of a part.
package struct MergedLaunches: Equatable, Sendable {
  /// The used parts, earliest use first, without duplicates; a function with aliases is listed by its first alias.
  package private(set) var parts: [Part] = []
  private var isMember: Set<Part> = []

  package init() {}

  /// Adds a launch after the others.
  ///
  /// - Parameter launch: the parts that the launch used, in the order of uses. If a part has several uses, the earliest
  ///   counts.
  /// - Precondition: all functions are indexes of `layout`, which is the same in each call.
  /// - Complexity: O(*u* log *n*) for *u* uses and *n* functions.
  package mutating func append(_ launch: [Part], in layout: Layout) {
    for part in launch { append(layout.canonical(part)) }
  }

  /// Adds the launches of `other`, of the same layout, after these.
  ///
  /// - Complexity: O(*p*) for *p* parts of `other`, on average.
  package mutating func append(_ other: MergedLaunches) { for part in other.parts { append(part) } }

  /// Whether a launch used `part`, which must be its function's first alias.
  package func contains(_ part: Part) -> Bool { isMember.contains(part) }

  private mutating func append(_ part: Part) {
    if isMember.insert(part).inserted { parts.append(part) }
  }
}
