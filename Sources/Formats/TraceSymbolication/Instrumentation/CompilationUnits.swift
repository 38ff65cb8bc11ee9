// Which object file, archive member or source file did a piece of code come from?
//
// The answer is the first of these that is known: the object file in a link map or debug map
// (`PlacedSymbol.objectFile`), the compilation unit in DWARF, and the file symbol (`STT_FILE`) before a local function
// in an ELF symbol table. In that table, global functions follow all local functions and have no file symbol. Hidden
// functions have no file symbol, either: linkers make them local and put them after the local functions of the last
// file. Linkers place the code of one object file together, so a function between two functions of one file is assumed
// to be from that file. This does not hold for code that linkers collect in one place: cold parts and static
// constructors. Such code shows nothing about its neighbors; nor do the recorder's functions. The functions of an
// object file without a file symbol, such as one from assembly, seem to belong to the file before it. After the
// recorder, which is often linked just before libraries, such functions have no known file.

import Addresses
import ByteReading
import DebugInfo
import Demangling
import ImageModel
import ObjectFormat
import Symbolication

/// The compilation units of one image.
struct CompilationUnits {
  private let layout: Layout
  /// The units in DWARF, by the address of a function's first byte.
  private var described: [StatedAddress: SymbolName] = [:]
  /// The symbols of source files, ascending by address.
  private var fileSymbols: [(address: StatedAddress, name: SymbolName)] = []
  /// The addresses of functions that show nothing about their neighbors.
  private var placedApart: Set<StatedAddress> = []

  /// - Parameter readsDebugInformation: whether to read DWARF, which can be a hundred times as large as the code.
  init(_ layout: Layout, _ bytes: FileBytes, readsDebugInformation: Bool) {
    self.layout = layout
    guard case .elf(let file)? = try? ObjectFile(parsing: bytes) else { return }
    if readsDebugInformation, let debug = try? DebugFunctions(file) { add(debug) }
    if let table = try? file.symbolTable() { add(table) }
  }

  private mutating func add(_ debug: DebugFunctions) {
    var names: [Range<Int>: SymbolName] = [:]
    for function in debug.functions {
      guard let unit = function.unit else { continue }
      let name = names[unit] ?? SymbolName(bytes: debug.names[unit])
      names[unit] = name
      described[function.range.start] = name
      if let other = function.otherRange { described[other.start] = name }
    }
  }

  private mutating func add(_ table: ELFSymbolTable) {
    var budget = ByteBudget(namesIn: table.names.range.byteCount)
    var file: SymbolName?
    var isRecorders = false
    table.forEachSymbol { symbol in
      if symbol.type == .file {
        isRecorders = false
        let name = table.names.name(at: symbol.nameOffset)?.indices
        file = name.flatMap {
          !$0.isEmpty && budget.take($0.count) ? SymbolName(bytes: table.names.bytes.copy($0)) : nil
        }
      } else if let file, symbol.binding == .local,
        !symbol.isHidden, symbol.type == .function
      {
        let range = table.names.name(at: symbol.nameOffset)?.indices ?? 0..<0
        let name = budget.take(range.count) ? table.names.bytes.copy(range) : []
        let isRecorder = RecorderFunctions.contain(name[...])
        if isRecorders, !isRecorder { return }
        isRecorders = isRecorder
        fileSymbols.append((symbol.value, file))
        if isRecorder || Self.isPlacedApart(name) { placedApart.insert(symbol.value) }
      }
    }
    fileSymbols.sort { ($0.address, $0.name) < ($1.address, $1.name) }
  }

  /// The units that `bodies` come from, most bytes first.
  func units(of bodies: [CodeBodies.Body]) -> [RecordableCode.Unit] {
    var units: [RecordableCode.Unit] = []
    var largest: [UInt64] = []
    var places: [SymbolName?: Int] = [:]
    for body in bodies {
      let name = body.function.flatMap(unit(ofFunction:))
      let place = places[name] ?? units.count
      if place == units.count {
        places[name] = place
        units.append(RecordableCode.Unit(name: name))
        largest.append(0)
      }
      units[place].functions += 1
      units[place].bytes += body.bytes.size
      if body.bytes.size > largest[place] {
        largest[place] = body.bytes.size
        let function = body.function.map { layout.name(of: layout.functions[$0]) }
        units[place].largestFunction = function.flatMap { $0.bytes.isEmpty ? nil : $0 }
      }
    }
    return units.sorted { a, b in
      if a.bytes != b.bytes { return a.bytes > b.bytes }
      return (a.name ?? "") < (b.name ?? "")
    }
  }

  /// The unit of a function, if a map, debug information or the function's own symbol states it.
  func statedUnit(ofFunction index: Int) -> SymbolName? {
    let function = layout.functions[index]
    if let file = function.compiledObjectFile ?? function.objectFile {
      return layout.names.name(file)
    }
    if let unit = described[function.address] { return unit }
    let next = fileSymbols.partitioningIndex { $0.address >= function.address }
    guard next < fileSymbols.count, fileSymbols[next].address == function.address else {
      return nil
    }
    return fileSymbols[next].name
  }

  /// The stated unit of a function. If nothing states it, the unit of the functions before and after it, if these have
  /// the same unit.
  func unit(ofFunction index: Int) -> SymbolName? {
    if let stated = statedUnit(ofFunction: index) { return stated }
    let address = layout.functions[index].address
    let next = fileSymbols.partitioningIndex { $0.address >= address }
    guard next > 0, next < fileSymbols.count,
      fileSymbols[next - 1].name == fileSymbols[next].name,
      !placedApart.contains(fileSymbols[next - 1].address),
      !placedApart.contains(fileSymbols[next].address)
    else { return nil }
    return fileSymbols[next].name
  }

  private static func isPlacedApart(_ name: [UInt8]) -> Bool {
    name.starts(with: "_GLOBAL__".utf8) || NameEnding(of: name, in: name.indices).part == .cold
  }
}
