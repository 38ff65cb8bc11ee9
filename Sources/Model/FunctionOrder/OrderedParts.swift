// What an order file lists
// ========================
//
// A strategy orders the parts that launches used. Three rules complete the list.
//
// Initializers that no trace recorded come first, in the order in which the loader calls them. The loader
// does call them, before main; if they are missing in the traces, they were not instrumented.
//
// Aliases are several names of one body. All aliases are listed, next to each other, because the next build may have
// any of these names.
//
// Large functions last is an option, off by default: functions of at least N bytes move after the smaller ones; the
// order within both groups stays. A launch rarely executes all of a large function, so this packs the small ones more
// densely. With N = 8 KiB sqlite3's cold major faults fell from 11 to 6 and its wall time from 0.73 to 0.65 of link
// order. The option is off because it was measured on one program, and because it gives up part of the ascent in time.

import Addresses
import ImageModel

/// The parts that an order file lists: the startup parts of one image in the order of a strategy, with their aliases, and
/// all initializers.
///
/// Parts that no launch used are left out: the linker keeps them in its own order after the list.
package struct OrderedParts: Sendable {
  /// The listed parts, without duplicates. The parts of a function's aliases are adjacent, ascending by name.
  package let parts: [Part]
  /// The number of `parts` that are listed only because the loader calls them. They are the first parts, unless large
  /// functions were moved to the end.
  package let untracedInitializerCount: Int
  /// Initializers at whose address no function begins, in loader order, each once.
  package let unknownInitializers: [StatedAddress]

  /// Lists the used parts and their aliases, and the initializers that are not among the used parts.
  ///
  /// - Parameters:
  ///   - used: the used parts in the order of any strategy, each part once, by its function's first alias.
  ///   - initializers: the functions that the loader calls before `main`, in the loader's order.
  ///   - largeFunctionBytes: parts of at least this size are placed after the smaller ones; `nil` moves none.
  /// - Complexity: O((*p* + *i*) log *n*) for *p* parts, *i* initializers and *n* functions in the image.
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
