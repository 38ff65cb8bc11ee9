import Addresses
import ClusterProfileFormat
import ImageModel
import Symbolication

/// How a profile names the functions of a build: by their names alone, or with their compile units where several
/// functions have the name.
struct CompileUnits {
  /// The compile units of functions, by address and name, as debug information has them.
  private let units: [Key: SymbolName]
  /// For each name and unit the number of functions.
  private let counts: [Named: Int]

  private struct Key: Hashable {
    var address: StatedAddress
    var name: SymbolName
  }

  private struct Named: Hashable {
    var unit: SymbolName
    var name: SymbolName
  }

  /// Names of one function, in one compile unit if several functions have them.
  struct Entry {
    var unit: SymbolName?
    var names: [SymbolName]
  }

  /// - Parameter map: tells the entries of split functions: of several pieces, clang describes the entry last.
  init(_ release: ReleaseLayout, _ map: BlockMap) {
    var units: [Key: SymbolName] = [:]
    var counts: [Named: Int] = [:]
    for function in release.describedFunctions() {
      var unit = function.unit.bytes
      // As the compiler compares it.
      while unit.starts(with: Array("./".utf8)) {
        unit.removeFirst(2)
        while unit.first == UInt8(ascii: "/") { unit.removeFirst() }
      }
      let name = SymbolName(bytes: unit)
      let owner = map.block(at: function.address).map(map.function(of:))
      let key = Key(address: owner?.entry ?? function.address, name: function.name)
      guard units[key] == nil else { continue }
      units[key] = name
      counts[Named(unit: name, name: function.name), default: 0] += 1
    }
    self.units = units
    self.counts = counts
  }

  /// The entries for the function at `address`.
  ///
  /// - Parameter names: its names, ascending. Those that can't be told from others' are left out.
  func entries(
    for names: [SymbolName], at address: StatedAddress, in map: SymbolMap
  ) -> [Entry] {
    var unique: [SymbolName] = []
    var entries: [Entry] = []
    for name in names where ClusterProfile.isWritable(name.bytes) {
      if !map.hasSeveralBodies(named: name) {
        unique.append(name)
      } else if let unit = units[Key(address: address, name: name)],
        counts[Named(unit: unit, name: name)] == 1, ClusterProfile.isWritable(unit.bytes)
      {
        entries.append(Entry(unit: unit, names: [name]))
      }
    }
    return (unique.isEmpty ? [] : [Entry(names: unique)]) + entries
  }
}
