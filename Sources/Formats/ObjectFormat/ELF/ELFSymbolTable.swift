import Addresses
import ByteReading

/// The symbols of one `SHT_SYMTAB` or `SHT_DYNSYM` section. Reading a symbol costs no allocation.
/// <https://gabi.xinuos.com/elf/05-symtab.html>
package struct ELFSymbolTable: Sendable {
  package let type: ELFSectionType
  /// The names of the symbols: at most 4 GiB, because `st_name` has 32 bits.
  package let names: StringTable
  /// The number of symbols, including the reserved symbol at index 0.
  package let count: Int
  private let bytes: FileBytes
  private let start: Int
  private let is64Bit: Bool
  private let swapsBytes: Bool

  /// - Throws: `truncated` if the table or its names exceed the file; `invalid` for another entry size, and
  ///   for names that are not in a string table; `tooLarge` for names of more than 4 GiB.
  init(_ section: ELFSection, of file: ELFFile) throws(ParseError) {
    let entrySize: UInt64 = file.header.is64Bit ? 24 : 16
    guard section.entrySize == entrySize else {
      throw ParseError(
        .invalid(expected: "\(entrySize)", found: "\(section.entrySize)"), "sh_entsize",
        at: section.offset)
    }
    guard Int(section.link) < file.sections.count,
      file.sections[Int(section.link)].type == .stringTable
    else {
      throw ParseError(
        .invalid(expected: "a string table", found: "section \(section.link)"), "sh_link",
        at: section.offset)
    }
    let table = try file.contents(of: section).indices
    names = StringTable(
      file.bytes, try file.contents(of: file.sections[Int(section.link)]))
    guard names.range.byteCount <= Int(UInt32.max) else {
      throw ParseError(
        .tooLarge(limit: UInt64(UInt32.max), found: UInt64(names.range.byteCount)), "sh_size",
        at: names.range.lowerBound)
    }
    type = section.type
    count = table.count / Int(entrySize)
    start = table.lowerBound
    bytes = file.bytes
    is64Bit = file.header.is64Bit
    swapsBytes = file.header.endianness == .big
  }

  /// The table that the dynamic section names, for a file without section headers. Nothing states its length: it ends
  /// where its names begin, because linkers place the names after it, or at the end of its segment.
  ///
  /// - Returns: `nil` if the dynamic section names no symbols.
  /// - Throws: `truncated` if the table is not in the file.
  init?(named dynamic: ELFDynamicTable, in file: ELFFile) throws(ParseError) {
    guard let address = dynamic.value(.symbolTable).map(StatedAddress.init(rawValue:)) else {
      return nil
    }
    let rest = try file.range(from: address, "DT_SYMTAB")
    let namesStart = dynamic.names.range.lowerBound
    let end = rest.lowerBound < namesStart ? min(namesStart, rest.upperBound) : rest.upperBound
    let table = (rest.lowerBound..<end).indices
    type = .dynamicSymbolTable
    names = dynamic.names
    count = table.count / (file.header.is64Bit ? 24 : 16)
    start = table.lowerBound
    bytes = file.bytes
    is64Bit = file.header.is64Bit
    swapsBytes = file.header.endianness == .big
  }

  /// The symbol at `index`.
  ///
  /// - Precondition: `index` is below `count`.
  package subscript(index: Int) -> ELFSymbol {
    precondition(index >= 0 && index < count, "the caller compared index with count")
    // The initializer has checked the table's range. No cursor is used, because this code runs once per symbol.
    let info: UInt8
    let other: UInt8
    let sectionIndex: UInt16
    let name: UInt32
    let value: UInt64
    let size: UInt64
    if is64Bit {
      let at = start + index * 24
      name = load(UInt32.self, at)
      info = load(UInt8.self, at + 4)
      other = load(UInt8.self, at + 5)
      sectionIndex = load(UInt16.self, at + 6)
      value = load(UInt64.self, at + 8)
      size = load(UInt64.self, at + 16)
    } else {
      let at = start + index * 16
      name = load(UInt32.self, at)
      value = UInt64(load(UInt32.self, at + 4))
      size = UInt64(load(UInt32.self, at + 8))
      info = load(UInt8.self, at + 12)
      other = load(UInt8.self, at + 13)
      sectionIndex = load(UInt16.self, at + 14)
    }
    return ELFSymbol(
      nameOffset: name, type: ELFSymbolType(rawValue: info & 0xf),
      binding: ELFSymbolBinding(rawValue: info >> 4), isHidden: other & 3 == 2,
      sectionIndex: ELFSectionIndex(rawValue: sectionIndex),
      value: StatedAddress(rawValue: value), size: size)
  }

  private func load<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type, _ index: Int) -> T {
    let raw = bytes.loadUnaligned(T.self, at: index)
    return swapsBytes ? T(bigEndian: raw) : T(littleEndian: raw)
  }

  /// Calls `body` with each symbol except the reserved symbol, in the order of the file.
  ///
  /// - Complexity: O(*n*) for *n* symbols, without an allocation.
  package func forEachSymbol(_ body: (ELFSymbol) -> Void) {
    for index in 0..<max(count - 1, 0) { body(self[index + 1]) }
  }
}

extension ELFFile {
  /// All symbols that the linker wrote; `nil` if they were stripped.
  package func symbolTable() throws(ParseError) -> ELFSymbolTable? {
    guard let section = section(.symbolTable), section.size > 0 else { return nil }
    return try ELFSymbolTable(section, of: self)
  }

  /// The symbols that the loader needs, which stripping keeps; `nil` for a static executable.
  package func dynamicSymbolTable() throws(ParseError) -> ELFSymbolTable? {
    guard let section = section(.dynamicSymbolTable), section.size > 0
    else { return nil }
    return try ELFSymbolTable(section, of: self)
  }
}
