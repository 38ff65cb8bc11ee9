import Addresses
import ByteReading
import DebugInfo
import ImageModel
import ObjectFormat

extension ELFFile: ImageFile {
  static var format: ImageFormat { .elf }
  var architecture: Architecture { Architecture(header) }
  var headerAddress: StatedAddress? { nil }
  var mappedSegments: [(name: SymbolName, range: AddressRange)] { [] }

  func requireReadableImage() throws(Diagnostic) {
    guard header.type == .executable || header.type == .sharedObject else {
      throw .notLinked(found: header.type, "e_type", at: FileOffset(rawValue: 16))
    }
  }

  func imageID() throws(ParseError) -> ImageID { ImageID(self) }

  func libraryName() -> String? {
    guard let name = (try? soname()) ?? nil else { return nil }
    return bytes.text(name.indices)
  }

  func sectionsInMemory() -> [Section] {
    sections.compactMap { section in
      // .tbss takes space in each thread, but none at its stated address.
      let isThreadZero = section.flags.contains(.threadLocal) && section.type == .noBits
      guard section.flags.contains(.allocated), !isThreadZero else { return nil }
      return Section(
        name: SymbolName(bytes: bytes.copy(section.name.indices)), range: section.range,
        isExecutable: section.flags.contains(.executable))
    }
  }

  func guards() -> AddressRange? { section(named: "__sancov_guards")?.range }

  /// `DT_INIT` is left out: it is the C runtime's `_init`, which does nothing if there is an `.init_array`.
  func initializersAndWarnings() -> (addresses: [StatedAddress], [Diagnostic]) {
    var addresses: [StatedAddress] = []
    var unknownCount = 0
    var problem: ParseError?
    for type in [ELFSectionType.preinitArray, .initArray] {
      // Linkers create only one section of each type, so few sections are read.
      for section in sections.lazy.filter({ $0.type == type }).prefix(8) {
        do {
          for address in try pointers(in: section) {
            if let address { addresses.append(address) } else { unknownCount += 1 }
          }
        } catch { problem = problem ?? error }
      }
    }
    var warnings = Diagnostic.skipped(
      unknownCount, "initializer", "its relocation refers to no function of this image")
    if let problem { warnings.append(.unread("initializers", problem)) }
    if let problem = notes().problem { warnings.append(Diagnostic("malformed note: \(problem)")) }
    warnings += [differentBuildIDs].compactMap { $0 }
    return (addresses, warnings)
  }

  /// A warning if the recorder, which reads the segments of notes, finds another build ID than this command, which reads
  /// the sections.
  private var differentBuildIDs: Diagnostic? {
    // A file of debug information has the code's sections, but not their contents, and segments of another file.
    guard segments.contains(where: { $0.type == .load && $0.fileSize > 0 }), !sections.isEmpty,
      !sections.contains(where: { $0.flags.contains(.executable) && $0.type == .noBits })
    else { return nil }
    let (stated, loaded) = (buildID(), buildIDInSegments())
    guard stated != loaded else { return nil }
    func text(_ id: [UInt8]?) -> String {
      id.map { ImageID(kind: .buildID, bytes: $0).description } ?? "none"
    }
    return Diagnostic(
      "the image states two build IDs: \(text(stated)) in its sections, \(text(loaded)) in its segments",
      hint:
        "traces of an instrumented program have the ID in its segments, so they do not match this image: "
        + "link the program again with -Wl,--build-id")
  }

  func functions(inSymbolsOf file: ELFFile) throws(ParseError) -> NamedFunctions? {
    guard let table = try file.symbolTable() else { return nil }
    return functions(in: table)
  }

  /// Discarded functions have DWARF too, at addresses outside every section of code; they are left out.
  func functions(inDWARFOf file: ELFFile) throws(ParseError) -> NamedFunctions? {
    guard let debug = try DebugFunctions(file) else { return nil }
    var code = CodeSections(sectionsInMemory())
    var found = NamedFunctions(names: NameTable(bytes: debug.names), warnings: debug.warnings)
    var exported = NamedFunctions()
    do {
      if let dynamic = try dynamicSymbolTable() { exported = functions(in: dynamic) }
    } catch { found.warnings.append(.unread("exported functions", error)) }
    let entries = Set(exported.functions.map(\.address))
    found.functions = debug.functions.compactMap { function in
      let range = function.range(entered: entries.contains)
      guard let section = code.index(containing: range.start) else { return nil }
      // Offset and size fit in 32 bits, because DebugFunctions keeps the names below ParsingLimits.debugNames.
      let name = NameReference(
        offset: UInt32(function.name.lowerBound), count: UInt32(function.name.count))
      return PlacedSymbol(
        name: name, address: range.start, size: range.size, section: section)
    }
    found.append(exported)
    return found
  }

  func exportedFunctions() throws(ParseError) -> (NamedFunctions, lack: Diagnostic) {
    guard let table = try dynamicSymbolTable() else {
      return (NamedFunctions(), .missingSymbolTable)
    }
    return (functions(in: table), .missingSymbolTable)
  }

  /// A single copy of the string table serves as the name table.
  private func functions(in table: ELFSymbolTable) -> NamedFunctions {
    let found = ELFFunctionSymbols(
      table, in: CodeSections(sectionsInMemory()), machine: header.machine)
    return NamedFunctions(
      functions: found.functions, absentSymbols: found.absentSymbols,
      names: NameTable(bytes: table.names.bytes.copy(table.names.range.indices)),
      warnings: Diagnostic.skipped(
        found.unnamedCount, "symbol",
        "invalid st_name: expected a name within \(table.names.range.byteCount) bytes")
        + Diagnostic.skipped(
          found.sharingCount, "symbol",
          "names too large: expected at most \(found.nameBudget.limit) bytes in all"))
  }
}

extension Diagnostic.Kind {
  /// The image is stripped. The message may list the places where its debug file was looked for.
  package static let missingSymbolTable = Self("missingSymbolTable")
}

extension Diagnostic {
  fileprivate static let missingSymbolTable = Diagnostic(
    "missing symbol table: only exported functions have names",
    remedies: [
      Remedy("use the unstripped image"),
      Remedy("give its debug file with '--debug-file'", option: "--debug-file"),
    ], kind: .missingSymbolTable)
}
