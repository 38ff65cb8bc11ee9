import Addresses
import ByteReading
import ImageModel
import OrderFileFormat
import Symbolication

/// The symbols that an order file lists, and the functions of a layout that each of them moves.
struct OrderedSymbols {
  /// The symbols that the order file lists, in the order of their first entries.
  private(set) var symbols: [OrderedSymbol] = []
  /// Entries that do not count because an equal entry does; ascending.
  private(set) var duplicates: [Int] = []
  /// The symbols that name data; they are not among `symbols`.
  private(set) var data: [OrderedSymbol] = []
  /// The entries that name a section only, if the layout does not show which functions a section has; they are not
  /// among `symbols`.
  private(set) var untold: [OrderedSymbol] = []
  /// The part of names to compare, in Mach-O layouts and their order files.
  private let names: Names

  /// The part of symbols' names that a Mach-O linker compares.
  enum Names: CaseIterable {
    /// The whole name. For a function that no line names, the shortened name.
    case closest
    /// Only the whole name, as in LLD 20 and older. A line with the shortened name of a listed
    /// function counts as another spelling of the function's line.
    case whole
    /// The name without suffixes, as in LLD 21 and later: `f` for `f.llvm.1` and `f.__uniq.1`, in
    /// lines and in symbols. A line moves all functions whose shortened name is the same.
    case roots

    func part(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      switch self {
      case .closest, .whole: name
      case .roots: rootSymbol(name)
      }
    }
  }

  /// - Parameter architecture: the architecture of the layout; entries for another architecture are left out.
  init(
    _ order: OrderFile, in layout: Layout, architecture: Architecture?,
    comparing names: Names = .closest
  ) {
    self.names = names
    let index = collect(order, for: order.architecture(matching: architecture))
    if order.dialect.imageFormat == .machO {
      matchMachO(index, with: layout)
      countBodies(in: layout)
      if order.dialect.namesakes == .movesFirstInObjectFile { keepFirstBodies(in: layout) }
    } else {
      match(index, with: layout)
      countBodies(in: layout)
    }
    explainMissing(from: layout)
    data = symbols.filter(\.isData)
    if !data.isEmpty { symbols.removeAll(where: \.isData) }
    if order.dialect.namesSections, !layout.hasInputSections {
      untold = symbols.filter { $0.reasonIfMissing == .noSuchSection }
      if !untold.isEmpty { symbols.removeAll { $0.reasonIfMissing == .noSuchSection } }
    }
  }

  /// For each symbol that was not found, looks up the reason that the layout states.
  private mutating func explainMissing(from layout: Layout) {
    let missing = symbols.indices.filter { symbols[$0].reasonIfMissing == .noSuchSymbol }
    let reasons = layout.absences(of: missing.map { symbols[$0].name })
    for i in missing { symbols[i].absence = reasons[NameKey(symbols[i].name.bytes)] }
  }

  /// Maps the name of a function in an image or link map to the entries of the order file with this name.
  private struct Index {
    /// Indexes into `symbols`. Symbols in a certain object file are in `byObjectFile`.
    var bySymbol: [NameKey: Int] = [:]
    /// The entries that name an object file, by symbol.
    var byObjectFile: [NameKey: OfObjectFiles] = [:]
    /// Indexes into `symbols`, by the name to which LLD shortens a symbol.
    var byRoot: [NameKey: Int] = [:]
    /// Indexes into `symbols` and into the order file's entries, by section.
    var bySection: [NameKey: (ordered: Int, entry: Int)] = [:]

    /// Returns the next entry for `symbol` that names an object file, for a function whose object
    /// file is unknown. `taken` counts the entries that were returned before.
    func next(_ symbol: NameKey, _ taken: inout [NameKey: Int]) -> [Int] {
      guard let ofFiles = byObjectFile[symbol]?.all else { return [] }
      let next = taken[symbol] ?? 0
      taken[symbol] = next + 1
      return next < ofFiles.count ? [ofFiles[next]] : []
    }

    /// Whether the index has an entry for `symbol` in `objectFile`. `nil` looks for an entry
    /// without an object file.
    func holds(_ symbol: NameKey, of objectFile: NameKey?) -> Bool {
      guard let objectFile else { return bySymbol[symbol] != nil }
      return byObjectFile[symbol]?.of(objectFile).isEmpty == false
    }
  }

  /// The entries for a symbol that name an object file.
  private struct OfObjectFiles {
    /// Indexes into `symbols`, in the order of their entries.
    private(set) var all: [Int] = []
    private var ofFile: [NameKey: [Int]] = [:]
    /// The object files in which functions of this symbol were found; at most two, because more make no difference.
    private var filesOfFunctions: Set<NameKey> = []

    mutating func append(_ ordered: Int, of file: [UInt8]) {
      all.append(ordered)
      ofFile[NameKey(file), default: []].append(ordered)
    }

    func of(_ file: NameKey) -> [Int] { ofFile[file] ?? [] }

