// The symbols of an ELF file that are functions and can be ordered.
//
// STT_FUNC and STT_GNU_IFUNC are functions. Hand-written assembly often has STT_NOTYPE, with or without a
// size, and a linker moves its section too; but labels inside a function and the marks that linkers create
// (`_etext`) also have that type. A symbol without a type is treated as a function if it is in a section of
// code, is not a mapping symbol ($x, $d, $t) or a label of a basic block, and is not inside a function that has a type,
// because it would split that function.
//
// Symbols that an order file may name although they are no functions are collected too. An undefined symbol has a type
// only if a shared object defined it: linkers copy the type from the shared object, while compilers give references
// STT_NOTYPE.
//
// The end of a section is not part of it, so `_etext` and `__stop_…` are excluded automatically.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

extension ELFSymbolType {
  fileprivate var isData: Bool { self == .object || self == .threadLocal }
}

/// The functions of a symbol table.
struct ELFFunctionSymbols {
  var functions: [PlacedSymbol] = []
  var absentSymbols: [AbsentSymbol] = []
  /// The number of symbols whose name begins or ends outside the string table; they are left out.
  var unnamedCount = 0
  /// The number of symbols whose names exceeded the budget because names overlap; they are left out.
  var sharingCount = 0
  private(set) var nameBudget: ByteBudget

  /// - Parameters:
  ///   - code: the sections with code, with their indexes in the future layout.
  ///   - machine: on ARM the lowest bit of an address means Thumb, and is not part of the address.
  /// - Complexity: O(*n* log *s*) for *n* symbols and *s* sections; one allocation, for the result.
  init(_ table: ELFSymbolTable, in code: CodeSections, machine: ELFMachine) {
    let names = ELFFunctionNames(table.names)
    var budget = ByteBudget(namesIn: table.names.range.byteCount)
    nameBudget = budget
    /// - Returns: `nil` also if the budget for names is used up.
    func name(at offset: UInt32, missing: inout Int) -> NameReference? {
      guard !budget.isSpent else {
        sharingCount += 1
        return nil
      }
      guard let name = names.reference(at: offset) else {
        missing += 1
        return nil
      }
      guard budget.take(Int(name.count)) else {
        sharingCount += 1
        return nil
      }
      return name
    }
    var absentWithoutName = 0
    let addressMask = machine == .arm ? ~UInt64(1) : .max
    var labels: [PlacedSymbol] = []
    functions.reserveCapacity(table.count)
    var sections = code
    table.forEachSymbol { symbol in
      let isTyped = symbol.type == .function || symbol.type == .indirectFunction
      guard symbol.sectionIndex.isInSection, !symbol.type.isData else {
        if let reason = Self.absence(of: symbol),
          let name = name(at: symbol.nameOffset, missing: &absentWithoutName)
        {
          absentSymbols.append(AbsentSymbol(name: name, reason: reason))
        }
        return
      }
      guard isTyped || symbol.type == .none else { return }
      let address = StatedAddress(
        rawValue: isTyped ? symbol.value.rawValue & addressMask : symbol.value.rawValue)
      guard symbol.nameOffset != 0 else { return }
      guard let section = sections.index(containing: address) else {
        // A label of data, such as `__data_start`. Local labels are left out: most of them are the linker's own, which
        // it does not order.
        if !isTyped, symbol.binding != .local,
          let name = name(at: symbol.nameOffset, missing: &absentWithoutName)
        {
          absentSymbols.append(AbsentSymbol(name: name, reason: .data))
        }
        return
      }
      guard let name = name(at: symbol.nameOffset, missing: &unnamedCount) else { return }
      guard name.count > 0,
        isTyped || !names.isMappingSymbol(name) && !names.isBlockLabel(name)
      else { return }
      let function = PlacedSymbol(
        name: name, address: address, size: symbol.size, section: section,
        isLocal: symbol.binding == .local)
      if isTyped { functions.append(function) } else { labels.append(function) }
    }
    Self.removeInner(&labels, of: functions)
    functions += labels
  }

  /// Returns why a symbol that is in no section, or is data, is no function; `nil` for a symbol that nobody would
  /// order.
  private static func absence(of symbol: ELFSymbol) -> AbsentSymbol.Reason? {
    guard symbol.nameOffset != 0, symbol.type != .file, symbol.type != .section else { return nil }
    return switch symbol.sectionIndex {
    case _ where symbol.sectionIndex.isInSection: .data
    case .undefined: symbol.type == .none ? .undefined : .shared
    case .absolute: .absolute
    default: nil
    }
  }

  /// Removes the labels inside a function, after its first byte.
  ///
  /// - Complexity: O(*n* log *k*) for *k* labels and *n* functions, however they overlap.
  static func removeInner(_ labels: inout [PlacedSymbol], of functions: [PlacedSymbol]) {
    guard !labels.isEmpty else { return }
    labels.sort { $0.address < $1.address }
    // For each label, the largest end of the functions that begin between the label before it and this label.
    var reach = [StatedAddress](repeating: StatedAddress(rawValue: 0), count: labels.count)
    for function in functions {
      let index = labels.partitioningIndex { $0.address > function.address }
      guard index < labels.count else { continue }
      reach[index] = max(
        reach[index], AddressRange(start: function.address, size: function.knownBytes).end)
    }
    var end = StatedAddress(rawValue: 0)
    var kept: [PlacedSymbol] = []
    for (label, reach) in zip(labels, reach) {
      end = max(end, reach)
      if label.address >= end { kept.append(label) }
    }
    labels = kept
  }
}
