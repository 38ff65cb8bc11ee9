/// The sizes of an image's file, and of the parts of it that grow when functions are split.
package struct ImageSizes: Hashable, Sendable {
  /// The size of the whole file, with debug information and maps.
  package var fileBytes: UInt64
  package var sections: Int
  /// The size of all sections with instructions.
  package var codeBytes: UInt64
  /// The size of the tables by which exceptions and backtraces find a caller.
  package var unwindBytes: UInt64
  /// The size of the symbol table that stripping removes, with its names; 0 if it was removed.
  package var symbolTableBytes: UInt64
  package var symbols: Int

  package init(
    fileBytes: UInt64, sections: Int, codeBytes: UInt64, unwindBytes: UInt64,
    symbolTableBytes: UInt64, symbols: Int
  ) {
    self.fileBytes = fileBytes
    self.sections = sections
    self.codeBytes = codeBytes
    self.unwindBytes = unwindBytes
    self.symbolTableBytes = symbolTableBytes
    self.symbols = symbols
  }
}
