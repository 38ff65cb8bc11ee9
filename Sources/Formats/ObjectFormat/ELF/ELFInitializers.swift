// The functions that run before main, or when a library is loaded, in the order of the calls:
//
//   .preinit_array   of a program only, before the initializers of libraries
//   DT_INIT          the function that the linker's -init names; by default `_init` of crti.o, which in images of old
//                    compilers calls the functions in .ctors
//   .ctors           from the last element to the first
//   .init_array      from the first element to the last
//
// A static program has no dynamic section; its C library calls `_init`, the start of the section .init. Without section
// headers, the arrays are found through the dynamic section; the array .ctors, whose functions `_init` calls, is then
// unknown.
// <https://gabi.xinuos.com/elf/08-dynamic.html>, initialization and termination functions

import Addresses
import ByteReading

/// A function that the loader or the C library calls before `main`.
package struct ELFInitializer: Hashable, Sendable {
  package enum Kind: String, Sendable {
    case preinitArray = ".preinit_array"
    case initFunction = "DT_INIT"
    case ctors = ".ctors"
    case initArray = ".init_array"
  }

  package var kind: Kind
  /// The address of the function; `nil` if the relocation of its pointer refers to another image or is of an unknown
  /// kind.
  package var address: StatedAddress?
}

extension ELFFile {
  /// All initializers of a linked image, in the order of the calls.
  ///
  /// - Throws: the error in the dynamic section, in an array or in a relocation table.
  /// - Complexity: O(*n* + *r*) for *n* initializers and *r* dynamic relocations, for each array.
  package func initializers() throws(ParseError) -> [ELFInitializer] {
    let table = try ELFDynamicTable(of: self)
    var found = try initializers(.preinitArray) { $0.type == .preinitArray }
    found += try initializers(.preinitArray, in: table, start: 32, size: 33)  // DT_PREINIT_ARRAY
    if let table {
      if let address = table.value(.initFunction), address != 0 {
        found.append(ELFInitializer(kind: .initFunction, address: .init(rawValue: address)))
      }
    } else if let section = section(named: ".init"), section.flags.contains(.executable) {
      found.append(ELFInitializer(kind: .initFunction, address: section.range.start))
    }
    let ctors = Array(".ctors".utf8)
    found += try initializers(.ctors) {
      $0.flags.contains(.allocated) && $0.name.byteCount == ctors.count
        && bytes.isEqual($0.name.indices, to: ".ctors")
    }.reversed()
    found += try initializers(.initArray) { $0.type == .initArray }
    return found + (try initializers(.initArray, in: table, start: 25, size: 27))  // DT_INIT_ARRAY
  }

  /// Reads the array that two tags describe, in a file without section headers.
  private func initializers(
    _ kind: ELFInitializer.Kind, in table: ELFDynamicTable?, start: UInt64, size: UInt64
  ) throws(ParseError) -> [ELFInitializer] {
    guard sections.isEmpty, let addresses = table?.addresses(from: start, size: size) else {
      return []
    }
    let contents = try range(of: addresses, "d_val")
    return try pointers(at: addresses, in: contents).map { ELFInitializer(kind: kind, address: $0) }
  }

  private func initializers(
    _ kind: ELFInitializer.Kind, in isArray: (ELFSection) -> Bool
  ) throws(ParseError) -> [ELFInitializer] {
    var found: [ELFInitializer] = []
    // At most eight sections are read, because linkers create only one section of each kind.
    for section in sections.filter(isArray).prefix(8) {
      found += try pointers(in: section).map { ELFInitializer(kind: kind, address: $0) }
    }
    return found
  }
}
