import Addresses
import ByteReading
import DebugInfo
import ImageModel

/// The functions of an image before sorting, with the bytes of their names and their origin.
struct NamedFunctions {
  var functions: [PlacedSymbol] = []
  /// Symbols of the symbol table that are no functions.
  var absentSymbols: [AbsentSymbol] = []
  var names = NameTable()
  var source = SymbolSource.dynamicSymbols
  /// Warnings about the functions, without the image's path as context.
  var warnings: [Diagnostic] = []
}

extension NamedFunctions {
  /// The functions from the best source: the symbol table, the debug file that the user named, DWARF in the
  /// image, a debug file that can be found, or the exported symbols.
  ///
  /// - Returns: also the result of the search for a debug file; `nil` if there was no need to search.
  /// - Throws: the error in the image's own tables, if no other source has the names. An error in the symbol table is
  ///   always thrown, because an order can only name its symbols. Damaged DWARF is a warning.
  static func finding(
    in image: some ImageFile, _ request: DebugFileRequest,
    opening open: (String) throws(SystemError) -> FileBytes
  ) throws(ParseError) -> (functions: NamedFunctions, search: DebugFileRequest.Outcome?) {
    if var functions = try image.functions(inSymbolsOf: image) {
      functions.source = .symbolTable
      return (functions, nil)
    }
    var exportProblem: ParseError?
    var functions = NamedFunctions()
    var lack: Diagnostic?
    do { (functions, lack) = try image.exportedFunctions() } catch {
      exportProblem = error
      functions.warnings.append(.unread("exported functions", error))
    }
    if !request.isExplicit {
      do {
        if var described = try image.functions(inDWARFOf: image) {
          described.source = .debugInformation
          return (described, nil)
        }
      } catch { functions.warnings.append(Diagnostic("\(error)")) }
    }
    if let problem = request.problem {
      functions.warnings.append(.unread("debug link", problem))
    }
    let search = request.search(for: image, opening: open)
    if var found = search.functions {
      found.warnings += functions.warnings
      return (found, search)
    }
    if let exportProblem { throw exportProblem }
    if var lack {
      lack.message += search.rejections
      functions.warnings.append(lack)
    }
    return (functions, search)
  }

  /// Appends the functions of another table; none if the names would exceed 4 GiB in total.
  mutating func append(_ other: NamedFunctions) {
    guard let base = names.append(other.names.bytes)?.offset else { return }
    functions += other.functions.map { function in
      var function = function
      // The number fits: `append` has checked that the size of the whole table fits.
      function.name.offset += base
      return function
    }
    absentSymbols += other.absentSymbols.map { symbol in
      var symbol = symbol
      symbol.name.offset += base
      return symbol
    }
  }

  /// The layout, sorted, without duplicates that two sources, or two units of DWARF, give for one address.
  func layout<File: ImageFile>(of image: File) -> Layout {
    let layout = Layout(
      imageFormat: File.format, sections: image.sectionsInMemory(), functions: functions,
      names: names, absentSymbols: absentSymbols)
    guard source != .symbolTable, source != .dynamicSymbols else { return layout }
    var unique: [PlacedSymbol] = []
    for function in layout.functions {
      if let last = unique.last, last.address == function.address, last.size == function.size,
        layout.names[last.name] == layout.names[function.name]
      {
        continue
      }
      unique.append(function)
    }
    return Layout(
      imageFormat: File.format, sections: layout.sections, functions: unique, names: names,
      absentSymbols: absentSymbols)
  }
}

extension DebugFunctions {
  /// Warnings about functions and symbols that were left out.
  var warnings: [Diagnostic] {
    Diagnostic.skipped(unnamedCount, "function", "missing DW_AT_linkage_name")
      + Diagnostic.skipped(damagedUnitCount, "compilation unit", "invalid .debug_info")
      + Diagnostic.skipped(
        splitUnitCount, "compilation unit", "unsupported split DWARF",
        hint: "build without '-gsplit-dwarf', or keep the symbol table")
  }
}

extension Diagnostic {
  /// Returns a warning about a part of an image that can't be read. The rest is used without it.
  package static func unread(
    _ things: String, _ problem: ParseError, in path: String? = nil
  ) -> Diagnostic {
    Diagnostic("\(things) left out: \(problem)", context: [path].compactMap { $0 })
  }

  /// Returns the warning `2 symbols skipped: reason`; empty if `count` is 0.
  static func skipped(
    _ count: Int, _ thing: String, _ reason: String, hint: String? = nil
  ) -> [Diagnostic] {
    guard count > 0 else { return [] }
    return [Diagnostic("\(count) \(thing)\(count == 1 ? "" : "s") skipped: \(reason)", hint: hint)]
  }
}
