import Addresses
import ClusterProfileFormat
import CommandSupport
import ImageModel
import Symbolication

/// How a profile names the functions of a build: by their names alone, or with their compile units where several
/// functions have the name.
struct CompileUnits {
  /// The names of compile units, as the compiler compares them.
  private var unitNames: [SymbolName] = []
  /// The compile units of functions, by address and name, as debug information has them; as indexes into `unitNames`.
  private var units: [Key: Int] = [:]
  /// The number of functions with the same name in the same compile unit.
  private var counts: [Named: Int] = [:]

  private struct Key: Hashable {
    var address: StatedAddress
    var name: SymbolName
  }

  private struct Named: Hashable {
    var unit: Int
    var name: SymbolName
  }

  /// Names of one function, in one compile unit if several functions have them.
  struct Entry {
    var unit: SymbolName?
    var names: [SymbolName]
  }

  /// - Parameter map: the map of basic blocks, which shows which code is the entry of a split function.
  init(_ release: ReleaseLayout, _ map: BlockMap) {
    guard let described = release.describedFunctions() else { return }
    var numbers: [SymbolName: Int] = [:]
    let numberOfUnit = described.units.map { unit in
      let name = Self.compared(unit)
      if let known = numbers[name] { return known }
      numbers[name] = unitNames.count
      unitNames.append(name)
      return unitNames.count - 1
    }
    for function in described.functions {
      let unit = numberOfUnit[function.unit]
      let owner = map.block(at: function.address).map(map.function(of:))
      let key = Key(address: owner?.entry ?? function.address, name: function.name)
      guard units[key] == nil else { continue }
      units[key] = unit
      counts[Named(unit: unit, name: function.name), default: 0] += 1
    }
  }

  /// The name of a unit without any "./" at its beginning.
  private static func compared(_ unit: SymbolName) -> SymbolName {
    var name = unit.bytes[...]
    while name.starts(with: "./".utf8) { name = name.dropFirst(2).drop { $0 == UInt8(ascii: "/") } }
    return SymbolName(bytes: name)
  }

  /// The entries for the function at `address`.
  ///
  /// - Parameter names: the names of the function, ascending. Names that can't be distinguished from the names of other
  ///   functions are left out.
  func entries(
    for names: [SymbolName], at address: StatedAddress, in map: SymbolMap
  ) -> [Entry] {
    var unique: [SymbolName] = []
    var entries: [Entry] = []
    for name in names where ClusterProfile.isWritable(name.bytes) {
      if !map.hasSeveralBodies(named: name) {
        unique.append(name)
      } else if let unit = units[Key(address: address, name: name)],
        counts[Named(unit: unit, name: name)] == 1, ClusterProfile.isWritable(unitNames[unit].bytes)
      {
        entries.append(Entry(unit: unitNames[unit], names: [name]))
      }
    }
    return (unique.isEmpty ? [] : [Entry(names: unique)]) + entries
  }
}
