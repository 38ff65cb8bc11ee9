// The lines that place functions.
//
// Dialects that name sections need the input section, which only a link map shows. Without one, a function gets an
// entry for each section in which compilers put a function of its name: linkers ignore sections that don't exist. lld's
// dialect only needs the name.
//
// The dialects of ld64 and ld64.lld have object files. An entry gets an object file if several bodies of the image have
// its name, and if a link map states the linker's own name of the object file. The debug map of an image names the file
// that the compiler wrote; after `ld -r` no linker knows this name. Everywhere else a bare name is better, because it
// stays valid if the function moves to another library. For functions that were folded into one body, ld64.lld looks
// for the object file of the function that it kept. The kept function is unknown, so all of them are listed.
//
// ld64 moves only the first function of a name in an object file, so one line can't move two functions of the name.
//
// A function that ThinLTO promoted, `f.llvm.1`, has two lines: unchanged for LLD 20 and older, and as `f` for
// ld64, which compares with the shortened name. Newer LLDs shorten both sides and accept either. `f.__uniq.1`
// stays whole, because only newer LLDs shorten it. For ld64 and newer LLDs, all functions with the
// same shortened name are namesakes (`NamesakeRule.name(of:)`).
//
// Some names should not be in an ld64 order file although the image has them. Outlined functions are numbered
// separately in every object file: `_OUTLINED_FUNCTION_0` would move code of all of them. A name that begins with `l`
// or `L` is a label: ld64 doesn't know it at all, and `ltmp0` is in every object file. The linker creates thunks and
// islands after it has ordered the functions.

import Addresses
import ByteReading
import ImageModel
import OrderFileFormat
import Symbolication

/// The entries that place parts of a layout.
package struct PlacingEntries: Sendable {
  package private(set) var entries: [OrderFileEntry] = []
  /// Bodies and parts without an entry, each by one of its names.
  package private(set) var unnamable: [SymbolName] = []
  /// Names in `entries` that several bodies of the layout have, with nothing to distinguish them.
  package private(set) var ambiguousNames: [SymbolName] = []
  /// Functions of the layout that have an entry, but stay where they are: the linker moves another function of the same
  /// name.
  package private(set) var unmoved: [Int] = []

  /// Entries for `parts` of the layout of `map`, in their order. In ELF images, the part with the first byte of a split
  /// function has the function's name, and the other part is its cold part. Functions in OCaml are before the others
  /// (`OCamlCode`). No dialect for Mach-O can name parts.
  ///
  /// - Parameter architecture: the architecture to which the entries are limited, in a dialect that supports such a
  ///   limit; `nil` for no limit.
  /// - Complexity: O(*n*) on average for *n* parts and functions that share a name with a part.
  package init(
    of parts: [Part], in map: SymbolMap, for dialect: OrderFileDialect,
    architecture: Architecture? = nil
  ) {
    let layout = map.layout
    guard dialect.imageFormat == .machO else {
      addELFEntries(of: parts, in: map, for: dialect)
      return
    }
    let functions = parts.filter(\.isWhole).map(\.function)
    unnamable = parts.filter { !$0.isWhole }.map { layout.name(of: layout.functions[$0.function]) }
    var namesakes = Namesakes(of: functions, in: map, dialect.namesakes)
    var isPlaced: Set<StatedAddress> = []
    let prefix = architecture?.orderFilePrefix
    for index in functions where !isLinkersOwn(layout.names[layout.functions[index].name]) {
      let function = layout.functions[index]
      isPlaced.insert(function.address)
      let objectFile = namesakes.needObjectFile(of: function) ? function.objectFile : nil
      namesakes.noteListed(index)
      for symbol in spellings(layout.names[function.name]) {
        entries.append(
          OrderFileEntry(
            symbol: Array(symbol), objectFile: objectFile.map { Array(layout.names[$0]) },
            architecture: prefix))
      }
    }
    for index in functions where isPlaced.insert(layout.functions[index].address).inserted {
      unnamable.append(layout.name(of: layout.functions[index]))
    }
    ambiguousNames = namesakes.ambiguous
    unmoved = namesakes.unmoved
  }

  private mutating func addELFEntries(
    of parts: [Part], in map: SymbolMap, for dialect: OrderFileDialect
  ) {
    let layout = map.layout
    let code = OCamlCode(in: map)
    let (ocaml, others) = code?.separated(parts, in: layout) ?? ([], parts)
    if let code, !ocaml.isEmpty {
      let functions = ocaml.map { layout.name(of: layout.functions[$0.function]) }
      entries = [code.begin] + functions.map { OCamlCode.entry(of: $0.bytes) } + [code.end]
    }
    var runtimeSections: Set<Int> = []
    for part in others {
      let function = layout.functions[part.function]
      guard layout.canMove(function, by: dialect),
        layout.runtimeSection(of: function).map({ runtimeSections.insert($0).inserted }) ?? true
      else { continue }
      if part.hasEntry {
        entries += layout.entries(of: function, for: dialect)
      } else {
        let name = Array(layout.names[function.name])
        entries.append(
          OrderFileEntry(
            symbol: name + FunctionSection.coldSuffix, section: FunctionSection.split(from: name)))
      }
    }
  }

  /// The spellings of `name` that linkers may expect, each once.
  private func spellings(_ name: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    let cut = cutPromotion(name)
    return cut.count < name.count ? [name, cut] : [name]
  }
}

