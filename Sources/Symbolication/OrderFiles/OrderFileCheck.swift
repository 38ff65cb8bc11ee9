// Did the linker follow the order file?
// ======================================
//
// An order file lists symbols. The linked layout tells whether the linker followed it: the listed functions
// must stand in ascending address order.
//
// Counting the neighbours that ascend would punish one function that strayed far twice, and a block that
// was moved as a whole not at all. So the measure is the longest increasing subsequence: the largest number
// of listed bodies that stand in the order asked for; what is not in it would have to move. A layout that
// never saw the order has one too (about 2 * sqrt(n) of n by chance, more if the order resembles the link
// order), and therefore the result also counts the unlisted bodies between the listed ones.
//
// What is compared are bodies, not names, by the linkers' own rules:
//
// - A body with several names, aliases or folded twins, goes where its *first* name is listed.
// - A name that several local functions share moves all of them: they are expected side by side, in
//   ascending address order, since linkers keep their input order.
// - Of two equal lines one counts, the first or the last: `OrderFileDialect.lastDuplicateWins`.
// - Where the dialect names sections, a line is looked up among the layout's input sections if it has
//   them, and lines that name candidate sections of one function are one ordered symbol.
//
// - Where the dialect is ld64's, the rules are those of LLVM's ld64.lld: a line with an object file moves the
//   functions of that name in it, a line without one moves all. `f.llvm.1` is moved by lines `f.llvm.1`,
//   `f` and `f.llvm.2`, in this order of preference: LLD 20 and older take the first alone, ld64 the second.
//   Lines for other architectures don't count.
//
// What it leaves out: object files beside a name are not compared where a layout does not know them. Of
// ELF's it never does; of Mach-O's functions without one, those of equal names are given to the lines that
// name object files in ascending address order, as if the linker had complied. An input section's name does
// not tell its object, so that two objects with one function each in `.text` look like one object with two.

import Addresses
import ImageModel
import OrderFileFormat

/// How far a linked layout follows an order file.
package struct OrderFileCheck: Sendable {
  /// What the file asks for: its entries, where several candidate sections of one function are one.
  /// Always `present + missing.count`.
  package private(set) var entries = 0
  /// Entries that name a function which the linker could place.
  package private(set) var present = 0
  /// Of `present`, those whose bodies all stand in the order asked for.
  package private(set) var inOrder = 0
  /// The first body that would have to move; `nil` if all are in order.
  package private(set) var firstDeviation: Deviation?
  package private(set) var block: Block?
  /// In the file's order.
  package private(set) var missing: [Missing] = []

  /// A body that does not stand where the file wants it.
  package struct Deviation: Hashable, Sendable {
    /// Index into the order file's `entries`.
    package var entry: Int
    package var name: SymbolName
    /// What it was to stand behind; `nil` if it was to be the first.
    package var expectedPredecessor: SymbolName?
    /// Where it stands.
    package var address: StatedAddress
  }

  /// The listed bodies that are in order, where most of them stand.
  package struct Block: Hashable, Sendable {
    /// Index into the layout's `sections`.
    package var section: Int
    /// From the first byte of the first body to the last of the last.
    package var range: AddressRange
    /// Bodies of the section ahead of the block. 0: it stands at the start. lld puts it into the middle if
    /// the code is so large that calls need thunks (128 MiB on aarch64): that is compliance too.
    package var bodiesAhead: Int
    /// Bodies between the first and the last that no entry names.
    package var unlistedBodies: Int

    package var isAtStart: Bool { bodiesAhead == 0 }
  }

  /// An entry that the linker could not follow.
  package struct Missing: Hashable, Sendable, CustomStringConvertible {
    /// Index into the order file's `entries`.
    package var entry: Int
    /// The symbol, or the section if its name tells no symbol.
    package var name: SymbolName
    package var reason: Reason

    /// In lld's words where lld has them: `no such symbol: f`.
    package var description: String { "\(reason): \(name)" }
  }

  /// Why an entry could not be followed; the first six are lld's warnings.
  package enum Reason: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case noSuchSymbol, duplicate, undefined, shared, absolute, discarded
    /// The entry names a section that is no function's; gold and GNU ld don't say that it is not there.
    case noSuchSection
    /// The function is there, in a section that no entry names.
    case otherSection
    /// The function is there, and comes from another object file than the entry says.
    case otherObjectFile
    /// Its object was compiled without function sections: many functions share one input section, which
    /// moves as a whole or not at all.
    case sharedInputSection

    package var description: String {
      switch self {
      case .noSuchSymbol: "no such symbol"
      case .duplicate: "duplicate ordered symbol"
      case .undefined: "unable to order undefined symbol"
      case .shared: "unable to order shared symbol"
      case .absolute: "unable to order absolute symbol"
      case .discarded: "unable to order discarded symbol"
      case .noSuchSection: "no such section"
      case .otherSection: "unable to order symbol in another section"
      case .otherObjectFile: "no such symbol in that object file"
      case .sharedInputSection: "unable to order symbol without its own section"
      }
    }
  }
}

