import ByteReading
import ImageModel

// gold -Map has the syntax of GNU ld's map, see GNULinkMap.swift, with these differences: the title of the placed
// sections is `Memory map`; there are no patterns of a linker script; sections that gold creates are listed without a
// file, ` ** PLT 0x00000000000005b0       0x30`.

extension LinkMapGrammar {
  /// <https://sourceware.org/git/?p=binutils-gdb.git;a=blob;f=gold/mapfile.cc>
  package static let gold = LinkMapGrammar(
    name: "gold", imageFormat: .elf, listsLocalSymbols: false,
    recognizes: { (bytes, line) throws(ParseError) in
      try GNUMapStart(of: bytes, beginningWith: line)?.linker == .gold
    }, reader: readGold)
}

@Sendable private func readGold(_ bytes: FileBytes) throws(ParseError) -> LinkMap {
  var reader = GNUMapReader(from: try GNUMapStart(of: bytes))
  return try reader.read(.gold)
}
