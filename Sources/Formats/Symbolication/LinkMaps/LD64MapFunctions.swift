import Addresses
import ByteReading
import ImageModel
import LinkMapFormat

/// Collects the functions of an ld64 link map. Layout+LinkMap.swift describes the rules.
struct LD64MapFunctions {
  private let map: LinkMap
  private let code: LinkMapCodeSections
  /// For each output section of the map, its index in the layout.
  private let layoutIndexes: [UInt32?]

  private var functions: [PlacedSymbol] = []
  private var names: [UInt8] = []
  private var absentSymbols: [AbsentSymbol] = []

  /// The names of object files in an order file, by the position of the file's path in the map.
  private var objectFiles: [UInt32: NameReference?] = [:]
  /// Functions at one address, all of which get the largest size among the symbols there.
  private var group = Group()
  /// The position up to which the map's memory has been returned.
  private var released = 0

  private struct Group {
    var address = StatedAddress(rawValue: 0)
    var size: UInt64 = 0
    /// The index in `functions` of the group's first function.
    var first = 0
  }

  /// The number of bytes of the map that are read before their memory is returned.
  private static let releaseStep = 4 << 20

  init(_ map: LinkMap, _ code: LinkMapCodeSections, _ layoutIndexes: [UInt32?]) {
    self.map = map
    self.code = code
    self.layoutIndexes = layoutIndexes
  }

  /// The functions, data and dead-stripped symbols, and the name table that they refer to.
  consuming func collected() -> (
    functions: [PlacedSymbol], absentSymbols: [AbsentSymbol], names: [UInt8]
  ) {
    // These capacities are enough in any case. Reserved memory that is not used is not touched.
    functions.reserveLargePages(map.symbols.count)
    names.reserveLargePages(map.bytes.count)
    var first = 0
    while first < map.inputSections.count {
      let section = map.inputSections[first].section
      var end = first + 1
      while end < map.inputSections.count, map.inputSections[end].section == section { end += 1 }
      if code.mayHoldFunctions(map.inputSections[first]), let index = layoutIndexes[Int(section)] {
        addFunctions(ofPieces: first..<end, index)
      } else if !code.isExecutable[Int(section)] {
        addData(ofPieces: first..<end)
      }
      first = end
    }
    for symbol in map.discardedSymbols {
      guard let name = store(symbol.indices) else { break }
      absentSymbols.append(AbsentSymbol(name: name, reason: .discarded))
    }
    return (functions, absentSymbols, names)
  }

  /// Adds the functions of adjacent pieces of a section, which has the index `section` in the layout.
  private mutating func addFunctions(ofPieces pieces: Range<Int>, _ section: UInt32) {
    let isAscending = isAscending(pieces)
    let end = map.sections[Int(map.inputSections[pieces.lowerBound].section)].range.end
    begin(at: StatedAddress(rawValue: 0))
    if isAscending {
      for piece in pieces {
        let objectFile = objectFile(ofPiece: piece)
        for symbol in map.symbolIndexes(ofInputSection: piece) {
          add(map.symbols[symbol], ofPiece: piece, objectFile, section)
        }
      }
    } else {
      for (piece, symbol) in sortedSymbols(of: pieces) {
        add(map.symbols[symbol], ofPiece: piece, objectFile(ofPiece: piece), section)
      }
    }
    finishGroup(upTo: end)
  }

  /// Adds the data of adjacent pieces. A piece without an object file is skipped: the linker created it, and its
  /// pointers to functions of other images have the names of these functions.
  private mutating func addData(ofPieces pieces: Range<Int>) {
    for piece in pieces where map.inputSections[piece].file.count > 0 {
      for symbol in map.symbols[map.symbolIndexes(ofInputSection: piece)] {
        guard map.bytes.hasPrefix("_", at: symbol.name.indices.lowerBound),
          let name = store(symbol.name.indices)
        else { continue }
        absentSymbols.append(AbsentSymbol(name: name, reason: .data))
      }
    }
  }