    /// Notes that a function of this symbol is in `file`. Returns the entries for other object files than `file`. The
    /// second file returns all entries, because each of them is now known to have a function elsewhere. Further files
    /// return nothing.
    mutating func others(than file: NameKey) -> [Int] {
      guard filesOfFunctions.count < 2, filesOfFunctions.insert(file).inserted else { return [] }
      guard filesOfFunctions.count == 1 else { return all }
      let own = Set(of(file))
      return all.filter { !own.contains($0) }
    }
  }

  private mutating func collect(_ order: OrderFile, for architecture: [UInt8]?) -> Index {
    let effective = Self.effectiveEntries(of: order)
    var index = Index()
    for (i, entry) in order.entries.enumerated() {
      guard entry.architecture == nil || entry.architecture == architecture else { continue }
      guard effective[i] else {
        duplicates.append(i)
        continue
      }
      let ordered: Int
      let symbol = NameKey(entry.symbol)
      if order.dialect.imageFormat == .machO {
        collectMachO(entry, at: i, order.dialect.namesakes, &index)
        continue
      }
      if let known = index.bySymbol[symbol], !entry.symbol.isEmpty {
        ordered = known
        symbols[ordered].entries.append(i)
      } else {
        ordered = symbols.count
        symbols.append(OrderedSymbol(entry, at: i))
        if !entry.symbol.isEmpty { index.bySymbol[symbol] = ordered }
      }
      if order.dialect.namesSections, let section = entry.section.map({ NameKey($0) }),
        index.bySection[section] == nil
      {
        index.bySection[section] = (ordered, i)
      }
    }
    return index
  }

  /// For each entry, whether it is the entry that counts among equal entries.
  private static func effectiveEntries(of order: OrderFile) -> [Bool] {
    var isEffective = [Bool](repeating: false, count: order.entries.count)
    var seen: Set<LineKey> = []
    let indexes = Array(order.entries.indices)
    for i in order.dialect.lastDuplicateWins ? indexes.reversed() : indexes {
      isEffective[i] = seen.insert(LineKey(order.entries[i], order.dialect)).inserted
    }
    return isEffective
  }

  private mutating func collectMachO(
    _ entry: OrderFileEntry, at i: Int, _ rule: OrderFileDialect.NamesakeRule, _ index: inout Index
  ) {
    let symbol = NameKey(names.part(of: entry.symbol[...]))
    if rule == .movesAll, index.bySymbol[symbol] != nil {
      duplicates.append(i)  // the line without an object file counts for each object file
      return
    }
    let ordered = symbols.count
    symbols.append(OrderedSymbol(entry, at: i))
    if names == .roots, index.holds(symbol, of: entry.objectFile.map { NameKey($0) }) {
      symbols[ordered].isSpeltOtherwise = true
      return
    }
    if let file = entry.objectFile, rule != .movesAll {
      index.byObjectFile[symbol, default: OfObjectFiles()].append(ordered, of: file)
    } else {
      index.bySymbol[symbol] = ordered
      let root = rootSymbol(entry.symbol[...])
      if root.count < entry.symbol.count, index.byRoot[NameKey(root)] == nil {
        index.byRoot[NameKey(root)] = ordered
      }
    }
  }

  private mutating func matchMachO(_ given: Index, with layout: Layout) {
    var index = given
    // For each symbol, the number of its entries with an object file to which a function with an unknown object file
    // has been assigned.
    var taken: [NameKey: Int] = [:]
    for (i, function) in layout.functions.enumerated() {
      let name = layout.names[function.name]
      let symbol = NameKey(names.part(of: name))
      let file = function.objectFile.map { layout.names[$0] }
      var matching = index.bySymbol[symbol].map { [$0] } ?? []
      if let file = file.map({ NameKey($0) }) {
        matching += index.byObjectFile[symbol]?.of(file) ?? []
        for other in index.byObjectFile[symbol]?.others(than: file) ?? [] {
          symbols[other].isInOtherObjectFile = true
        }
      } else {
        matching += index.next(symbol, &taken)
      }
      for spelling in [cutPromotion(name), rootSymbol(name)]
      where names != .roots && spelling.count < name.count {
        let key = NameKey(spelling)
        var spelt = index.bySymbol[key].map { [$0] } ?? []
        if let file {
          spelt += index.byObjectFile[key]?.of(NameKey(file)) ?? []
        } else if matching.isEmpty {
          spelt += index.next(key, &taken)
        } else {
          spelt += index.byObjectFile[key]?.all ?? []
        }
        if !matching.isEmpty {
          for ordered in spelt { symbols[ordered].isSpeltOtherwise = true }
        } else if names == .closest {
          matching = spelt
        }
      }
      if matching.isEmpty, names == .closest,
        let ordered = index.byRoot[NameKey(rootSymbol(name))]
      {
        matching = [ordered]
      }
      for ordered in matching { symbols[ordered].found.append((symbols[ordered].entries[0], i)) }
    }
  }

