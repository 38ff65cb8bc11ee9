import ByteReading
import ImageModel

// mold -Map.
//
//                VMA       Size Align Out     In      Symbol
//             0x21b0       2369    16 .text
//             0x21b0         34    16         Scrt1.o:(.text)
//             0x21b0          0     0                 _start
//
// The address is hexadecimal with `0x` unless it is 0; sizes and alignments are decimal. Symbols have no
// size. Sections that mold creates are output sections without pieces, and its headers (`EHDR`, `PHDR`,
// `SHDR`) are listed like sections. Folded functions are not listed.

extension LinkMapGrammar {
  /// <https://github.com/rui314/mold/blob/main/src/mapfile.cc>
  package static let mold = LinkMapGrammar(
    name: "mold", imageFormat: .elf, listsLocalSymbols: true,
    recognizes: { ColumnHeader($0, $1)?.hasLoadAddress == false }, reader: readMold)
}

@Sendable private func readMold(_ bytes: FileBytes) throws(ParseError) -> LinkMap {
  var reader = try ColumnMapReader(bytes)
  return try reader.read(.mold)
}
