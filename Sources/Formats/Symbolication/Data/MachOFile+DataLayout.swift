import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension MachOFile {
  /// The data of C, C++ and Swift in `__const`, `__data`, `__bss` and `__common`, and the strings of `__cstring`.
  ///
  /// - Throws: the error in the symbol table.
  func dataLayout() throws(ParseError) -> DataLayout {
    var kept: [(section: Section, kind: DataKind, contents: ByteRange?)] = []
    for section in sections {
      guard let kind = Self.kind(of: section), section.range.size > 0 else { continue }
      kept.append(
        (
          Section(
            name: SymbolName(bytes: section.name), range: section.range, isExecutable: false),
          kind, kind == .zeroFilled ? nil : try? contents(of: section)
        ))
    }
    return DataLayout(
      sections: kept, symbols: try dataSymbols(in: kept.map(\.section)), relocatedWords: [],
      format: .machO, bytes: bytes)
  }

  private static func kind(of section: MachOSection) -> DataKind? {
    if section.type == .cStringLiterals { return .strings }
    guard section.type == .regular || section.type == .zeroFill, !section.holdsInstructions else {
      return nil
    }
    let isInText = section.segmentName.elementsEqual("__TEXT".utf8)
    switch String(decoding: section.sectionName, as: UTF8.self) {
    case "__const": return isInText ? .constants : .relocatedConstants
    case "__data": return .variables
    case "__bss", "__common": return .zeroFilled
    default: return nil
    }
  }

  private func dataSymbols(in sections: [Section]) throws(ParseError) -> NamedFunctions {
    guard let table = try symbolTable() else { return NamedFunctions() }
    let strings = table.names.range.indices
    var found = NamedFunctions(names: NameTable(bytes: table.names.bytes.copy(strings)))
    var budget = ByteBudget(namesIn: strings.count)
    var places = CodeSections(sections) { _ in true }
    table.forEachSymbol { symbol in
      guard symbol.isInSection, symbol.nameOffset != 0,
        let section = places.index(containing: symbol.value), !budget.isSpent,
        let name = table.names.name(at: symbol.nameOffset)?.indices, !name.isEmpty,
        budget.take(name.count), !isLinkersOwn(bytes.copy(name)[...])
      else { return }
      found.functions.append(
        PlacedSymbol(
          name: NameReference(
            offset: UInt32(name.lowerBound - strings.lowerBound), count: UInt32(name.count)),
          address: symbol.value, section: section,
          isLocal: !symbol.type.isExternal && !symbol.type.isPrivateExternal))
    }
    return found
  }
}
