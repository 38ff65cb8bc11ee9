import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension ELFFile {
  /// The data that come from input sections of object files: `.rodata`, `.data.rel.ro`, `.data`, `.bss`, and sections
  /// whose names begin like these.
  ///
  /// - Throws: the error in the symbol table.
  func dataLayout() throws(ParseError) -> DataLayout {
    var kept: [(section: Section, kind: DataKind, contents: ByteRange?)] = []
    for section in sections {
      let name = bytes.copy(section.name.indices)
      guard let kind = Self.kind(of: section, name) else { continue }
      kept.append(
        (
          Section(name: SymbolName(bytes: name), range: section.range, isExecutable: false), kind,
          kind == .zeroFilled ? nil : try? contents(of: section)
        ))
    }
    var words: [StatedAddress] = []
    do { try forEachRelocatedWord { words.append($1) } } catch { words = [] }
    return DataLayout(
      sections: kept, symbols: try dataSymbols(in: kept.map(\.section)), relocatedWords: words,
      format: .elf, bytes: bytes)
  }

  private static func kind(of section: ELFSection, _ name: [UInt8]) -> DataKind? {
    guard section.flags.contains(.allocated), section.size > 0,
      section.flags.isDisjoint(with: [.executable, .threadLocal])
    else { return nil }
    func isNamed(_ beginning: String) -> Bool {
      name.starts(with: beginning.utf8)
        && (name.count == beginning.utf8.count || name[beginning.utf8.count] == UInt8(ascii: "."))
    }
    if section.type == .noBits {
      return isNamed(".bss") || isNamed(".lbss") || isNamed(".sbss") ? .zeroFilled : nil
    }
    guard section.type == .programBits else { return nil }
    if isNamed(".data.rel.ro") { return .relocatedConstants }
    if isNamed(".data") || isNamed(".ldata") || isNamed(".sdata") { return .variables }
    return isNamed(".rodata") || isNamed(".lrodata") ? .constants : nil
  }

  /// The symbols of data in `sections`; only the dynamic symbols, if the image is stripped.
  private func dataSymbols(in sections: [Section]) throws(ParseError) -> NamedFunctions {
    let table: ELFSymbolTable
    if let whole = try symbolTable() {
      table = whole
    } else if let dynamic = try dynamicSymbolTable() {
      table = dynamic
    } else {
      return NamedFunctions()
    }
    var found = NamedFunctions(
      names: NameTable(bytes: table.names.bytes.copy(table.names.range.indices)))
    let names = ELFFunctionNames(table.names)
    var budget = ByteBudget(namesIn: table.names.range.byteCount)
    var places = CodeSections(sections) { _ in true }
    var labels: [PlacedSymbol] = []
    table.forEachSymbol { symbol in
      guard symbol.sectionIndex.isInSection, symbol.nameOffset != 0,
        symbol.type == .object || symbol.type == .none,
        let section = places.index(containing: symbol.value), !budget.isSpent,
        let name = names.reference(at: symbol.nameOffset), name.count > 0,
        budget.take(Int(name.count)), !names.isMappingSymbol(name)
      else { return }
      let variable = PlacedSymbol(
        name: name, address: symbol.value, size: symbol.size, section: section,
        isLocal: symbol.binding == .local)
      if symbol.type == .object {
        found.functions.append(variable)
      } else if !Self.isLinkersLabel(found.names[name]) {
        labels.append(variable)
      }
    }
    ELFFunctionSymbols.removeInner(&labels, of: found.functions)
    let typed = Set(found.functions.map(\.address))
    found.functions += labels.filter { !typed.contains($0.address) }
    return found
  }

  /// Whether linkers define the label, at a border of a section: no input section has it.
  private static func isLinkersLabel(_ name: ArraySlice<UInt8>) -> Bool {
    ["__bss_start", "_edata", "edata", "_end", "end", "_GLOBAL_OFFSET_TABLE_"].contains {
      name.elementsEqual($0.utf8)
    }
  }
}
