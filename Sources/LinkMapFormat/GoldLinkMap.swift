import ByteReading

// gold -Map is written like GNU ld's, see GNULinkMap.swift, with these differences: the part is called
// `Memory map`; there are no patterns of a linker script; what gold makes itself is listed as a piece
// without a file, ` ** PLT         0x00000000000005b0       0x30`.

extension LinkMap {
  /// Reads a map of gold.
  ///
  /// - Throws: as `init(parsing:)`.
  /// - SeeAlso: <https://sourceware.org/git/?p=binutils-gdb.git;a=blob;f=gold/mapfile.cc>
  init(parsingGold bytes: FileBytes) throws(ParseError) {
    var reader = GNUMapReader(bytes)
    self = try reader.read(.gold)
  }
}
