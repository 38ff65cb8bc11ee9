import Addresses
import ByteReading

/// The symbols of a Mach-O file. Reading a symbol costs no allocation. `symtab_command` in `mach-o/loader.h`
package struct MachOSymbolTable: Sendable {
  /// The names of the symbols: at most 4 GiB, because `strsize` has 32 bits.
  package let names: StringTable
  /// The number of entries, including entries for debuggers.
  package let count: Int
  private let bytes: FileBytes
  private let start: Int

  /// Parses a `LC_SYMTAB`.
  ///
  /// - Throws: `truncated` if the table or its names exceed the file.
  init(_ command: LoadCommand, of file: MachOFile) throws(ParseError) {
    var input = command.contents(file.bytes)
    let offset = UInt64(try input.read(UInt32.self, "symoff"))
    let count = try input.read(UInt32.self, "nsyms")
    let namesOffset = UInt64(try input.read(UInt32.self, "stroff"))
    let namesSize = UInt64(try input.read(UInt32.self, "strsize"))
    let table = try file.range(offset: offset, size: UInt64(count) * 16, "nsyms")
    names = StringTable(
      file.bytes, try file.range(offset: namesOffset, size: namesSize, "strsize"))
    self.count = Int(count)
    bytes = file.bytes
    start = table.indices.lowerBound
  }

  /// The entry at `index`: a symbol, or an entry for debuggers.
  ///
  /// - Precondition: `index` is below `count`.
  package subscript(index: Int) -> MachOSymbol {
    precondition(index >= 0 && index < count, "the caller compared index with count")
    // The initializer has checked the table's range. No cursor is used, because this code runs once per symbol.
    let at = start + index * 16
    return MachOSymbol(
      nameOffset: UInt32(littleEndian: bytes.loadUnaligned(UInt32.self, at: at)),
      type: MachOSymbolType(rawValue: bytes[at + 4]),
      sectionNumber: bytes[at + 5],
      description: MachOSymbolDescription(
        rawValue: UInt16(littleEndian: bytes.loadUnaligned(UInt16.self, at: at + 6))),
      value: StatedAddress(
        rawValue: UInt64(littleEndian: bytes.loadUnaligned(UInt64.self, at: at + 8))))
  }

  /// Calls `body` with each symbol, in the order of the file, without entries for debuggers.
  ///
  /// - Complexity: O(*n*) for *n* entries, without an allocation.
  package func forEachSymbol(_ body: (MachOSymbol) -> Void) {
    for index in 0..<count {
      let symbol = self[index]
      if !symbol.type.isDebugging { body(symbol) }
    }
  }
}

extension MachOFile {
  /// All symbols in the file; `nil` if it has no symbol table, or an empty symbol table.
  package func symbolTable() throws(ParseError) -> MachOSymbolTable? {
    guard let command = command(.symbolTable) else { return nil }
    let table = try MachOSymbolTable(command, of: self)
    return table.count > 0 ? table : nil
  }
}
