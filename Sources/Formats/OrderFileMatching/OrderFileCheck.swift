// Did the linker follow the order file?
// ======================================
//
// An order file lists symbols. Whether the linker followed it shows in the linked layout: the listed
// functions must be in ascending address order.
//
// A linker orders the functions of an output section: no order file moves `.init` into `.text`. So each section is
// measured separately, and the results are added. The script of GNU ld is an exception: it moves input sections of any
// name into the output section that it adds, `.text.orderfile`. For this dialect, `.text` and all output sections
// `.text.*` are one section. For other dialects, `OrderedSections` counts the listed functions in each section, because
// `-z keep-text-section-prefix` splits an order.
//
// Counting ascending neighbors would penalize one stray function twice, and a displaced block hardly at all. So the
// measure is the longest increasing subsequence: the largest number of listed bodies that are in the requested order;
// all other bodies would have to move. A layout linked without the order has such a subsequence too (about 2 * sqrt(n)
// of n by chance, more if the order resembles the link order); therefore the result also counts the unlisted bodies
// between the listed ones.
//
// Bodies are compared, not names, by the linkers' own rules:
//
// - A body with several names, aliases or folded functions, belongs where its *first* name is listed.
// - A line with a name that several local functions share moves all of them, or the first
//   (`OrderFileDialect.namesakes`). The moved functions are expected to be adjacent, in ascending address order, since
//   linkers keep their input order.
// - If two lines are equal, one of them counts: the first or the last (`OrderFileDialect.lastDuplicateWins`).
// - If the dialect names sections, a line is looked up among the layout's input sections if it has them, and
//   lines that name candidate sections of the same function are one ordered symbol.
//
// - Lines that name data don't count: linkers order data by the same file, but a layout has only functions.
//   `DataOrderCheck` checks the order of an image's data.
//
// - In Mach-O layouts `f.llvm.1` is moved by the lines `f.llvm.1`, `f` and `f.llvm.2`, in this order of preference:
//   LLD 20 and older use only the first, ld64 the second. For LLD 21 and later, these lines are
//   equal. The version of the linker is not in the layout, so all rules are tried: the linker's
//   rule is the one by which most lines are in order. Lines for other architectures don't count.
//
// - A line with a section that is not named for a function counts only if the layout has input sections, or if a comment in the
//   order file names the function: a linked image does not show which functions are in a section.
//
// What it leaves out: object files are not compared if the layout does not know them. Only link maps have the names
// that the linker knows: the debug map of an image names the object file that the compiler wrote, and `ld -r` may have
// packed it into another object file. In other Mach-O layouts, functions with equal names and unknown object files are
// assigned to the lines with object files in ascending address order, as if the linker had followed them. The name of
// an input section does not show its object file, so two objects with one function each in `.text` look like one object
// with two.

import Addresses
import ImageModel
import OrderFileFormat

