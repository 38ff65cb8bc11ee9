// Which object file did a function come from?
//
// An image that was linked from objects with debug information, and not stripped, has a debug map among its
// symbols: for debuggers and dsymutil, which look for the DWARF in the object files. It is a list of
// entries (`mach-o/stab.h`), in this order for each object file:
//
//     N_SO   /src/a.c             the source file
//     N_OSO  /build/libx.a(a.o)   the object file
//     N_FUN  _twin                 a function, with its address
//     N_FUN  ""                    its size
//     N_SO   ""                    the end
//
// It is what tells two static functions of one name apart in the recorded build, which seldom comes with a
// link map. Xcode strips it from what it archives, not from what it builds and runs.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

/// The debug map of one Mach-O image.
struct DebugMap {
  /// Ascending by address.
  private var functions: [Entry] = []
  private let names: StringTable

  private struct Entry {
    var address: StatedAddress
    /// Of the function, in the string table.
    var name: UInt32
    /// Of the object file, in the string table.
    var objectFile: UInt32
  }

  /// - Complexity: O(*n* log *n*) for *n* functions in it, and O(*m*) for *m* symbols.
  init(_ table: MachOSymbolTable) {
    names = table.names
    var objectFile: UInt32?
    for index in 0..<table.count {
      let entry = table[index]
      switch entry.type.rawValue {
      case 0x64: objectFile = nil  // N_SO
      case 0x66: objectFile = entry.nameOffset  // N_OSO
      case 0x24:  // N_FUN
        guard let objectFile, entry.sectionNumber != 0 else { break }
        functions.append(
          Entry(address: entry.value, name: entry.nameOffset, objectFile: objectFile))
      default: break
      }
    }
    functions.sort { ($0.address, $0.name) < ($1.address, $1.name) }
  }

  /// Sets the object files of the functions that it knows, by address and name.
  ///
  /// - Complexity: O(*n* log *m*) for *n* functions and *m* of the debug map.
  func nameObjectFiles(of found: inout NamedFunctions) {
    guard !functions.isEmpty else { return }
    var leafs: [UInt32: NameReference?] = [:]
    // Functions of one name that were folded into one body are as many entries.
    var taken: Set<Int> = []
    for index in found.functions.indices {
      let function = found.functions[index]
      let entries = entries(of: found.names[function.name], at: function.address)
      guard let entry = entries.first(where: { !taken.contains($0) }) ?? entries.first else {
        continue
      }
      if entries.count > 1 { taken.insert(entry) }
      let file = functions[entry].objectFile
      if leafs[file] == nil, let path = names.name(at: file)?.indices {
        let leaf = orderFileName(ofObjectFile: names.bytes.copy(path)[...])
        leafs[file] = .some(leaf.flatMap { found.names.append($0) })
      }
      found.functions[index].objectFile = leafs[file] ?? nil
    }
  }

  /// Indexes into `functions`.
  private func entries(of name: ArraySlice<UInt8>, at address: StatedAddress) -> [Int] {
    let first = functions.partitioningIndex { $0.address >= address }
    return functions[first...].prefix { $0.address == address }.indices.filter { index in
      let range = names.name(at: functions[index].name)?.indices
      return range.map { names.bytes.copy($0)[...] == name } ?? false
    }
  }
}
