// A thin wrapper around libdwarf. Only such wrappers may use pointers.

import Addresses
import ByteReading
import CDwarf

/// A function that DWARF describes.
package struct DebugFunction: Hashable, Sendable {
  /// The linkage name, or in C the name, as a range of `DebugFunctions.names`.
  package var name: Range<Int>
  /// The code of the function. For a function in several pieces, the piece that has the entry according to DWARF. A
  /// size of 0 means unknown.
  package var range: AddressRange
  /// Another piece of the function, which may be the piece with the entry: compilers order them differently. `nil` if
  /// there is none.
  package var otherRange: AddressRange?
  /// The range in `DebugFunctions.names` of its compilation unit's name, usually a source file; `nil` if the unit has
  /// none.
  package var unit: Range<Int>?
  /// The index of its compilation unit in `DebugFunctions.units`.
  package var unitIndex: Int

  /// Returns the piece of code with the function's entry: `range`, unless only `otherRange` begins at an entry.
  ///
  /// - Parameter isEntry: whether a symbol shows that the function begins there.
  package func range(entered isEntry: (StatedAddress) -> Bool) -> AddressRange {
    guard let otherRange, !isEntry(range.start), isEntry(otherRange.start) else { return range }
    return otherRange
  }
}

/// A compilation unit with code.
package struct DebugUnit: Hashable, Sendable {
  /// The compiler of the unit, as an index into `DebugFunctions.producers`; `nil` if the unit states none.
  package var producer: Int?
  /// The number of its functions, without functions that the linker discarded.
  package var functions = 0
  /// The number of pieces of its code, without discarded pieces; `nil` if it is unknown. A compiler lists each section
  /// of an object file as one piece.
  package var pieces: Int?

  package init(producer: Int? = nil, functions: Int = 0, pieces: Int? = nil) {
    self.producer = producer
    self.functions = functions
    self.pieces = pieces
  }
}

