import Addresses
import ByteReading
import ImageModel
import LinkMapFormat

/// Collects the functions of a link map. Layout+LinkMap.swift describes the rules.
struct LinkMapFunctions {
  private let map: LinkMap
  private let code: LinkMapCodeSections
  /// For each output section of the map, its index in the layout.
  private let layoutIndexes: [UInt32?]

  private(set) var functions: [PlacedSymbol] = []
  /// The name table of the functions.
  private(set) var names: [UInt8] = []
  /// The functions whose sections were discarded, and data.
  private(set) var absentSymbols: [AbsentSymbol] = []

  /// The number of functions named after their section, because the printed name was demangled.
  private var recovered = 0
  /// The number of functions with only a demangled name.
  private var demangledOnly = 0
  /// The number of input sections of code without any known function, and the number of their bytes.
  private var unnamedSections = 0
  private var unnamedBytes: UInt64 = 0

  /// Input sections of code in which no symbol is printed, although there may be one.
  private var silentSections: [Int] = []
  /// The places in the map of the names of printed functions; kept if there may be silent sections.
  private var printedNames: [LinkMap.Text] = []

  init(_ map: LinkMap, _ code: LinkMapCodeSections, _ layoutIndexes: [UInt32?]) {
    self.map = map
    self.code = code
    self.layoutIndexes = layoutIndexes
  }

  mutating func collect() {
    // In a typical map nearly every symbol is a function, and the name of its section contains its name. Reserved
    // memory that is not used is not touched.
    functions.reserveLargePages(max(map.symbols.count, map.inputSections.count))
    names.reserveLargePages(map.inputSections.reduce(0) { $0 + Int($1.name.count) })
    for index in map.inputSections.indices {
      let input = map.inputSections[index]
      guard let section = layoutIndexes[Int(input.section)] else { continue }
      if code.mayHoldFunctions(input) {
        addFunctions(ofInputSection: index, input, section)
      } else if !code.isLinkage[Int(input.section)] {
        addData(ofInputSection: index)
      }
    }
    nameSilentSections()
    for section in map.discardedSections {
      if let function = NamedSection(map.bytes, section.indices)?.function,
        let name = store(function, nil)
      {
        absentSymbols.append(AbsentSymbol(name: name, reason: .discarded))
      }
    }
  }
}

// MARK: Printed symbols

extension LinkMapFunctions {
  private mutating func addData(ofInputSection index: Int) {
    for symbol in map.symbols[map.symbolIndexes(ofInputSection: index)] {
      guard let name = store(withoutVersion(symbol.name.indices), nil) else { return }
      absentSymbols.append(AbsentSymbol(name: name, reason: .data))
    }
  }

  private mutating func addFunctions(
    ofInputSection index: Int, _ input: LinkMap.InputSection, _ section: UInt32
  ) {
    let indexes = map.symbolIndexes(ofInputSection: index)
    if indexes.count == 1, let symbol = map.symbols[indexes].first, isFunction(symbol, in: input) {
      // The usual case, one section per function, is handled without an array.
      var naming = SectionNaming(map.bytes, input)
      naming.isAloneAtStart = symbol.address == input.range.start
      return add(symbol, upTo: input.range.end, hasSizedAlias: false, &naming, section)
    }
    let sorted = indexes.filter { isFunction(map.symbols[$0], in: input) }.sorted {
      (map.symbols[$0].address, $0) < (map.symbols[$1].address, $1)
    }
    guard !sorted.isEmpty else {
      // gold lists its own pieces without a file, mainly fill between functions.
      if !map.grammar.listsLocalSymbols, input.range.size > 0, input.file.count > 0 {
        silentSections.append(index)
      }
      return
    }
    var naming = SectionNaming(map.bytes, input)
    naming.isNameTaken = sorted.contains { naming.isName(map.symbols[$0].name.indices) }
    // Symbols are added in groups of one address; a group keeps the order of the map.
    var start = 0
    while start < sorted.count {
      let address = map.symbols[sorted[start]].address
      var end = start + 1
      while end < sorted.count, map.symbols[sorted[end]].address == address { end += 1 }
      let group = sorted[start..<end]
      let next = end < sorted.count ? map.symbols[sorted[end]].address : input.range.end
      let hasSized = group.contains { map.symbols[$0].size > 0 }
      naming.isAloneAtStart = group.count == 1 && address == input.range.start
      for symbol in group {
        add(map.symbols[symbol], upTo: next, hasSizedAlias: hasSized, &naming, section)
      }
      start = end
    }
  }

