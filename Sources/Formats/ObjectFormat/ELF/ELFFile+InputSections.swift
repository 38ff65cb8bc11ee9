import Addresses
import ByteReading

/// A section of code that an object file gives to the linker, with the names of the functions in it.
package struct InputSection: Hashable, Sendable {
  package var name: [UInt8]
  /// The size in bytes.
  package var size: UInt64
  /// The names of functions and of untyped labels, in the order of the symbol table.
  package var symbols: [[UInt8]] = []

  package init(name: [UInt8], size: UInt64, symbols: [[UInt8]] = []) {
    self.name = name
    self.size = size
    self.symbols = symbols
  }
}

extension ELFFile {
  /// Returns the sections of code of this object file that have one of the wanted symbols, in the order of the file. A
  /// section has only its wanted symbols.
  ///
  /// Symbols whose section index is in `SHT_SYMTAB_SHNDX` are left out: only objects with more than 65,279 sections
  /// have such symbols.
  ///
  /// - Throws: the error in the symbol table; `tooLarge` for names that overlap too much.
  /// - Complexity: O(*n*) for *n* symbols and bytes of their names.
  package func inputSections(
    with isWanted: (NameKey) -> Bool
  ) throws(ParseError) -> [InputSection] {
    guard let table = try symbolTable() else { return [] }
    var budget = ByteBudget(namesIn: table.names.range.byteCount)
    var found: [Int: InputSection] = [:]
    for index in 0..<max(table.count - 1, 0) {
      let symbol = table[index + 1]
      let section = Int(symbol.sectionIndex.rawValue)
      guard [.function, .indirectFunction, .none].contains(symbol.type), symbol.nameOffset != 0,
        symbol.sectionIndex.isInSection, symbol.sectionIndex != .extended,
        section < sections.count,
        sections[section].flags.isSuperset(of: [.allocated, .executable]),
        let range = table.names.name(at: symbol.nameOffset)
      else { continue }
      try budget.take(range.byteCount, "symbol names", at: range.lowerBound)
      let name = bytes.copy(range.indices)
      guard isWanted(NameKey(name)) else { continue }
      let new = InputSection(
        name: bytes.copy(sections[section].name.indices), size: sections[section].size)
      found[section, default: new].symbols.append(name)
    }
    return found.keys.sorted().compactMap { found[$0] }
  }

  /// Whether the file has code for link-time optimization by gcc or LLVM, from which the linker makes other code.
  package var hasLinkTimeCode: Bool {
    sections.contains { section in
      [".gnu.lto_", ".llvm.lto"].contains {
        section.name.byteCount >= $0.utf8CodeUnitCount
          && bytes.hasPrefix($0, at: section.name.indices.lowerBound)
      }
    }
  }
}
