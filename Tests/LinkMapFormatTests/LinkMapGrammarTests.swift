import ByteReading
import LinkMapFormat
import Testing

@Suite struct LinkMapGrammarTests {
  static let lld = "     VMA      LMA     Size Align Out     In      Symbol\n"
  static let wideLLD = "             VMA              LMA     Size Align Out     In      Symbol\n"
  static let mold = "               VMA       Size Align Out     In      Symbol\n"

  @Test(
    arguments: [
      (lld, .lld), (wideLLD, .lld), (mold, .mold), ("\n\nMemory map\n", .gold),
      ("Memory Configuration\n\nLinker script and memory map\n", .gnu),
      ("\nArchive member included because of file (symbol)\n\nMemory map\n\n", .gold),
      ("There are no discarded input sections\nLinker script and memory map\n", .gnu),
      (
        "# Path: \n# Arch: arm64\n# Object files:\n# Sections:\n# Symbols:\n", .ld64
      ),
    ] as [(String, LinkMapGrammar)])
  func firstLinesTellTheLinker(text: String, grammar: LinkMapGrammar) throws {
    let map = try LinkMap(parsing: FileBytes(Array(text.utf8)))
    #expect(map.grammar == grammar)
    #expect(map.sections.isEmpty)
  }

  @Test(arguments: [
    ("", "missing link map (at offset 0x0)"),
    ("\n\n", "missing link map (at offset 0x0)"),
    (
      "\nhello, world\n",
      "unsupported link map: found 'hello, world', expected a map of ld.lld, GNU ld, gold, mold or "
        + "ld64 (at line 2)"
    ),
    (
      "Memory Configuration\n\nName Origin\n",
      "missing 'Linker script and memory map' or 'Memory map' (at line 3)"
    ),
    (
      "Memory map\n\n.text           0x00000000",
      "truncated line feed at the end of the link map: expected 1 byte, found 0 (at offset 0x26)"
    ),
    (
      lld + "what is this\n",
      "invalid line of the link map: expected address, size, alignment and name of an output section, "
        + "found 'what is this' (at line 2)"
    ),
    (
      lld + "    1000     1000        4     1         a.o:(.text)\n",
      "invalid line of the link map: expected address, size, alignment and name of an output section, "
        + "found '    1000     1000        4     1         a.o:(.text)' (at line 2)"
    ),
  ])
  func whatIsNoMapIsRefusedWithAReason(text: String, message: String) {
    let error = #expect(throws: ParseError.self) {
      try LinkMap(parsing: FileBytes(Array(text.utf8)))
    }
    #expect(error?.description == message)
  }
}
