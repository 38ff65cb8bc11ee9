import ByteReading

// mold -Map.
//
//                VMA       Size Align Out     In      Symbol
//             0x21b0       2369    16 .text
//             0x21b0         34    16         Scrt1.o:(.text)
//             0x21b0          0     0                 _start
//
// The address is hexadecimal behind `0x` unless it is 0; sizes and alignments are decimal. Symbols have
// no size. What mold makes itself is an output section without pieces, and its headers (`EHDR`, `PHDR`,
// `SHDR`) are listed like sections. Folded functions are not listed at all.

extension LinkMap {
  /// Reads a map of mold.
  ///
  /// - Throws: as `init(parsing:)`.
  /// - SeeAlso: <https://github.com/rui314/mold/blob/main/src/mapfile.cc>
  init(parsingMold bytes: FileBytes) throws(ParseError) {
    var reader = try ColumnMapReader(bytes)
    self = try reader.read(.mold)
  }
}
