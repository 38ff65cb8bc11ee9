import Addresses
import ByteReading
import ImageModel
import LinkMapFormat

// A link map says less than a symbol table, and each linker leaves out something else. This door makes
// of it what can be known, and counts what can't.
//
// Sizes. GNU ld, gold and mold print none, and lld prints 0 for most assembly: such a function reaches to
// the next symbol of its input section, or to its end. Where locals are not printed (GNU ld, gold) that
// may be too much if an object file has all its code in one `.text`.
//
// Names. All four linkers print demangled names unless told otherwise, and no order file can use those.
// With one section per function the mangled name is in the section's name, and is taken from there when
// the section's first symbol has no name of its own. One section has one name, so its demangled aliases
// are lost: C1 and C2 constructors, folded functions. Sections in which GNU ld and gold print no symbol
// hold a local function, named for its section, with two limits. A weak function that lost against one
// in another object file looks the same: such a section stays unnamed if a printed function has its
// name. And GCC puts both cold functions and the cold parts of functions into `.text.unlikely.f`: it is
// the part `f.cold` if the same object file has another section for `f`.
//
// ld64 writes the names of the symbol table and nearly all sizes, local functions included, but a line for
// everything else in the image too. What is a function is decided by the section that the address lies in
// (`MachOSectionKind`), since a function, its stub and its pointer have one name. In code, too, are branch
// islands, thunks and stubs of the linker's own, which are told by their object file, number 0, and labels
// of the assembler. Of several symbols at one address often only one has a size: that of an alias and of a
// folded function is 0, as is that of a function which shares its address with a label. All get the
// greatest. A limit remains with LTO: ld64.lld lists a global function under the bitcode file that
// defined it, and before its name no object file works in an order file, not even that one.
//
// Left out are mapping symbols, assembler temporaries, labels without a size beside a symbol with one,
// and functions of no bytes, whose address is the next function's.

extension Layout {
  /// The allocated sections of the image that `map` describes, and the functions in its code whose names
  /// in the symbol table are known. Versions are cut off: `f@@V1` is `f`. What the map lists as discarded is
  /// among the absent symbols.
  ///
  /// `diagnostics` gets a warning if functions had to be named for their sections or left out.
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
  /// As images have it: segment and section of a Mach-O image with a comma between them.
  fileprivate func sectionName(_ section: OutputSection) -> SymbolName {
    var name = bytes.copy(section.name.indices)
    if grammar.imageFormat == .machO, let tab = name.firstIndex(of: UInt8(ascii: "\t")) {
      name[tab] = UInt8(ascii: ",")
    }
    return SymbolName(bytes: name)
  }
}