extension OrderFileCheck {
  /// Compares `order` with the `layout` that was linked with it.
  ///
  /// - Parameter architecture: of the layout; `nil` is the first one that the file names.
  /// - Complexity: O(*n* + *e* log *e*) for *n* functions and *e* entries with all their bodies, on
  ///   average.
  package init(_ order: OrderFile, layout: Layout, architecture: Architecture? = nil) {
    let ordered = OrderedSymbols(order, in: layout, architecture: architecture)
    let bodies = Self.bodies(of: ordered, in: layout)
    let standing = longestIncreasingSubsequence(of: bodies.map(\.address.rawValue))
    var stands = [Bool](repeating: false, count: bodies.count)
    for i in standing { stands[i] = true }

    let strayed = Set(bodies.indices.filter { !stands[$0] }.map { bodies[$0].address })
    for symbol in ordered.symbols {
      if let reason = symbol.reasonIfMissing {
        missing.append(Missing(entry: symbol.entries[0], name: symbol.name, reason: reason))
      } else {
        present += 1
        let stray = symbol.found.contains {
          strayed.contains(layout.functions[$0.function].address)
        }
        if !stray { inOrder += 1 }
      }
    }
    for entry in ordered.duplicates {
      let name = order.entries[entry].shownName
      missing.append(Missing(entry: entry, name: name, reason: .duplicate))
    }
    missing.sort { $0.entry < $1.entry }
    entries = present + missing.count

    if let first = stands.firstIndex(of: false) {
      firstDeviation = Deviation(
        entry: bodies[first].entry, name: order.entries[bodies[first].entry].shownName,
        expectedPredecessor: first > 0 ? order.entries[bodies[first - 1].entry].shownName : nil,
        address: bodies[first].address)
    }
    block = Self.block(of: standing.map { bodies[$0] }, listed: bodies, in: layout)
  }

  /// A body that an entry wants.
  private struct Body {
    var entry: Int
    var address: StatedAddress
    var section: Int
  }

  /// All bodies that the `ordered` symbols move, in the file's order: each at the first entry that lists it,
  /// and those of one entry by address.
  private static func bodies(of ordered: OrderedSymbols, in layout: Layout) -> [Body] {
    var claims: [Body] = []
    for found in ordered.symbols.flatMap(\.found) {
      let function = layout.functions[found.function]
      claims.append(
        Body(entry: found.entry, address: function.address, section: Int(function.section)))
    }
    claims.sort { ($0.address, $0.entry) < ($1.address, $1.entry) }
    var bodies: [Body] = []
    for claim in claims where claim.address != bodies.last?.address { bodies.append(claim) }
    return bodies.sorted { ($0.entry, $0.address) < ($1.entry, $1.address) }
  }

  /// The run of `standing` bodies, which ascend, in the section that has most of them.
  private static func block(
    of standing: [Body], listed: [Body], in layout: Layout
  ) -> Block? {
    var counts = [Int](repeating: 0, count: layout.sections.count)
    for body in standing { counts[body.section] += 1 }
    guard let most = counts.max(), let section = counts.firstIndex(of: most), most > 0 else {
      return nil
    }
    let inside = standing.filter { $0.section == section }
    let first = inside[0].address
    let last = inside[inside.count - 1].address

    let isListed = Set(listed.map(\.address))
    var ahead = 0
    var unlisted = 0
    var size: UInt64 = 0
    var previous: StatedAddress?
    for function in layout.functions where Int(function.section) == section {
      if function.address == last { size = max(size, function.knownBytes) }
      if function.address == previous { continue }
      previous = function.address
      if function.address < first {
        ahead += 1
      } else if function.address < last, !isListed.contains(function.address) {
        unlisted += 1
      }
    }
    let byteCount = (last.rawValue - first.rawValue).addingReportingOverflow(size)
    return Block(
      section: section,
      range: AddressRange(
        start: first, size: byteCount.overflow ? .max : byteCount.partialValue),
      bodiesAhead: ahead, unlistedBodies: unlisted)
  }
}