/// The bodies that have the names of given functions.
private struct Namesakes {
  private struct Name {
    /// All functions with the name, as indexes of the layout's functions.
    var all: [Int]
    var hasSeveralBodies: Bool
    /// The functions that an entry lists, as indexes of the layout's functions.
    var listed: [Int] = []
  }
  private let map: SymbolMap
  private var layout: Layout { map.layout }
  private let rule: OrderFileDialect.NamesakeRule
  /// The listed names, by the part of the name that the linker compares.
  private var names: [NameKey: Name] = [:]
  /// The functions whose names the linker shortens, by the shortened name.
  private var shortened: [NameKey: [Int]] = [:]
  /// The keys of `names`, in the order of insertion.
  private var order: [NameReference] = []

  init(of functions: [Int], in map: SymbolMap, _ rule: OrderFileDialect.NamesakeRule) {
    self.map = map
    self.rule = rule
    guard rule != .movesAll else { return }
    for (index, function) in layout.functions.enumerated() {
      let whole = layout.names[function.name]
      let name = rule.name(of: whole)
      if name.count < whole.count { shortened[NameKey(name), default: []].append(index) }
    }
    for index in functions {
      let function = layout.functions[index]
      let name = rule.name(of: layout.names[function.name])
      let key = NameKey(name)
      guard names[key] == nil else { continue }
      let all = map.functions(named: name) + (shortened[key] ?? [])
      let isOther = all.contains { layout.functions[$0].address != function.address }
      names[key] = Name(all: all, hasSeveralBodies: isOther)
      order.append(
        NameReference(offset: function.name.offset, count: UInt32(name.count)))  // a prefix
    }
  }

  private func key(of function: PlacedSymbol) -> NameKey {
    NameKey(rule.name(of: layout.names[function.name]))
  }

  /// Whether another body has the same name, so that a line should name the object file.
  func needObjectFile(of function: PlacedSymbol) -> Bool {
    names[key(of: function)]?.hasSeveralBodies ?? false
  }

  mutating func noteListed(_ index: Int) {
    names[key(of: layout.functions[index])]?.listed.append(index)
  }

  /// Names of several bodies that are listed without an object file, because it is unknown.
  var ambiguous: [SymbolName] {
    order.compactMap { reference in
      guard let name = names[NameKey(layout.names[reference])], name.hasSeveralBodies,
        name.listed.contains(where: { layout.functions[$0].objectFile == nil })
      else { return nil }
      return layout.names.name(reference)
    }
  }

