// What the loader calls before main, in its order: the function that the linker's -init names, then the
// pointers in sections of one type (__mod_init_func), then the 32-bit offsets in sections of another
// (__init_offsets), which a linker writes in place of pointers because they need no fixup. Sections are
// told by their type, as the loader does; their names are the compiler's habit.
// dyld's mach_o/Image.cpp, forEachInitializer

import Addresses
import ByteReading

/// Functions that the system calls before `main`.
package struct MachOStartFunctions: Sendable {
  /// In the order of the calls.
  package var addresses: [StatedAddress] = []
  /// How many more there are whose address the file does not say: a pointer that leads nowhere, or an
  /// encrypted list.
  package var unknownCount = 0

  mutating func append(_ address: StatedAddress?, in memory: MachOMemory) {
    if let address, memory.isExecutable(address) {
      addresses.append(address)
    } else {
      unknownCount += 1
    }
  }
}

extension MachOFile {
  /// The initializers of a linked image, such as constructors of C++ and C's
  /// `__attribute__((constructor))`.
  ///
  /// - Throws: what is wrong with a section, or with the data that says how pointers are stored.
  /// - Complexity: O(*n* log *s*) for *n* initializers and *s* segments.
  package func initializers() throws(ParseError) -> MachOStartFunctions {
    var found = MachOStartFunctions()
    let memory = try MachOMemory(self)
    if let command = command(.routines) {
      var input = command.contents(bytes)
      let address = StatedAddress(rawValue: try input.read(UInt64.self, "init_address"))
      found.append(address, in: memory)
    }
    var budget = ByteBudget(limit: UInt64(range.byteCount))
    for section in sections where section.type == .initializerPointers {
      for address in try elements(of: section, size: 8, &budget) {
        guard case .address(let function)? = memory.pointer(at: address) else {
          found.unknownCount += 1
          continue
        }
        found.append(function, in: memory)
      }
    }
    for section in sections where section.type == .initializerOffsets {
      for address in try elements(of: section, size: 4, &budget) {
        found.append(
          memory.integer(at: address, 0).flatMap(memory.address(atOffset:)), in: memory)
      }
    }
    return found
  }

  /// The addresses of the elements of `section`, an array; what is left over at its end is not one.
  ///
  /// - Parameter budget: as many bytes as the file has, for all arrays of one kind: none shares its bytes.
  /// - Throws: `truncated` if the file ends before; `tooLarge` if the budget does.
  func elements(
    of section: MachOSection, size: UInt64, _ budget: inout ByteBudget
  ) throws(ParseError) -> some Sequence<StatedAddress> {
    // Compared with the file: the number of elements is believed only then.
    let range = try range(
      offset: section.offset.rawValue, size: section.range.size, "section_64.size")
    try budget.take(range.byteCount, "sections that share bytes", at: range.lowerBound)
    let count = UInt64(range.byteCount) / size
    let start = section.range.start
    return (0..<count).lazy.compactMap { start.advanced(by: $0 * size) }
  }
}
