// Which symbols of a Mach-O file are functions, and where each of them ends.
//
// Symbols have neither a type nor a size. A symbol that lies in a section of instructions is taken for a
// function: compilers put nothing else there, and hand-written assembly says nothing else. Entries for
// debuggers (N_STAB) are not looked at.
//
// What has no size reaches to what comes next. A linker cuts a section into atoms, one at each symbol, and
// an atom is what an order file moves: so a function ends where the next symbol stands, or where
// LC_FUNCTION_STARTS says that a function without a name begins, or where the section ends. The bytes that
// align the next function count to the one before, as they do in link maps of ld64.
//
//     0x1000 _f           24 bytes: up to _g
//     0x1008 _f_middle    16 bytes: an alternate entry (N_ALT_ENTRY) begins no atom; _f goes on behind it
//     0x1018 _g            8 bytes: up to a function without a name, which LC_FUNCTION_STARTS knows
//     0x1020               stripped
//
// ld64.lld drops the mark of alternate entries from what it links; then the second entry begins a function
// of its own, in its link map too. Apple's linker keeps the mark. It sets it besides on aliases, and on all
// symbols but the first of an object without MH_SUBSECTIONS_VIA_SYMBOLS, as much assembly is: that is one
// atom of many functions, and each of them reaches to the end of what moves with it.
//
// Names that begin with `l` or `L` are labels of the assembler's (`ltmp0`, `l_.str`): no source has them, as
// the names of C begin with `_` and those of Objective-C with `-` or `+`. Where another name stands at the
// same address they are left out; one that stands alone is all that names its function.
//
// What it can't tell from functions: data that assembly puts into a section of code.

import Addresses
import ByteReading
import DebugInfo
import ImageModel
import ObjectFormat

/// Collects the functions of one Mach-O image from the tables that name them.
struct MachOFunctions {
  private var found = NamedFunctions()
  private var labels: [Function] = []
  private let sections: [Section]
  private var code: CodeSections
  /// What `LC_FUNCTION_STARTS` says; `nil` in an image that was linked without.
  private let starts: [StatedAddress]?
  /// Where symbols stand that are no alternate entries.
  private var beginnings: [StatedAddress] = []
  private var alternateEntries: Set<StatedAddress> = []

  init(of image: MachOFile) throws(ParseError) {
    sections = image.sectionsInMemory()
    code = CodeSections(sections)
    do { starts = try image.functionStarts() } catch {
      starts = nil
      found.warnings.append(.unread("function starts", error))
    }
  }

  /// Adds the functions among the symbols of `table`, of the image or of its debug file.
  ///
  /// - Complexity: O(*n* log *s*) for *n* symbols and *s* sections.
  mutating func add(_ table: MachOSymbolTable) {
    let strings = table.names.range.indices
    guard let base = found.names.append(table.names.bytes.copy(strings))?.offset else { return }
    var unnamedCount = 0
    var sharingCount = 0
    var budget = ByteBudget(namesIn: strings.count)
    table.forEachSymbol { symbol in
      let absence = Self.absence(of: symbol)
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
      // They fit: a string table has at most 4 GiB, and append saw to it that both together do.
      let reference = NameReference(
        offset: base + UInt32(name.lowerBound - strings.lowerBound), count: UInt32(name.count))
      if let absence {
        found.absentSymbols.append(AbsentSymbol(name: reference, reason: absence))
      }
      guard let section else { return }
      let isSeenOutside = symbol.type.isExternal || symbol.type.isPrivateExternal
      let function = Function(
        name: reference, address: symbol.value, section: section, isLocal: !isSeenOutside)
      let first = table.names.bytes[name.lowerBound]
      if first == UInt8(ascii: "l") || first == UInt8(ascii: "L") {
        labels.append(function)
        return
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

  /// Why a symbol can't be ordered though the image names it; `nil` if it stands in a section.
  private static func absence(of symbol: MachOSymbol) -> AbsentSymbol.Reason? {
    switch symbol.type.kind {
    // Of two levels, and so each import names the library that it comes from.
    case .undefined: .shared
    case .absolute: .absolute
    default: nil
    }
  }

  /// Adds the functions that DWARF describes. It has the names of the language; the symbols of all but
  /// Objective-C's methods have an underscore before them. Their sizes are not taken, so that an image has
  /// the same layout whichever file names its functions.
  mutating func add(_ debug: DebugFunctions) {
    for function in debug.functions {
      guard let section = code.index(containing: function.range.start) else { continue }
      let name = debug.names[function.name]
      let isMethod = name.starts(with: "-[".utf8) || name.starts(with: "+[".utf8)
      guard
        let reference = found.names.append(isMethod ? Array(name) : [UInt8(ascii: "_")] + name)
      else { return }
      found.functions.append(
        Function(name: reference, address: function.range.start, section: section))
      beginnings.append(function.range.start)
    }
    found.warnings += debug.warnings
  }

  /// How many functions `LC_FUNCTION_STARTS` knows, and how many of them have no name; `nil` if it knows
  /// none.
  ///
  /// - Complexity: O(*n* log *n*) for *n* functions.
  func unnamedStarts() -> (count: Int, of: Int)? {
    guard let starts, !starts.isEmpty else { return nil }
    let named = Set((found.functions + labels).map(\.address))
    var code = code
    let known = starts.filter { code.index(containing: $0) != nil }
    return (known.count { !named.contains($0) }, known.count)
  }

  /// Whether names are missing. A linker names all functions but those of private labels, so an image
  /// without a name that only its object file knew was stripped, unless all functions have names.
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
  /// - Complexity: O(*n* log *n*) for *n* functions.
  func finish() -> NamedFunctions {
    var result = found
    let named = labels.isEmpty ? [] : Set(found.functions.map(\.address))
    let lone = labels.filter { !named.contains($0.address) }
    result.functions += lone
    // `LC_FUNCTION_STARTS` has alternate entries too.
    let starts = (starts ?? []).filter { !alternateEntries.contains($0) }
    let beginnings = (self.beginnings + starts + lone.map(\.address)).sorted()
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