  /// Whether the symbol can be a function, and not a mark of an assembler or compiler.
  private func isFunction(_ symbol: LinkMap.Symbol, in input: LinkMap.InputSection) -> Bool {
    guard input.range.contains(symbol.address) else { return false }
    let name = symbol.name.indices
    guard name.count >= 2 else { return !name.isEmpty }
    switch map.bytes[name.lowerBound] {
    case UInt8(ascii: "."): return map.bytes[name.lowerBound + 1] != UInt8(ascii: "L")
    case UInt8(ascii: "$"): return !isMappingSymbol(map.bytes, name)
    default: return true
    }
  }

  /// Adds a printed symbol if its mangled name is known.
  private mutating func add(
    _ symbol: LinkMap.Symbol, upTo end: StatedAddress, hasSizedAlias: Bool,
    _ naming: inout SectionNaming, _ section: UInt32
  ) {
    if symbol.size == 0, hasSizedAlias { return }
    let size = symbol.size > 0 ? symbol.size : end.rawValue - symbol.address.rawValue
    let printed = withoutVersion(symbol.name.indices)
    var function = printed
    var suffix: String?
    if !naming.isName(printed) {
      switch naming.name(ofSymbolPrinted: printed, at: symbol.address) {
      case .printed: break
      case .section(let name, let cold):
        function = name
        suffix = cold
        recovered += 1
      case .unknown:
        demangledOnly += 1
        return
      }
    }
    append(function, suffix, at: symbol.address, size: size, &naming, section, isLocal: false)
    if !map.grammar.listsLocalSymbols, suffix == nil { printedNames.append(LinkMap.Text(function)) }
  }

  /// Returns `name` as order files write it: `f` for `f@@V1` and `f@V1`.
  private func withoutVersion(_ name: Range<Int>) -> Range<Int> {
    guard let at = map.bytes.firstIndex(of: UInt8(ascii: "@"), in: name), at > name.lowerBound
    else { return name }
    return name.lowerBound..<at
  }

  /// Appends a function and its names. The section's name is stored once, and the function's name is a part of it where
  /// possible.
  private mutating func append(
    _ function: Range<Int>, _ suffix: String?, at address: StatedAddress, size: UInt64,
    _ naming: inout SectionNaming, _ section: UInt32, isLocal: Bool
  ) {
    guard let inputSection = naming.reference ?? store(naming.sectionName, nil)
    else { return }
    naming.reference = inputSection
    var name: NameReference?
    if suffix == nil, naming.isName(function) {
      let count = UInt32(function.count)
      name = NameReference(
        offset: inputSection.offset + inputSection.count - count, count: count)
    } else {
      name = store(function, suffix)
    }
    guard let name else { return }
    functions.append(
      PlacedSymbol(
        name: name, address: address, size: size, section: section, inputSection: inputSection,
        isLocal: isLocal))
  }

  /// - Returns: `nil` if the names would exceed 4 GiB.
  private mutating func store(_ text: Range<Int>, _ suffix: String?) -> NameReference? {
    let start = names.count
    let count = text.count + (suffix?.utf8.count ?? 0)
    guard start + count <= Int(UInt32.max) else { return nil }
    map.bytes.append(text, to: &names)
    if let suffix { names += suffix.utf8 }
    return NameReference(offset: UInt32(start), count: UInt32(count))
  }
}

// MARK: Sections without printed symbols