  private func isAscending(_ pieces: Range<Int>) -> Bool {
    let first = map.symbolIndexes(ofInputSection: pieces.lowerBound).lowerBound
    let end = map.symbolIndexes(ofInputSection: pieces.upperBound - 1).upperBound
    var last = StatedAddress(rawValue: 0)
    for index in first..<end {
      let address = map.symbols[index].address
      if address < last { return false }
      last = address
    }
    return true
  }

  /// The symbols of `pieces` by address, then in the order of the map: ld64.lld lists the names of a folded piece after
  /// all names of the kept piece.
  private func sortedSymbols(of pieces: Range<Int>) -> [(piece: Int, symbol: Int)] {
    let symbols = pieces.flatMap { piece in
      map.symbolIndexes(ofInputSection: piece).map { (piece: piece, symbol: $0) }
    }
    return symbols.sorted {
      (map.symbols[$0.symbol].address, $0.symbol) < (map.symbols[$1.symbol].address, $1.symbol)
    }
  }
}

// MARK: Symbols

extension LD64MapFunctions {
  @inline(__always)
  private mutating func add(
    _ symbol: LinkMap.Symbol, ofPiece piece: Int, _ objectFile: NameReference?, _ section: UInt32
  ) {
    if symbol.address != group.address {
      finishGroup(upTo: symbol.address)
      begin(at: symbol.address)
    }
    group.size = max(group.size, symbol.size)
    let name = symbol.name.indices
    guard map.inputSections[piece].file.count > 0, isFunctionName(name), let name = store(name)
    else { return }
    functions.append(
      PlacedSymbol(
        name: name, address: symbol.address, section: section, objectFile: objectFile))
  }

  private mutating func begin(at address: StatedAddress) {
    group = Group(address: address, first: functions.count)
  }

  /// Sets the size of the group's functions: the largest that a symbol at their address states, or else the distance to
  /// `end`.
  private mutating func finishGroup(upTo end: StatedAddress) {
    let size = group.size > 0 ? group.size : end.rawValue - group.address.rawValue
    for index in group.first..<functions.count where size > 0 { functions[index].size = size }
  }

  /// Whether `name` can be the name of a function in the symbol table. Names that begin with `l` or `L` are labels
  /// (`ltmp0`, `l_.str`) that no symbol table of a linked image contains. ld64 writes `anon` for code without any name.
  private func isFunctionName(_ name: Range<Int>) -> Bool {
    guard let first = name.first else { return false }
    switch map.bytes[first] {
    case UInt8(ascii: "_"): return true
    case UInt8(ascii: "l"), UInt8(ascii: "L"): return false
    default: return !(name.count == 4 && map.bytes.hasPrefix("anon", at: first))
    }
  }

  /// - Returns: `nil` if the names would exceed 4 GiB.
  private mutating func store(_ text: Range<Int>) -> NameReference? {
    let start = names.count
    guard start + text.count <= Int(UInt32.max) else { return nil }
    map.bytes.append(text, to: &names)
    if text.upperBound > released + Self.releaseStep {
      map.bytes.release(released..<text.lowerBound)
      released = text.lowerBound
    }
    return NameReference(offset: UInt32(start), count: UInt32(text.count))
  }
}

// MARK: Object files

extension LD64MapFunctions {
  /// The name of a piece's object file in an order file; `nil` if it has none.
  private mutating func objectFile(ofPiece piece: Int) -> NameReference? {
    let path = map.inputSections[piece].file
    if let known = objectFiles[path.start] { return known }
    var reference: NameReference?
    if let name = orderFileName(ofObjectFile: map.bytes.copy(path.indices)[...]),
      names.count + name.count <= Int(UInt32.max)
    {
      reference = NameReference(offset: UInt32(names.count), count: UInt32(name.count))
      names += name
    }
    objectFiles[path.start] = .some(reference)
    return reference
  }
}