/// All functions in the DWARF of one image, versions 2 to 5, read by libdwarf.
/// <https://dwarfstd.org/doc/DWARF5.pdf>
///
/// Functions that were inlined everywhere have no address and are left out. Functions that the linker
/// discarded are listed at addresses outside every section. Code that no compiler wrote (assembly, thunks of
/// the linker) has no DWARF.
package struct DebugFunctions: Sendable {
  /// The functions, in the order of the debug information.
  package private(set) var functions: [DebugFunction] = []
  /// The names of all functions, concatenated.
  package private(set) var names: [UInt8] = []
  /// The units of these functions, in the order of the file.
  package private(set) var units: [DebugUnit] = []
  /// The compilers of the units, each once: `DW_AT_producer`, such as `GNU C17 12.2.0 -O2 -ffunction-sections`.
  package private(set) var producers: [[UInt8]] = []
  /// The number of compilation units that could be read only partly or not at all.
  package private(set) var damagedUnitCount = 0
  /// The number of functions without a name for the linker: with GNU C++, functions that are local to their file.
  package private(set) var unnamedCount = 0
  /// The number of compilation units whose functions are in a `.dwo` file; `.dwo` files are not read.
  package private(set) var splitUnitCount = 0

  /// - Throws: `missing` without `.debug_info`; `invalid` with libdwarf's message if it cannot read the
  ///   sections.
  /// - Complexity: O(*n*) for *n* entries of `.debug_info`; memory O(*f*) for *f* functions.
  package init(
    _ sections: [DebugSection], is64Bit: Bool, endianness: Endianness
  ) throws(ParseError) {
    let info = sections.first { $0.name == ".debug_info" }
    guard let info else {
      throw ParseError(.missing, ".debug_info", at: FileOffset(rawValue: 0))
    }
    guard let reader = orderfile_dwarf_new(is64Bit, endianness == .big) else {
      preconditionFailure("a reader is a few kilobytes")
    }
    defer { orderfile_dwarf_close(reader) }
    var nameBudget = ByteBudget(
      namesIn: sections.reduce(0) { $0 + $1.range.byteCount })
    if let problem = read(reader, sections[...], &nameBudget) {
      throw ParseError(
        .invalid(expected: "DWARF", found: problem), ".debug_info", at: info.range.lowerBound)
    }
  }

  /// Adds `sections` to `reader` and reads all functions. It recurses once per section, because the pointers
  /// are valid only during the call.
  ///
  /// - Returns: the error, if libdwarf can't start.
  private mutating func read(
    _ reader: OpaquePointer, _ sections: ArraySlice<DebugSection>, _ nameBudget: inout ByteBudget
  ) -> String? {
    guard let section = sections.first else { return readFunctions(reader, &nameBudget) }
    return section.bytes.withBytes(section.range.indices) { bytes in
      guard
        orderfile_dwarf_add(reader, section.name, bytes.baseAddress, UInt64(bytes.count))
      else { return "too many sections" }
      return read(reader, sections.dropFirst(), &nameBudget)
    }
  }

  /// - Returns: the range of the name; `nil` if the unit has none, or if the budget for names is used up.
  private mutating func appendUnitName(
    of function: orderfile_dwarf_function, _ nameBudget: inout ByteBudget
  ) -> Range<Int>? {
    guard let name = function.unit_name, nameBudget.take(function.unit_name_size) else {
      return nil
    }
    let start = names.count
    names.append(contentsOf: UnsafeRawBufferPointer(start: name, count: function.unit_name_size))
    return start..<names.count
  }

  /// Adds the unit of `function`.
  private mutating func appendUnit(
    of function: orderfile_dwarf_function, _ known: inout [[UInt8]: Int],
    _ nameBudget: inout ByteBudget
  ) {
    var unit = DebugUnit(
      pieces: function.unit_pieces == 0 ? nil : Int(clamping: function.unit_pieces))
    if let text = function.producer, function.producer_size <= ParsingLimits.debugProducer {
      let producer = Array(UnsafeRawBufferPointer(start: text, count: function.producer_size))
      unit.producer = known[producer]
      if unit.producer == nil, nameBudget.take(producer.count) {
        unit.producer = producers.count
        known[producer] = producers.count
        producers.append(producer)
      }
    }
    units.append(unit)
  }

  private mutating func readFunctions(
    _ reader: OpaquePointer, _ nameBudget: inout ByteBudget
  ) -> String? {
    var message = [CChar](repeating: 0, count: 200)
    guard orderfile_dwarf_load(reader, &message, message.count) else {
      return String(
        decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    var function = orderfile_dwarf_function()
    var unit: (number: UInt64, name: Range<Int>?) = (0, nil)
    var known: [[UInt8]: Int] = [:]
    while orderfile_dwarf_next(reader, &function) {
      guard let name = function.name else { continue }
      guard nameBudget.take(function.name_size), nameBudget.spent <= ParsingLimits.debugNames else {
        return "more than \(min(nameBudget.limit, ParsingLimits.debugNames)) bytes of names"
      }
      let start = names.count
      names.append(
        contentsOf: UnsafeRawBufferPointer(start: name, count: function.name_size))
      let nameRange = start..<names.count
      if function.unit != unit.number {
        unit = (function.unit, appendUnitName(of: function, &nameBudget))
        appendUnit(of: function, &known, &nameBudget)
      }
      // Linkers write an address outside of this range for a function that they discarded.
      if (2..<UInt64.max - 1).contains(function.address) { units[units.count - 1].functions += 1 }
      functions.append(
        DebugFunction(
          name: nameRange,
          range: AddressRange(
            start: StatedAddress(rawValue: function.address), size: function.size),
          otherRange: function.other_size == 0
            ? nil
            : AddressRange(
              start: StatedAddress(rawValue: function.other_address), size: function.other_size),
          unit: unit.name, unitIndex: units.count - 1))
    }
    guard !orderfile_dwarf_is_spent(reader) else {
      return "more names, ranges or abbreviations than sections of that size have"
    }
    damagedUnitCount = Int(clamping: orderfile_dwarf_damaged_units(reader))
    unnamedCount = Int(clamping: orderfile_dwarf_unnamed_functions(reader))
    splitUnitCount = Int(clamping: orderfile_dwarf_skeleton_units(reader))
    return nil
  }
}
