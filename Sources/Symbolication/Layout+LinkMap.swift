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
// hold a local function, named for its section, with two doubts. A weak function that lost against one
// in another object file looks the same: such a section stays unnamed if a printed function has its
// name. And GCC puts both cold functions and the cold parts of functions into `.text.unlikely.f`: it is
// the part `f.cold` if the same object file has another section for `f`.
//
// Left out are mapping symbols, assembler temporaries, labels without a size beside a symbol with one,
// and functions of no bytes, whose address is the next function's.

extension Layout {
  /// The allocated sections of the image that `map` describes, and the functions in its code whose names
  /// in the symbol table are known. Versions are cut off: `f@@V1` is `f`.
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
          name: SymbolName(bytes: map.bytes.copy(section.name.indices)), range: section.range,
          isExecutable: code.isExecutable[index]))
    }
    var functions = LinkMapFunctions(map, code, layoutIndexes)
    functions.collect()
    diagnostics += functions.diagnostics
    self.init(
      sections: sections, functions: functions.functions, names: NameTable(bytes: functions.names))
  }
}