extension LinkMapFunctions {
  /// Names the functions in sections where GNU ld or gold printed no symbol.
  private mutating func nameSilentSections() {
    guard !silentSections.isEmpty else { return }
    // The names to look for are collected first: they are fewer than all names.
    var byFunction: [NameKey: [Int]] = [:]
    for index in silentSections {
      guard let name = functionSection(index) else { continue }
      byFunction[key(of: name), default: []].append(index)
    }
    let printed = silentSectionsOfPrintedFunctions(byFunction)
    let split = silentSectionsWithAnotherPart(byFunction)
    for index in silentSections {
      let input = map.inputSections[index]
      guard let name = functionSection(index), let section = layoutIndexes[Int(input.section)]
      else {
        leaveUnnamed(input)
        continue
      }
      let suffix = name.part.suffix ?? (split.contains(index) ? ".cold" : nil)
      if suffix == nil, printed.contains(index) {
        leaveUnnamed(input)
        continue
      }
      var naming = SectionNaming(map.bytes, input)
      append(
        name.function, suffix, at: input.range.start, size: input.range.size, &naming, section,
        isLocal: true)
    }
  }

  private func functionSection(_ index: Int) -> NamedSection? {
    NamedSection(map.bytes, map.inputSections[index].name.indices)
  }

  private func key(of name: NamedSection) -> NameKey { NameKey(map.bytes.copy(name.function)) }

  /// The silent sections named after a function that is printed elsewhere.
  private func silentSectionsOfPrintedFunctions(_ byFunction: [NameKey: [Int]]) -> Set<Int> {
    var found: Set<Int> = []
    var others = byFunction
    for name in printedNames {
      // A name is removed when it is first found, because it may be printed as often as it has sections.
      let sections = others.removeValue(forKey: NameKey(map.bytes.copy(name.indices)))
      found.formUnion(sections ?? [])
    }
    return found
  }

  /// The silent sections of cold code whose function has another section in the same object file.
  private func silentSectionsWithAnotherPart(_ byFunction: [NameKey: [Int]]) -> Set<Int> {
    var others: [FunctionOfFile: [Int]] = [:]
    for index in silentSections {
      guard let name = functionSection(index), name.part == .unlikely else { continue }
      others[functionOfFile(name, index), default: []].append(index)
    }
    guard !others.isEmpty else { return [] }
    var found: Set<Int> = []
    for (index, input) in map.inputSections.enumerated() where code.mayHoldFunctions(input) {
      guard let name = functionSection(index), name.part == .whole, byFunction[key(of: name)] != nil
      else { continue }
      found.formUnion(others.removeValue(forKey: functionOfFile(name, index)) ?? [])
    }
    return found
  }

  /// A function's name and its object file.
  private struct FunctionOfFile: Hashable {
    var function: NameKey
    var file: NameKey
  }

  private func functionOfFile(_ name: NamedSection, _ inputSection: Int) -> FunctionOfFile {
    FunctionOfFile(
      function: key(of: name),
      file: NameKey(map.bytes.copy(map.inputSections[inputSection].file.indices)))
  }

  private mutating func leaveUnnamed(_ input: LinkMap.InputSection) {
    // `.init` and `.fini` are one function each, assembled from several object files.
    let name = input.name.indices.lowerBound
    if map.bytes.hasPrefix(".init", at: name) || map.bytes.hasPrefix(".fini", at: name) { return }
    unnamedSections += 1
    unnamedBytes += min(input.range.size, UInt64.max - unnamedBytes)
  }
}

// MARK: What the map did not say

extension LinkMapFunctions {
  /// At most one warning for each kind of missing information.
  var diagnostics: [Diagnostic] {
    var found: [Diagnostic] = []
    if recovered + demangledOnly > 0 {
      found.append(
        Diagnostic(
          "link map of \(map.grammar.name) has demangled names: "
            + "\(recovered) \(recovered == 1 ? "function" : "functions") named after sections, \(demangledOnly) left out",
          remedies: [Remedy("link with -Wl,--no-demangle"), .imageInsteadOfMap]))
    }
    if unnamedSections > 0 {
      found.append(
        Diagnostic(
          "link map of \(map.grammar.name) has no local symbols: \(unnamedSections) input sections "
            + "of code left out, \(unnamedBytes) bytes",
          remedies: [.imageInsteadOfMap]))
    }
    return found
  }
}

extension Remedy {
  fileprivate static let imageInsteadOfMap = Remedy("use the image itself")
}
