// The object file of each function, from the debug map
//
// An image that was linked from objects with debug information, and not stripped, has a debug map among its
// symbols, for debuggers and dsymutil, which find the DWARF in the object files. It is a list of entries
// (`mach-o/stab.h`), in this order for each object file:
//
//     N_SO   /src/a.c             the source file
//     N_OSO  /build/libx.a(a.o)   the object file
//     N_FUN  _twin                 a function, with its address
//     N_FUN  ""                    its size
//     N_SO   ""                    the end
//
// It distinguishes static functions of the same name in the recorded build, which seldom comes with a link
// map. Xcode strips it from archives, but not from what it builds and runs.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

/// The debug map of a Mach-O image.
struct DebugMap {
  /// For each address and name, the object files in the order of the names and entries, as offsets in the
  /// string table.
  private var objectFiles: [[UInt32]] = []
  private var groups: [Key: Int] = [:]
  private let names: StringTable

  private struct Key: Hashable {
    var address: StatedAddress
    var name: NameKey
  }

  /// Reads as many entries as a budget for their names allows, because names may overlap.
  ///
  /// - Complexity: O(*m*) for *m* symbols, and O(*b*) for *b* bytes in the names of functions.
  init(_ table: MachOSymbolTable) {
    names = table.names
    var budget = ByteBudget(namesIn: names.range.byteCount)
    var entries: [(key: Key, name: UInt32, objectFile: UInt32)] = []
    var objectFile: UInt32?
    for index in 0..<table.count {
      let entry = table[index]
      switch entry.type.rawValue {
      case 0x64: objectFile = nil  // N_SO
      case 0x66: objectFile = entry.nameOffset  // N_OSO
      case 0x24:  // N_FUN
        guard let objectFile, entry.sectionNumber != 0, !budget.isSpent,
          let name = names.name(at: entry.nameOffset)?.indices, budget.take(name.count)
        else { break }
        entries.append(
          (
            Key(address: entry.value, name: NameKey(names.bytes.copy(name))), entry.nameOffset,
            objectFile
          ))
      default: break
      }
    }
    for (key, _, file) in entries.sorted(by: { $0.name < $1.name }) {
      if let group = groups[key] {
        objectFiles[group].append(file)
      } else {
        groups[key] = objectFiles.count
        objectFiles.append([file])
      }
    }
  }

  /// Sets the object files of the functions in the map, by address and name.
  ///
  /// - Complexity: O(*n*) for *n* functions, and O(*b*) for *b* bytes in their names.
  func nameObjectFiles(of found: inout NamedFunctions) {
    guard !objectFiles.isEmpty else { return }
    var leafs: [UInt32: NameReference?] = [:]
    var budget = ByteBudget(namesIn: names.range.byteCount)
    // If functions of the same name were folded into one body, the map has an entry for each function.
    var taken = [Int](repeating: 0, count: objectFiles.count)
    for index in found.functions.indices {
      guard let group = group(of: found.functions[index], in: found.names) else { continue }
      let files = objectFiles[group]
      let file = taken[group] < files.count ? files[taken[group]] : files[0]
      taken[group] += 1
      if leafs[file] == nil, !budget.isSpent, let path = names.name(at: file)?.indices,
        budget.take(path.count)
      {
        let leaf = orderFileName(ofObjectFile: names.bytes.copy(path)[...])
        leafs[file] = .some(leaf.flatMap { found.names.append($0) })
      }
      found.functions[index].compiledObjectFile = leafs[file] ?? nil
    }
  }

  private func group(of function: PlacedSymbol, in names: NameTable) -> Int? {
    groups[Key(address: function.address, name: NameKey(names[function.name]))]
  }
}
