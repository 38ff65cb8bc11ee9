import ByteReading
import ImageModel

// ld.lld -Map, 64-bit; a 32-bit map has narrower columns for the two addresses.
//
//              VMA              LMA     Size Align Out     In      Symbol
//             17d0             17d0      264    16 .text
//             17d0             17d0        b    16         a.o:(.text.foo3)
//             17d0             17d0        b     1                 foo3
//
// Numbers are lower-case hexadecimal, the alignment is decimal. Commands of a linker script appear among the sections
// and are skipped. Thunks and PLT entries are pieces without symbols; folded functions are listed under the kept
// function, with its address and size.

extension LinkMapGrammar {
  /// <https://github.com/llvm/llvm-project/blob/main/lld/ELF/MapFile.cpp>
  package static let lld = LinkMapGrammar(
    name: "ld.lld", imageFormat: .elf, listsLocalSymbols: true,
    recognizes: { ColumnHeader($0, $1)?.hasLoadAddress == true }, reader: readLLD)
}

@Sendable private func readLLD(_ bytes: FileBytes) throws(ParseError) -> LinkMap {
  var reader = try ColumnMapReader(bytes)
  return try reader.read(.lld)
}
