// The symbols of a Mach-O file that are functions, and the end of each.
//
// Symbols have neither a type nor a size. A symbol in a section of instructions is treated as a function:
// compilers put nothing else there, and hand-written assembly gives no further information. Entries for
// debuggers (N_STAB) are ignored.
//
// A function extends to what comes next. A linker splits a section into atoms, one at each symbol, and an
// order file moves atoms: so a function ends at the next symbol, at the next function without a name in
// LC_FUNCTION_STARTS, or at the end of the section. The padding before the next function counts as part of
// the function before it, as in ld64's link maps.
//
//     0x1000 _f           24 bytes: up to _g
//     0x1008 _f_middle    16 bytes: an alternate entry (N_ALT_ENTRY) begins no atom; _f continues after it
//     0x1018 _g            8 bytes: up to a function without a name, listed in LC_FUNCTION_STARTS
//     0x1020               stripped
//
// ld64.lld drops the mark of alternate entries when it links; then the second entry begins a separate function, in its
// link map too. Apple's linker keeps the mark. It also sets it on aliases, and on all symbols but the first of an
// object without MH_SUBSECTIONS_VIA_SYMBOLS, which is typical of assembly: such an object is one atom of many
// functions, and each of them extends to the end of the atom.
//
// Names that begin with `l` or `L` are labels of the assembler (`ltmp0`, `l_.str`). They are not source
// names, because C names begin with `_` and Objective-C names with `-` or `+`. They are left out if there is
// another name at the same address, or if the code shows that they are within a function (`MachOLabels`); otherwise
// they are the function's only name. Local names that begin with another letter are labels, too, if the code shows it.
//
// Linkers name the stubs that they create for Objective-C messages (`_objc_msgSend$count`). Stubs are no functions: no
// object file has them, and an order file can't move them.
//
// This code cannot distinguish functions from data that assembly puts into a section of code.

import Addresses
import ByteReading
import DebugInfo
import ImageModel
import ObjectFormat

/// Collects the functions of a Mach-O image from the tables that name them.
struct MachOFunctions {
  private var found = NamedFunctions()
  private var labels: [PlacedSymbol] = []
  private let sections: [Section]
  /// The sections with code, except stubs.
  private var code: CodeSections
  /// The sections with data.
  private var data: CodeSections
  /// The contents of `LC_FUNCTION_STARTS`, ascending; `nil` for an image linked without it.
  private let starts: [StatedAddress]?
  /// Distinguishes labels from functions; `nil` if the code is not for AArch64.
  private let labelSearch: MachOLabels?
  /// The addresses of symbols that are not alternate entries.
  private var beginnings: [StatedAddress] = []
  private var alternateEntries: Set<StatedAddress> = []
  /// The addresses of certain functions, and of local symbols that may be labels. Certain functions are global symbols,
  /// functions of the debug information, and local names of C, Objective-C and Swift, which begin with `_`, `-` or `+`.
  private var certain: [StatedAddress] = []
  private var uncertain: [StatedAddress] = []

  init(of image: MachOFile) throws(ParseError) {
    sections = image.sectionsInMemory()
    code = CodeSections(sections) { $0.isExecutable && !MachOSectionKind.isStubs($0) }
    data = CodeSections(sections) { !$0.isExecutable }
    labelSearch = MachOLabels(of: image)
    do { starts = try image.functionStarts() } catch {
      starts = nil
      found.warnings.append(.unread("function starts", error))
    }
  }

  /// Adds the functions among the symbols of `table`, which belongs to the image or its debug file.
  ///
  /// - Complexity: O(*n* log *s*) for *n* symbols and *s* sections.
  mutating func add(_ table: MachOSymbolTable) {
    let strings = table.names.range.indices
    guard let base = found.names.append(table.names.bytes.copy(strings))?.offset else { return }
    var unnamedCount = 0
    var sharingCount = 0
    var budget = ByteBudget(namesIn: strings.count)
    table.forEachSymbol { symbol in
      let absence = absence(of: symbol)
      let section = symbol.isInSection ? code.index(containing: symbol.value) : nil
      guard symbol.nameOffset != 0, section != nil || absence != nil else { return }
      guard !budget.isSpent else {
        sharingCount += 1
        return
      }
      guard let name = table.names.name(at: symbol.nameOffset)?.indices else {
        unnamedCount += 1
        return
      }
      guard budget.take(name.count) else {
        sharingCount += 1
        return
      }
      guard !name.isEmpty else { return }
      // Offset and count fit in 32 bits, because a string table has at most 4 GiB, and `append` has checked the sum.
      let reference = NameReference(
        offset: base + UInt32(name.lowerBound - strings.lowerBound), count: UInt32(name.count))
      if let absence {
        found.absentSymbols.append(AbsentSymbol(name: reference, reason: absence))
      }
      guard let section else { return }
      let isSeenOutside = symbol.type.isExternal || symbol.type.isPrivateExternal
      let function = PlacedSymbol(
        name: reference, address: symbol.value, section: section, isLocal: !isSeenOutside)
      let first = table.names.bytes[name.lowerBound]
      if first == UInt8(ascii: "l") || first == UInt8(ascii: "L") {
        labels.append(function)
        return
      }
      if function.isLocal, !"_-+".utf8.contains(first) {
        uncertain.append(symbol.value)
      } else {
        certain.append(symbol.value)
      }
      found.functions.append(function)
      if symbol.description.contains(.alternateEntry) {
        alternateEntries.insert(symbol.value)
      } else {
        beginnings.append(symbol.value)
      }
    }
    found.warnings += Diagnostic.skipped(
      unnamedCount, "symbol",
      "invalid n_strx: expected a name within \(strings.count) bytes")
    found.warnings += Diagnostic.skipped(
      sharingCount, "symbol", "names too large: expected at most \(budget.limit) bytes in all")
  }

