import Addresses
import ByteReading
import ImageModel
import LinkMapFormat

// A link map contains less than a symbol table, and each linker leaves out different things. This code derives what can
// be known, and counts what can't.
//
// Sizes. GNU ld, gold and mold print none, and lld prints 0 for most assembly: such a function extends to the next
// symbol of its input section, or to the end of the section. If local symbols are not printed (GNU ld, gold), the
// function may seem too large when an object file has all its code in one `.text`.
//
// Names. All four linkers print demangled names by default, and no order file can use demangled names. With one section
// per function, the section's name contains the mangled name, which is used if the section's first symbol has no
// mangled name. A section has only one name, so the names of demangled aliases are lost: C1 and C2 constructors, folded
// functions. A section in which GNU ld and gold print no symbol contains a local function, which is named after its
// section, with two limits. A weak function that was overridden by one in another object file looks the same: such a
// section stays unnamed if a printed function has its name. And GCC puts both cold functions and the cold parts of
// functions into `.text.unlikely.f`: the function is the part `f.cold` if the same object file has another section for
// `f`.
//
// ld64 writes the names of the symbol table and nearly all sizes, including the sizes of local functions, but also a
// line for everything else in the image. The section that contains the address decides what is a function
// (`MachOSectionKind`), because a function, its stub and its pointer have the same name. Sections of code also contain
// branch islands, thunks and stubs that the linker created, which have the object file number 0, and labels of the
// assembler. Of several symbols at one address often only one has a size: an alias and a folded function have the size
// 0, and so does a function that shares its address with a label. All symbols at the address get the largest size. One
// limit remains with LTO: ld64.lld lists a global function under the bitcode file that defined it, and in an order file
// no object file works before the function's name, not even the bitcode file.
//
// Mapping symbols, assembler temporaries, labels without a size at the address of a symbol with a size, and functions
// of zero bytes, whose address is the next function's, are left out.

extension Layout {
  /// The allocated sections of the image that `map` describes, and the functions in its code whose mangled
  /// names are known. Versions are removed: `f@@V1` gives `f`. Sections and symbols that the map lists as
  /// discarded become absent symbols, as does data.
  ///
  /// `diagnostics` gets a warning if functions were named after their sections or left out.
  ///
  /// - Complexity: O(*n* log *n*) for *n* symbols and input sections; O(*n*) if the map ascends.
  package init(_ map: LinkMap, diagnostics: inout [Diagnostic]) {
    let code = LinkMapCodeSections(map)
    var sections: [Section] = []
    var layoutIndexes = [UInt32?](repeating: nil, count: map.sections.count)
    for (index, section) in map.sections.enumerated() {
      guard LinkMapCodeSections.isPlaced(section) else { continue }
      layoutIndexes[index] = UInt32(sections.count)
      sections.append(
        Section(
          name: map.sectionName(section), range: section.range,
          isExecutable: code.isExecutable[index]))
    }
    guard map.grammar.imageFormat == .elf else {
      let found = LD64MapFunctions(map, code, layoutIndexes).collected()
      self.init(
        imageFormat: .machO, sections: sections, functions: found.functions,
        names: NameTable(bytes: found.names), absentSymbols: found.absentSymbols)
      return
    }
    var functions = LinkMapFunctions(map, code, layoutIndexes)
    functions.collect()
    diagnostics += functions.diagnostics
    self.init(
      imageFormat: .elf, sections: sections, functions: functions.functions,
      names: NameTable(bytes: functions.names), absentSymbols: functions.absentSymbols)
  }
}

extension LinkMap {
  /// The name in the notation of images: for Mach-O, segment and section with a comma between them.
  fileprivate func sectionName(_ section: OutputSection) -> SymbolName {
    var name = bytes.copy(section.name.indices)
    if grammar.imageFormat == .machO, let tab = name.firstIndex(of: UInt8(ascii: "\t")) {
      name[tab] = UInt8(ascii: ",")
    }
    return SymbolName(bytes: name)
  }
}