/// The extent to which a linked layout follows an order file.
package struct OrderFileCheck: Sendable {
  /// The number of entries, without entries that name data; several candidate sections of the same function count as
  /// one entry. Always `present + missing.count`.
  package private(set) var entries = 0
  /// The entries that name data, which `DataOrderCheck` checks: indexes into the order file's `entries`, ascending. An
  /// entry with an equal entry before it is not among them.
  package private(set) var dataIndexes: [Int] = []
  package var dataEntries: Int { dataIndexes.count }
  /// The number of entries that name a section only, in a layout that does not show which functions a section has.
  /// These entries are not among `entries`.
  package private(set) var untoldEntries = 0
  /// The number of entries for functions that the linker could place.
  package private(set) var present = 0
  /// The number of `present` entries whose bodies are all in the requested order.
  package private(set) var inOrder = 0
  /// The first body that would have to move; `nil` if all are in order.
  package private(set) var firstDeviation: Deviation?
  package private(set) var block: Block?
  /// The addresses of the listed bodies that are in the requested order.
  package private(set) var orderedAddresses: Set<StatedAddress> = []
  /// The addresses of the listed bodies that would have to move.
  package private(set) var strayedAddresses: Set<StatedAddress> = []
  /// In the order of the file.
  package private(set) var missing: [Missing] = []

  /// A body that is not at its place in the requested order.
  package struct Deviation: Hashable, Sendable {
    /// Index into the order file's `entries`.
    package var entry: Int
    package var name: SymbolName
    /// The name of the body that should precede it; `nil` if it should be the first of its section.
    package var expectedPredecessor: SymbolName?
    /// The actual address of the function.
    package var address: StatedAddress
  }

  /// The listed bodies that are in order, in the section that contains most of them.
  package struct Block: Hashable, Sendable {
    /// Index into the layout's `sections`.
    package var section: Int
    /// The range from the first byte of the block's first body to the last byte of its last body.
    package var range: AddressRange
    /// The number of bodies in the section before the block. 0 means that the block is at the start. lld places
    /// it in the middle if the code is so large that calls need thunks (128 MiB on aarch64), which counts as
    /// following the order, too.
    package var bodiesAhead: Int
    /// The number of bodies that no entry names, between the first and the last body of the block.
    package var unlistedBodies: Int
  }

  /// An entry that the linker could not follow.
  package struct Missing: Hashable, Sendable, CustomStringConvertible {
    /// Index into the order file's `entries`.
    package var entry: Int
    /// The symbol, or the section if no symbol can be derived from its name.
    package var name: SymbolName
    package var reason: Reason

    /// In lld's wording where lld has one: `no such symbol: f`.
    package var description: String { "\(reason): \(name)" }
  }

  /// The reason why an entry could not be followed; the first six are lld's warnings.
  package enum Reason: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case noSuchSymbol, duplicate, undefined, shared, absolute, discarded
    /// The entry names a section that contains no function; gold and GNU ld don't report sections that do not
    /// exist.
    case noSuchSection
    /// The function exists, in a section that no entry names.
    case otherSection
    /// The function exists, but comes from another object file than the entry says.
    case otherObjectFile
    /// Its object was compiled without function sections: many functions share an input section, which moves
    /// only as a whole.
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
  /// - Parameter architecture: the architecture of the layout; `nil` means the first architecture that the file names.
  /// - Complexity: O(*n* + *e* log *e*) for *n* functions and *e* entries with all their bodies, on
  ///   average.
  package init(_ order: OrderFile, layout: Layout, architecture: Architecture? = nil) {
    self.init(
      OrderedSymbols(order, in: layout, architecture: architecture), of: order, layout: layout)
    guard order.dialect.imageFormat == .machO, inOrder < present,
      order.entries.contains(where: { rootSymbol($0.symbol[...]).count < $0.symbol.count })
    else { return }
    for names in OrderedSymbols.Names.allCases {
      let other = OrderFileCheck(
        OrderedSymbols(order, in: layout, architecture: architecture, comparing: names),
        of: order, layout: layout)
      if other.inOrder > inOrder { self = other }
    }
  }

  private init(_ ordered: OrderedSymbols, of order: OrderFile, layout: Layout) {
    let bodies = Self.bodies(of: ordered, in: layout)
    let groups = order.dialect.orderedTogether(layout.sections)
    var ofGroup = [[Int]](repeating: [], count: layout.sections.count)
    for (i, body) in bodies.enumerated() { ofGroup[groups[body.section]].append(i) }
    var stands = [Bool](repeating: false, count: bodies.count)
    for indexes in ofGroup {
      let standing = longestIncreasingSubsequence(of: indexes.map { bodies[$0].address.rawValue })
      for i in standing { stands[indexes[i]] = true }
    }

    let strayed = Set(bodies.indices.filter { !stands[$0] }.map { bodies[$0].address })
    strayedAddresses = strayed
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
    untoldEntries = ordered.untold.count
    dataIndexes = ordered.data.map { $0.entries[0] }.sorted()

    if let first = stands.firstIndex(of: false) {
      let group = groups[bodies[first].section]
      let predecessor = bodies[..<first].last { groups[$0.section] == group }
      firstDeviation = Deviation(
        entry: bodies[first].entry, name: order.entries[bodies[first].entry].shownName,
        expectedPredecessor: predecessor.map { order.entries[$0.entry].shownName },
        address: bodies[first].address)
    }
    let standing = bodies.indices.filter { stands[$0] }.map { bodies[$0] }
    orderedAddresses = Set(standing.map(\.address))
    block = Self.block(of: standing, listed: bodies, in: layout)
  }

  /// A body that an entry lists.
  private struct Body {
    var entry: Int
    var address: StatedAddress
    var section: Int
  }

  /// All bodies that the `ordered` symbols move, in the order of the file: each at the first entry that lists it, and
  /// the bodies of one entry by address.
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

  /// The block of `standing` bodies, which ascend, in the section that contains most of them.
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
