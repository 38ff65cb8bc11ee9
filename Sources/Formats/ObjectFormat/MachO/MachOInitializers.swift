// The functions that the loader calls before main, in the order of the calls: the function that the linker's -init
// names, then the pointers in sections of one type (__mod_init_func), then the 32-bit offsets in sections of another
// type (__init_offsets), which a linker writes instead of pointers because they need no fixup. As in the loader,
// sections are identified by their type; their names are only a convention of the compiler.
// dyld's mach_o/Image.cpp, forEachInitializer

import Addresses
import ByteReading

/// Functions that the system calls before `main`.
package struct MachOStartFunctions: Sendable {
  package struct Function: Hashable, Sendable {
    /// The list that contains the function.
    package enum Kind: String, Sendable {
      case classLoad = "+load"
      case categoryLoad = "+load of a category"
      case routine = "LC_ROUTINES"
      case pointer = "__mod_init_func"
      case offset = "__init_offsets"
    }

    package var kind: Kind
    package var address: StatedAddress
    /// The class of a `+load` method, with its category: `C`, `C(More)`.
    package var owner: [UInt8]?
  }

  /// The functions, in the order of the calls.
  package private(set) var functions: [Function] = []
  package var addresses: [StatedAddress] { functions.map(\.address) }
  /// The number of further functions whose address the file does not give: a pointer that leads nowhere, or
  /// an encrypted list.
  package var unknownCount = 0

  mutating func append(
    _ address: StatedAddress?, _ kind: Function.Kind, of owner: [UInt8]? = nil,
    in memory: MachOMemory
  ) {
    if let address, memory.isExecutable(address) {
      functions.append(Function(kind: kind, address: address, owner: owner))
    } else {
      unknownCount += 1
    }
  }
}

extension MachOFile {
  /// The initializers of a linked image, such as constructors of C++ and C's `__attribute__((constructor))`.
  ///
  /// - Throws: the error in a section, or in the data that gives the encoding of pointers.
  /// - Complexity: O(*n* log *s*) for *n* initializers and *s* segments.
  package func initializers() throws(ParseError) -> MachOStartFunctions {
    var found = MachOStartFunctions()
    let memory = try MachOMemory(self)
    if let command = command(.routines) {
      var input = command.contents(bytes)
      let address = StatedAddress(rawValue: try input.read(UInt64.self, "init_address"))
      found.append(address, .routine, in: memory)
    }
    var budget = ByteBudget(limit: UInt64(range.byteCount))
    for section in sections where section.type == .initializerPointers {
      for address in try elements(of: section, size: 8, &budget) {
        guard case .address(let function)? = memory.pointer(at: address) else {
          found.unknownCount += 1
          continue
        }
        found.append(function, .pointer, in: memory)
      }
    }
    for section in sections where section.type == .initializerOffsets {
      for address in try elements(of: section, size: 4, &budget) {
        found.append(
          memory.integer(at: address, 0).flatMap(memory.address(atOffset:)), .offset, in: memory)
      }
    }
    return found
  }

  /// The addresses of the elements of `section`, an array; an incomplete element at its end is ignored.
  ///
  /// - Parameter budget: as many bytes as the file has, for all arrays of one kind; arrays must not overlap.
  func elements(
    of section: MachOSection, size: UInt64, _ budget: inout ByteBudget
  ) throws(ParseError) -> some Sequence<StatedAddress> {
    // The range is checked against the file before the number of its elements is trusted.
    let range = try range(
      offset: section.offset.rawValue, size: section.range.size, "section_64.size")
    try budget.take(range.byteCount, "sections that share bytes", at: range.lowerBound)
    let count = UInt64(range.byteCount) / size
    let start = section.range.start
    return (0..<count).lazy.compactMap { start.advanced(by: $0 * size) }
  }
}
