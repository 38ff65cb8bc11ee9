// The door between object files and the model: a linked image's bytes come in, an `Image` goes out.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension Image {
  /// Reads the linked image at `path`.
  ///
  /// - Returns: the image, and what a user should know about it: that it was stripped, that symbols had
  ///   to be skipped.
  /// - Throws: a diagnostic that begins with `path`.
  package static func reading(
    path: String
  ) throws(Diagnostic) -> (image: Image, warnings: [Diagnostic]) {
    let bytes: FileBytes
    do { bytes = try FileBytes(path: path) } catch { throw Diagnostic("\(error)", context: [path]) }
    return try reading(bytes, path: path)
  }

  /// Reads the linked image in `bytes`; `path` is for the result and for messages alone.
  package static func reading(
    _ bytes: FileBytes, path: String
  ) throws(Diagnostic) -> (image: Image, warnings: [Diagnostic]) {
    do throws(ParseError) {
      let file: ELFFile
      switch try ObjectFile(parsing: bytes) {
      case .elf(let elf): file = elf
      }
      return try reading(file, path: path)
    } catch {
      throw Diagnostic("\(error)", context: [path])
    }
  }

  /// - Throws: `unsupported` for a file that no linker has laid out, besides what is wrong with it.
  private static func reading(
    _ file: ELFFile, path: String
  ) throws(ParseError) -> (image: Image, warnings: [Diagnostic]) {
    guard file.header.type == .executable || file.header.type == .sharedObject else {
      throw ParseError(
        .unsupported(found: "\(file.header.type), expected a linked image"), "e_type",
        at: FileOffset(rawValue: 16))
    }
    var warnings: [Diagnostic] = []
    let sections = file.allocatedSections()
    let symbols: ELFSymbolTable?
    let source: SymbolSource
    if let table = try file.symbolTable() {
      (symbols, source) = (table, .symbolTable)
    } else {
      (symbols, source) = (try file.dynamicSymbolTable(), .dynamicSymbols)
      warnings.append(.stripped(path))
    }
    var layout = Layout(sections: sections, functions: [], names: NameTable())
    if let symbols {
      let found = FunctionSymbols(
        symbols, in: CodeSections(sections), machine: file.header.machine)
      if found.unnamedCount > 0 {
        warnings.append(.unnamedSymbols(found.unnamedCount, in: symbols, path))
      }
      layout = Layout(
        sections: sections, functions: found.functions,
        names: NameTable(bytes: file.bytes.copy(symbols.names.range.indices)))
    }
    let image = Image(
      path: path, id: try ImageID(file), architecture: Architecture(file.header), layout: layout,
      initializers: try file.initializers(path, &warnings),
      guards: file.section(named: "__sancov_guards")?.range, symbolSource: source)
    return (image, warnings)
  }
}

extension ELFFile {
  /// The sections that take up address space, in the file's order.
  func allocatedSections() -> [Section] {
    sections.compactMap { section in
      // .tbss takes space in each thread, and none at the address it states.
      let isThreadZero = section.flags.contains(.threadLocal) && section.type == .noBits
      guard section.flags.contains(.allocated), !isThreadZero else { return nil }
      return Section(
        name: SymbolName(bytes: bytes.copy(section.name.indices)), range: section.range,
        isExecutable: section.flags.contains(.executable))
    }
  }

  /// What the loader calls before `main`, in its order. `DT_INIT` is left out: it names the C runtime's
  /// `_init`, which is empty in every tool chain that has `.init_array`.
  func initializers(
    _ path: String, _ warnings: inout [Diagnostic]
  ) throws(ParseError) -> [StatedAddress] {
    var addresses: [StatedAddress] = []
    var unknownCount = 0
    for type in [ELFSectionType.preinitArray, .initArray] {
      for section in sections where section.type == type {
        for address in try pointers(in: section) {
          if let address { addresses.append(address) } else { unknownCount += 1 }
        }
      }
    }
    if unknownCount > 0 {
      warnings.append(
        Diagnostic(
          "\(unknownCount) initializers are filled in by relocations that name no function of this "
            + "image", context: [path]))
    }
    return addresses
  }
}

extension Diagnostic {
  static func stripped(_ path: String) -> Diagnostic {
    Diagnostic(
      "missing symbol table: only exported functions have names", context: [path],
      hint: "give the unstripped image, or its debug file with '--debug-file'")
  }

  static func unnamedSymbols(
    _ count: Int, in table: ELFSymbolTable, _ path: String
  ) -> Diagnostic {
    Diagnostic(
      "\(count) symbols skipped: invalid st_name: expected a name within "
        + "\(table.names.range.byteCount) bytes", context: [path])
  }
}
