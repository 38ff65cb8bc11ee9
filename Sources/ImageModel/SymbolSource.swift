/// Where an image's function names come from, and with that how complete they are.
package enum SymbolSource: Hashable, Sendable {
  /// The image's own symbol table: every function, the local ones too.
  case symbolTable
  /// DWARF in the image itself, which has no symbol table, and its dynamic symbols.
  case debugInformation
  /// The symbol table of the debug file at `path`.
  case debugFile(path: String)
  /// DWARF in the debug file at `path`, which has no symbol table either, and the image's dynamic
  /// symbols.
  case debugFileInformation(path: String)
  /// The image was stripped: only what it exports and imports has a name. An address between two
  /// exported functions may belong to a third one that has none.
  case dynamicSymbols
}
