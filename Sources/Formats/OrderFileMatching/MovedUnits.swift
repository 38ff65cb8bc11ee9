// What the lines of an order file move
// ====================================
//
// A search that counts pages must know where each function will be, and linkers don't move functions one by one:
//
// - The linkers for ELF move all bodies that have the name of a line. If ten object files have a copy of a header's
//   static function, one line moves all ten copies.
// - The start files of the C runtime have several functions in one input section.
// - `.init` and `.fini`, which the linker assembles, stay where they are.
//
// The order of the 860 functions that eight launches of redis use (docs/how-it-works/STRATEGIES.md) places the last
// functions 1.2 KiB further from its beginning than the sum of the sizes. A search that did not know these rules
// counted 53 pages for a launch, which then touched 58.

import Addresses
import ByteReading
import ImageModel
import OrderFileFormat
import Symbolication

/// The used functions, grouped into units. The same lines of an order file move all functions of a unit.
package struct MovedUnits: Sendable {
  /// The functions that no line moves.
  package private(set) var unmoved: [Part] = []
  private var unitOfPart: [Part: Part] = [:]
  private var partsOfUnit: [Part: [Part]] = [:]
  private var bytesOfUnit: [Part: UInt64] = [:]
  private let layout: Layout

  /// - Parameter parts: whole functions, each once, by its first alias; a unit keeps this order.
  /// - Complexity: O(*n*) on average for *n* parts and functions that share a name with a part.
  package init(of parts: [Part], in map: SymbolMap, for dialect: OrderFileDialect) {
    layout = map.layout
    var unitOfName: [NameKey: Part] = [:]
    var unitOfRuntimeSection: [Int: Part] = [:]
    var alignments: [UInt32: UInt64] = [:]
    for part in parts {
      let function = layout.functions[part.function]
      guard layout.canMove(function, by: dialect) else {
        unmoved.append(part)
        continue
      }
      let section = layout.runtimeSection(of: function)
      let names = layout.aliases(of: part.function)
        .map { NameKey(layout.names[layout.functions[$0].name]) }
      let known =
        section.map { unitOfRuntimeSection[$0] } ?? names.lazy.compactMap { unitOfName[$0] }.first
      let unit = known ?? part
      unitOfPart[part] = unit
      partsOfUnit[unit, default: []].append(part)
      if let section {
        unitOfRuntimeSection[section] = unit
      } else if dialect.namesakes == .movesAll {
        for name in names { unitOfName[name] = unit }
      }
      guard known == nil else { continue }
      if let section {
        bytesOfUnit[unit] = map.bytes(ofRuntimeSection: section)
      } else if dialect.namesakes == .movesAll {
        let alignment =
          alignments[function.section] ?? layout.alignment(inSection: Int(function.section))
        alignments[function.section] = alignment
        bytesOfUnit[unit] = map.bytes(ofNamesakesOf: part, alignedTo: alignment)
      }
    }
  }

  /// Returns the unit that contains `part`. A unit is identified by one of its parts.
  ///
  /// - Returns: `nil` for a part that no line moves, and for a part that was not given to the initializer.
  package func unit(of part: Part) -> Part? { unitOfPart[layout.canonical(part)] }

  /// The parts that move with `unit`, itself included.
  package func parts(of unit: Part) -> [Part] { partsOfUnit[unit] ?? [unit] }

  /// The bytes that the linker moves with `unit`, aligned as in the layout.
  package func byteCount(of unit: Part) -> UInt64 {
    bytesOfUnit[unit] ?? layout.byteCount(of: unit)
  }
}

extension SymbolMap {
  /// The bytes of a section of the C runtime: from its first function to the function after its last one, or to the end
  /// of the output section.
  fileprivate func bytes(ofRuntimeSection number: Int) -> UInt64 {
    let mates = CRuntime.sectionMates[number].flatMap { functions(named: $0.bytes[...]) }
    guard let first = mates.min(), let last = mates.max() else { return 0 }
    let section = layout.sections[Int(layout.functions[last].section)].range
    let next = layout.functions(at: layout.functions[last].address).upperBound
    let end =
      next < layout.functions.count && section.contains(layout.functions[next].address)
      ? layout.functions[next].address : section.end
    return end.rawValue - layout.functions[first].address.rawValue
  }

  /// The bytes of all functions that have one of the names of `part`, aligned as in its section.
  fileprivate func bytes(ofNamesakesOf part: Part, alignedTo alignment: UInt64) -> UInt64 {
    var isCounted: Set<StatedAddress> = []
    return layout.aliases(of: part.function).lazy
      .flatMap { functions(named: layout.names[layout.functions[$0].name]) }
      .filter { isCounted.insert(layout.functions[$0].address).inserted }
      .map { layout.byteCount(of: Part($0)).aligned(to: alignment) }
      .saturatingSum()
  }
}
