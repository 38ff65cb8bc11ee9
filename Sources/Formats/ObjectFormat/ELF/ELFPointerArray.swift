// The contents of an array of pointers in a linked image after loading, minus the slide.
//
// In a position-dependent image the pointers are in the file. In a position-independent image the loader fills them in,
// and the file may contain zeros:
//
//   SHT_RELA, R_*_RELATIVE         the addend is the stated address
//   SHT_RELA, R_*_64, R_*_ABS64    the symbol's stated address + the addend; linkers use it for a
//                                  function that another image may replace
//   SHT_REL, the same two          as above, with the addend in the array
//   SHT_RELR                       always relative, with the stated address in the array
//
// So the array in the file is right, except where one of the first three kinds of relocation applies.

import Addresses
import ByteReading

extension ELFFile {
  /// The stated addresses in `section`, an array of pointers. Pointers with all bits zero or all bits one, which old
  /// tool chains put at the ends, are left out.
  ///
  /// - Returns: `nil` for an element that an unknown kind of relocation fills in, or that refers to another
  ///   image.
  /// - Throws: the error in the section or in a relocation table.
  /// - Complexity: O(*n* + *r*) for *n* elements and *r* dynamic relocations of the image.
  package func pointers(in section: ELFSection) throws(ParseError) -> [StatedAddress?] {
    try pointers(at: section.range, in: try contents(of: section))
  }

  /// The stated addresses in the array of pointers at `addresses`, which is `contents` in the file.
  func pointers(
    at addresses: AddressRange, in contents: ByteRange
  ) throws(ParseError) -> [StatedAddress?] {
    let mask = header.is64Bit ? UInt64.max : UInt64(UInt32.max)
    let present = try words(at: addresses, in: contents).filter { $0 != 0 && $0 != mask }
    return present.map { $0.map(StatedAddress.init(rawValue:)) }
  }

  /// Returns the pointer-sized words at `addresses`, which are `contents` in the file. Each word is the value after
  /// loading, minus the slide; `nil` if an unknown kind of relocation writes the word, or if the word refers to another
  /// image.
  func words(
    at addresses: AddressRange, in contents: ByteRange
  ) throws(ParseError) -> [UInt64?] {
    let pointerSize = header.is64Bit ? 8 : 4
    let array = contents.indices
    let mask = header.is64Bit ? UInt64.max : UInt64(UInt32.max)
    var values: [UInt64?] = (0..<array.count / pointerSize).map {
      loadWord(at: array.lowerBound + $0 * pointerSize)
    }
    let symbols = try dynamicSymbolTable()
    try forEachDynamicRelocation(in: addresses) { relocation in
      let distance = relocation.address.rawValue - addresses.start.rawValue
      let index = Int(clamping: distance / UInt64(pointerSize))
      guard distance % UInt64(pointerSize) == 0, index < values.count else { return }
      let addend = relocation.addend.map(UInt64.init(bitPattern:)) ?? values[index] ?? 0
      let address = self.address(of: relocation, addend: addend, symbols)
      values[index] = address.map { $0 & mask }
    }
    return values
  }

  /// The value that `relocation` writes, minus the slide; addition is modulo 2^64, as in the loader.
  private func address(
    of relocation: ELFRelocation, addend: UInt64, _ symbols: ELFSymbolTable?
  ) -> UInt64? {
    if relocation.type == header.machine.relative { return addend }
    guard relocation.type == header.machine.absolute(is64Bit: header.is64Bit), let symbols,
      Int(relocation.symbol) < symbols.count
    else { return nil }
    let symbol = symbols[Int(relocation.symbol)]
    guard symbol.sectionIndex.isInSection else { return nil }
    return symbol.value.rawValue &+ addend
  }
}
