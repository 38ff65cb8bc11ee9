import Addresses
import ByteReading
import DebugInfo
import ImageModel
import ObjectFormat

/// The functions of an image that debug information describes, with their compile units.
package struct DescribedFunctions: Sendable {
  package struct Function: Hashable, Sendable {
    package var address: StatedAddress
    package var name: SymbolName
    /// The index of the compilation unit in `units`.
    package var unit: Int
  }

  /// The functions, in the order of the debug information, without functions whose compile unit has no name.
  package private(set) var functions: [Function] = []
  /// The names of the compile units, as they were compiled: usually paths of source files. Two units may have the same
  /// name.
  package private(set) var units: [SymbolName] = []

  /// Reads the described functions that begin where functions of `layout` begin. The result is empty if the image in
  /// `bytes` has no DWARF, or if its DWARF can't be read.
  ///
  /// - Complexity: O(*n* log *m*) for *n* entries of `.debug_info` and *m* functions of the layout.
  package init(of bytes: FileBytes, in layout: Layout) {
    guard case .elf(let file)? = try? ObjectFile(parsing: bytes),
      let debug = (try? DebugFunctions(file)) ?? nil
    else { return }
    // The names at an address are a set: many functions of the debug information may begin at the address of many
    // functions of the layout.
    var names: [StatedAddress: Set<SymbolName>] = [:]
    func isNamed(_ name: SymbolName, at address: StatedAddress) -> Bool {
      if let known = names[address] { return known.contains(name) }
      let found = Set(layout.functions[layout.functions(at: address)].map { layout.name(of: $0) })
      names[address] = found
      return found.contains(name)
    }
    // The functions of a unit are adjacent, and state the name of the unit as the same range.
    var latest: Range<Int>?
    for function in debug.functions {
      let name = SymbolName(bytes: debug.names[function.name])
      let address = function.range { isNamed(name, at: $0) }.start
      guard let unit = function.unit, !layout.functions(at: address).isEmpty else { continue }
      if unit != latest { units.append(SymbolName(bytes: debug.names[unit])) }
      latest = unit
      functions.append(Function(address: address, name: name, unit: units.count - 1))
    }
  }
}
