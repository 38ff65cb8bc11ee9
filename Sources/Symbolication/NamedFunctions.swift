import Addresses
import ByteReading
import DebugInfo
import ImageModel
import ObjectFormat

/// The functions of one image before they are sorted, with the bytes of their names and their origin.
struct NamedFunctions {
  var functions: [Function] = []
  var names = NameTable()
  var source: SymbolSource
  /// Without the image's path.
  var warnings: [Diagnostic] = []

  /// None.
  private init() { source = .dynamicSymbols }

  /// Those of the best source: the symbol table, the debug file that the user named, DWARF in the image,
  /// a debug file that can be found, the dynamic symbols.
  ///
  /// - Returns: also what the search for a debug file came to; `nil` if it was not needed.
  /// - Throws: what is wrong with the image's own tables. Damaged DWARF is a warning.
  static func finding(
    in image: ELFFile, _ request: DebugFileRequest,
    opening open: (String) throws(SystemError) -> FileBytes
  ) throws(ParseError) -> (functions: NamedFunctions, search: DebugFileRequest.Outcome?) {
    let sections = image.allocatedSections()
    let machine = image.header.machine
    if let table = try image.symbolTable() {
      return (Self(table, in: sections, machine: machine, source: .symbolTable), nil)
    }
    let dynamic = try image.dynamicSymbolTable()
    var warnings: [Diagnostic] = []
    if !request.isExplicit {
      do {
        if let debug = try DebugFunctions(image) {
          let functions = Self(
            debug, dynamic: dynamic, in: sections, machine: machine, source: .debugInformation)
          return (functions, nil)
        }
      } catch { warnings.append(Diagnostic("\(error)")) }
    }
    let search = request.search(opening: open)
    var functions =
      search.functions
      ?? dynamic.map {
        Self($0, in: sections, machine: machine, source: .dynamicSymbols)
      } ?? Self()
    functions.warnings += warnings
    return (functions, search)
  }

  /// Those of a symbol table, of `file` or of its debug file. One copy of the string table is the name
  /// table.
  init(_ table: ELFSymbolTable, in sections: [Section], machine: ELFMachine, source: SymbolSource) {
    let found = FunctionSymbols(table, in: CodeSections(sections), machine: machine)
    self.source = source
    functions = found.functions
    names = NameTable(bytes: table.names.bytes.copy(table.names.range.indices))
    if found.unnamedCount > 0 {
      warnings.append(
        .skipped(
          found.unnamedCount, "symbol",
          "invalid st_name: expected a name within \(table.names.range.byteCount) bytes"))
    }
  }

  /// Those that DWARF describes, and the dynamic symbols, which know aliases and assembly.
  ///
  /// What the linker discarded has DWARF too, at addresses outside every section of code; it is left out.
  init(
    _ debug: DebugFunctions, dynamic: ELFSymbolTable?, in sections: [Section], machine: ELFMachine,
    source: SymbolSource
  ) {
    self.source = source
    var code = CodeSections(sections)
    names = NameTable(bytes: debug.names)
    functions = debug.functions.compactMap { function in
      guard let section = code.index(containing: function.range.start) else { return nil }
      // Both fit: DebugFunctions keeps the names below ParsingLimits.debugNames.
      let name = NameReference(
        offset: UInt32(function.name.lowerBound), count: UInt32(function.name.count))
      return Function(
        name: name, address: function.range.start, size: function.range.size, section: section)
    }
    if let dynamic { append(dynamic, in: sections, machine: machine) }
    if debug.unnamedCount > 0 {
      warnings.append(
        .skipped(debug.unnamedCount, "function", "missing DW_AT_linkage_name"))
    }
    if debug.damagedUnitCount > 0 {
      warnings.append(
        .skipped(debug.damagedUnitCount, "compilation unit", "invalid .debug_info"))
    }
    if debug.splitUnitCount > 0 {
      warnings.append(
        .skipped(
          debug.splitUnitCount, "compilation unit", "unsupported split DWARF",
          hint: "build without '-gsplit-dwarf', or keep the symbol table"))
    }
  }

  private mutating func append(
    _ table: ELFSymbolTable, in sections: [Section], machine: ELFMachine
  ) {
    let found = FunctionSymbols(table, in: CodeSections(sections), machine: machine)
    let bytes = table.names.bytes.copy(table.names.range.indices)
    guard let base = names.append(bytes)?.offset else { return }
    functions += found.functions.map { function in
      var function = function
      function.name.offset += base  // fits: append saw to it that the whole table does
      return function
    }
  }

  /// Sorted, and without a name that two sources, or two units of DWARF, give to one address.
  func layout(_ sections: [Section]) -> Layout {
    let layout = Layout(sections: sections, functions: functions, names: names)
    guard source != .symbolTable, source != .dynamicSymbols else { return layout }
    var unique: [Function] = []
    for function in layout.functions {
      if let last = unique.last, last.address == function.address, last.size == function.size,
        layout.names[last.name] == layout.names[function.name]
      {
        continue
      }
      unique.append(function)
    }
    return Layout(sections: layout.sections, functions: unique, names: names)
  }
}

extension Diagnostic {
  /// `2 symbols skipped: reason`
  static func skipped(
    _ count: Int, _ thing: String, _ reason: String, hint: String? = nil
  ) -> Diagnostic {
    Diagnostic("\(count) \(thing)\(count == 1 ? "" : "s") skipped: \(reason)", hint: hint)
  }
}