  /// Returns why a symbol is no function although the image names it: it is data, imported or absolute. `nil` for other
  /// symbols.
  private mutating func absence(of symbol: MachOSymbol) -> AbsentSymbol.Reason? {
    if symbol.isInSection { return data.index(containing: symbol.value) == nil ? nil : .data }
    // With two-level namespaces, each import names the library that it comes from.
    return switch symbol.type.kind {
    case .undefined: .shared
    case .absolute: .absolute
    default: nil
    }
  }

  /// Adds the functions that DWARF describes. DWARF has source names; the symbols of functions, except Objective-C
  /// methods, have an underscore before the source name. The sizes in DWARF are not used, so that an image has the same
  /// layout whichever file names its functions.
  mutating func add(_ debug: DebugFunctions) {
    for function in debug.functions {
      guard let section = code.index(containing: function.range.start) else { continue }
      let name = debug.names[function.name]
      let isMethod = name.starts(with: "-[".utf8) || name.starts(with: "+[".utf8)
      guard
        let reference = found.names.append(isMethod ? Array(name) : [UInt8(ascii: "_")] + name)
      else { return }
      found.functions.append(
        PlacedSymbol(name: reference, address: function.range.start, section: section))
      beginnings.append(function.range.start)
      certain.append(function.range.start)
    }
    found.warnings += debug.warnings
  }

  /// The number of functions in `LC_FUNCTION_STARTS` that have no name, and the number of all functions there; `nil` if
  /// the image has no function starts. Labels within functions don't count.
  ///
  /// - Complexity: as `finish()`.
  func unnamedStarts() -> (count: Int, of: Int)? {
    guard let starts, !starts.isEmpty else { return nil }
    let named = Set((found.functions + labels).map(\.address))
    let inner = labelsInFunctions()
    var code = code
    let known = starts.filter { code.index(containing: $0) != nil && !inner.contains($0) }
    return (known.count { !named.contains($0) }, known.count)
  }

  /// The starts of code, with or without a name, that are labels within functions.
  ///
  /// - Complexity: O(*n* log *n* + *b*) for *n* functions and *b* bytes of code.
  private func labelsInFunctions() -> Set<StatedAddress> {
    guard let labelSearch else { return [] }
    let functions = Set(certain)
    let candidates = ((starts ?? []) + labels.map(\.address) + uncertain)
      .filter { !functions.contains($0) }
    return labelSearch.startsInFunctions(
      among: candidates.sorted(), functions: functions.sorted())
  }

  /// Whether names are missing. A linker names all functions except functions with private labels, so an image without
  /// any local name was stripped, unless all functions have names.
  var isStripped: Bool {
    guard sections.contains(where: { $0.isExecutable && $0.range.size > 0 }) else { return false }
    guard !found.functions.isEmpty || !labels.isEmpty else { return true }
    guard !found.functions.contains(where: \.isLocal), let unnamed = unnamedStarts() else {
      return false
    }
    return unnamed.count > 0
  }

  var isEmpty: Bool { found.functions.isEmpty && labels.isEmpty }

  /// All functions with their sizes.
  ///
  /// - Complexity: O(*n* log *n* + *b*) for *n* functions and *b* bytes of code.
  func finish() -> NamedFunctions {
    var result = found
    let inner = labelsInFunctions()
    if !inner.isEmpty { result.functions.removeAll { inner.contains($0.address) } }
    let named = labels.isEmpty ? [] : Set(found.functions.map(\.address))
    let lone = labels.filter { !named.contains($0.address) && !inner.contains($0.address) }
    result.functions += lone
    // `LC_FUNCTION_STARTS` contains alternate entries too.
    let starts = (starts ?? []).filter { !alternateEntries.contains($0) }
    let beginnings = (self.beginnings + starts + lone.map(\.address))
      .filter { !inner.contains($0) }.sorted()
    for index in result.functions.indices {
      let function = result.functions[index]
      var end = sections[Int(function.section)].range.end
      let next = beginnings.partitioningIndex { $0 > function.address }
      if next < beginnings.count { end = min(end, beginnings[next]) }
      if end > function.address {
        result.functions[index].size = end.rawValue - function.address.rawValue
      }
    }
    return result
  }
}