  /// Counts the bodies of the symbols for which more than one function was found.
  private mutating func countBodies(in layout: Layout) {
    for ordered in symbols.indices where symbols[ordered].found.count > 1 {
      let places = symbols[ordered].found.map { layout.functions[$0.function].address }
      symbols[ordered].bodies = Set(places).count
    }
  }

  /// Leaves each symbol only the first of the bodies that have its name.
  private mutating func keepFirstBodies(in layout: Layout) {
    for ordered in symbols.indices {
      guard let first = symbols[ordered].found.first else { continue }
      let address = layout.functions[first.function].address
      symbols[ordered].found.removeAll { layout.functions[$0.function].address != address }
    }
  }

  private mutating func match(_ index: Index, with layout: Layout) {
    let shared = SharedInputSections(layout)
    for (i, function) in layout.functions.enumerated() {
      let isShared = shared.holds(function, of: layout)
      if let reference = function.inputSection,
        let (ordered, entry) = index.bySection[NameKey(layout.names[reference])], !isShared
      {
        symbols[ordered].found.append((entry, i))
      } else if let ordered = index.bySymbol[NameKey(layout.names[function.name])] {
        if isShared {
          symbols[ordered].isInSharedSection = true
        } else if function.inputSection != nil, !index.bySection.isEmpty {
          symbols[ordered].isInOtherSection = true
        } else {
          symbols[ordered].found.append((symbols[ordered].entries[0], i))
        }
      }
    }
  }
}

/// The key by which two lines of an order file are equal.
struct LineKey: Hashable {
  var name: NameKey
  var objectFile: NameKey?
  var architecture: [UInt8]?

  init(_ entry: OrderFileEntry, _ dialect: OrderFileDialect) {
    name = NameKey(dialect.namesSections ? entry.section ?? [] : entry.symbol)
    objectFile = entry.objectFile.map { NameKey($0) }
    architecture = entry.architecture
  }
}

/// A symbol or a section that an order file lists.
struct OrderedSymbol {
  /// The entries of the symbol in the order file; several if they name candidate sections of the same function.
  var entries: [Int]
  var name: SymbolName
  /// Whether `name` is a symbol and not only a section.
  var namesSymbol: Bool
  /// The functions of the layout that move, and the entry that moves each.
  var found: [(entry: Int, function: Int)] = []
  /// The number of bodies with the symbol's name, including bodies that the linker leaves where they are; 1 if there is
  /// none.
  var bodies = 1
  /// Whether the order file has another entry for the same function, with the name spelled as in the layout.
  var isSpeltOtherwise = false
  /// Whether a function of this name comes from another object file.
  var isInOtherObjectFile = false
  /// Whether a function of this name is in a section with other functions.
  var isInSharedSection = false
  /// Whether a function of this name is in a section that no entry names.
  var isInOtherSection = false
  /// Why the layout has no function of this name, if the layout states a reason.
  var absence: AbsentSymbol.Reason?

  /// Makes the symbol of `entry`, which is at `index` of the order file's entries.
  init(_ entry: OrderFileEntry, at index: Int) {
    entries = [index]
    name = entry.shownName
    namesSymbol = !entry.symbol.isEmpty
  }

  /// Whether the symbol names data, and no function.
  var isData: Bool { found.isEmpty && absence == .data }

  /// Why the linker could not follow the symbol's entry; `nil` if it could.
  var reasonIfMissing: OrderFileCheck.Reason? {
    if !found.isEmpty || isSpeltOtherwise { return nil }
    if isInOtherObjectFile { return .otherObjectFile }
    if isInSharedSection { return .sharedInputSection }
    if isInOtherSection { return .otherSection }
    if !namesSymbol { return .noSuchSection }
    return switch absence {
    case .undefined: .undefined
    case .shared: .shared
    case .absolute: .absolute
    case .discarded: .discarded
    case nil, .data: .noSuchSymbol
    }
  }
}

/// The input sections of a layout that contain several functions, because a compiler put them together.
private struct SharedInputSections {
  private var names: Set<NameKey> = []

  init(_ layout: Layout) {
    var firstAddress: [NameKey: StatedAddress] = [:]
    for function in layout.functions {
      guard let reference = function.inputSection else { continue }
      let section = layout.names[reference]
      guard FunctionSection.isShared(section, of: layout.names[function.name]) else { continue }
      let key = NameKey(section)
      if let first = firstAddress[key] {
        if first != function.address { names.insert(key) }
      } else {
        firstAddress[key] = function.address
      }
    }
  }

  func holds(_ function: PlacedSymbol, of layout: Layout) -> Bool {
    guard !names.isEmpty, let reference = function.inputSection else { return false }
    let section = layout.names[reference]
    return FunctionSection.isShared(section, of: layout.names[function.name])
      && names.contains(NameKey(section))
  }
}

extension OrderFileEntry {
  /// The symbol, or the section if no symbol can be derived from its name.
  var shownName: SymbolName { SymbolName(bytes: symbol.isEmpty ? section ?? [] : symbol) }
}
