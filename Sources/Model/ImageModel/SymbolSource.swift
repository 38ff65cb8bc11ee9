/// The source of an image's function names, which determines how complete they are.
package enum SymbolSource: Hashable, Sendable {
  /// The names come from the image's symbol table: all functions, including local ones.
  case symbolTable
  /// The names come from DWARF in the image itself, which has no symbol table, and from its dynamic symbols.
  case debugInformation
  /// The names come from the symbol table of the debug file at `path`.
  case debugFile(path: String)
  /// The names come from DWARF in the debug file at `path`, which has no symbol table either, and from the image's
  /// dynamic symbols.
  case debugFileInformation(path: String)
  /// The dynamic symbols of a stripped image: only imports and exports have names. An address between two
  /// exported functions may belong to a third function without a name.
  case dynamicSymbols
}