  /// The listed functions that stay where they are, because the linker moves other functions for the lines with their
  /// names.
  ///
  /// - Complexity: O(*n*) for *n* functions that have one of the names, on average.
  var unmoved: [Int] {
    guard rule == .movesFirstInObjectFile else { return [] }
    var moved: Set<StatedAddress> = []
    var others: [Int] = []
    for reference in order {
      let key = NameKey(layout.names[reference])
      guard let name = names[key] else { continue }
      let first = FirstBodies(of: name.all, in: layout)
      for index in name.listed {
        let function = layout.functions[index]
        if let place = first.address(forLineOf: function, in: layout) { moved.insert(place) }
        if !moved.contains(function.address) { others.append(index) }
      }
    }
    return others.filter { !moved.contains(layout.functions[$0].address) }
  }
}

/// The bodies of one name that ld64 moves. Addresses show which function the linker read first, because linkers keep
/// the order in which they read functions.
private struct FirstBodies {
  private var ofAll: StatedAddress?
  private var byObjectFile: [NameKey: StatedAddress] = [:]

  init(of functions: [Int], in layout: Layout) {
    for function in functions.lazy.map({ layout.functions[$0] }) {
      ofAll = min(ofAll ?? function.address, function.address)
      guard let file = function.objectFile else { continue }
      let key = NameKey(layout.names[file])
      byObjectFile[key] = min(byObjectFile[key] ?? function.address, function.address)
    }
  }

  /// The address of the body that the linker moves for a line with the name and, if it is known, the object file of
  /// `function`.
  func address(forLineOf function: PlacedSymbol, in layout: Layout) -> StatedAddress? {
    guard let file = function.objectFile else { return ofAll }
    return byObjectFile[NameKey(layout.names[file])]
  }
}

extension Layout {
  /// Whether an entry for `function` moves it. No entry moves the functions in `.init` and `.fini` of an ELF image,
  /// which the linker assembles itself. A `dialect` that names sections can't name the C runtime's sections, which are
  /// called `.text` like the rest of the code.
  func canMove(_ function: PlacedSymbol, by dialect: OrderFileDialect) -> Bool {
    guard imageFormat == .elf else { return true }
    let section = sections[Int(function.section)].name
    if section == CRuntime.startSection || section == CRuntime.endSection { return false }
    return !dialect.namesSections || runtimeSection(of: function) == nil
  }

  /// The number of the C runtime's input section that contains `function` of an ELF image, if one does.
  func runtimeSection(of function: PlacedSymbol) -> Int? {
    imageFormat == .elf ? CRuntime.inputSection(of: name(of: function)) : nil
  }

  /// The entries of an ELF `dialect` that place `function`.
  fileprivate func entries(
    of function: PlacedSymbol, for dialect: OrderFileDialect
  ) -> [OrderFileEntry] {
    let symbol = Array(names[function.name])
    guard dialect.namesSections else { return [OrderFileEntry(symbol: symbol)] }
    if let section = function.inputSection {
      return [OrderFileEntry(symbol: symbol, section: Array(names[section]))]
    }
    return FunctionSection.candidates(of: symbol).map {
      OrderFileEntry(symbol: symbol, section: $0)
    }
  }
}

extension PlacingEntries {
  /// Adds the entries of the anchors (`PrefetchAnchor`), so that the prefetched region has the first `count` entries.
  package mutating func addAnchors(around count: Int) {
    entries.insert(OrderFileEntry(anchor: PrefetchAnchor.last), at: count)
    entries.insert(
      contentsOf: [PrefetchAnchor.first, PrefetchAnchor.initializer].map(
        OrderFileEntry.init(anchor:)), at: 0)
  }

  /// Replaces the entries by some of them, in another order.
  package mutating func replace(by kept: [OrderFileEntry]) { entries = kept }

  /// The entries of variables and constants, for parts of a layout of data (`DataLayout`).
  package var dataEntries: [OrderFileEntry] {
    entries.map { entry in
      var entry = entry
      entry.isData = true
      return entry
    }
  }
}
