import ByteReading
import LinkMapFormat
import Testing

/// Tests the parts of the grammars that the real maps in the fixtures do not contain.
@Suite struct LinkMapEntryTests {
  /// The lines of the dump of a map, without the first and the last line.
  static func entries(_ text: String) throws -> [String] {
    let map = try LinkMap(parsing: FileBytes(Array(text.utf8)))
    return map.dump().split(separator: "\n").dropFirst().dropLast().map(String.init)
  }

  @Test func lldNumbersMayBeWiderThanTheirColumns() throws {
    let text =
      LinkMapGrammarTests.lld
      + "80001000 80001000 123456789 2097152 .text\n"
      + "80001000 80001000 123456789     1         a.o:(.text.f)\n"
      + "80001000 80001000 123456789     1                 f\n"
    #expect(
      try Self.entries(text) == [
        "section 0x80001000 0x123456789 .text",
        "  input 0x80001000 0x123456789 a.o:(.text.f)",
        "    symbol 0x80001000 0x123456789 f",
      ])
  }

  @Test func lldCommandsOfALinkerScriptAreNoSections() throws {
    let text =
      LinkMapGrammarTests.lld
      + "       0        0     1000     1 . = 0x1000\n"
      + "    1000     1000       10     1 .text\n"
      + "    1000     1000        4     1         BYTE ( 0x90 )\n"
      + "    1004     1004        4     1         a.o:(.text)\n"
      + "    1004     1004        0     1         PROVIDE ( start = . )\n"
      + "    1004     1004        4     1                 f\n"
      + "    2000     2000        0     1 ASSERT ( 1, \"no\" )\n"
    #expect(
      try Self.entries(text) == [
        "section 0x1000 0x10 .text", "  input 0x1004 0x4 a.o:(.text)", "    symbol 0x1004 0x4 f",
      ])
  }

  @Test(arguments: [LinkMapGrammarTests.lld, LinkMapGrammarTests.mold])
  func sectionsWhoseNamesLookLikeCommandsAreSections(header: String) throws {
    func line(_ address: Int, _ text: String) -> String {
      let numbers =
        header == LinkMapGrammarTests.lld
        ? "    \(address)     \(address)        4     1 "
        : "            0x\(address)          4     1 "
      return numbers + text + "\n"
    }
    let text =
      header + line(1000, ".text") + line(1000, "        a.o:(.text)") + line(1004, "my=sec")
      + line(1004, "        b(1).o:(my=sec)") + line(1004, "                f")
      + line(1008, "start = .") + line(1008, "data\n(x)") + line(1008, "        c.o:(data\n(x))")
    #expect(
      try Self.entries(text).map { $0.replacing(" 0x4 ", with: " ") } == [
        "section 0x1000 .text", "  input 0x1000 a.o:(.text)", "section 0x1004 my=sec",
        "  input 0x1004 b(1).o:(my=sec)", "    symbol 0x1004 f", "section 0x1008 data\\n(x)",
        "  input 0x1008 c.o:(data\\n(x))",
      ])
  }

  @Test func lldNamesMayHoldLineFeedsAndBlanks() throws {
    let text =
      LinkMapGrammarTests.lld
      + "    1000     1000       10     1 .te\nxt\n\n"
      + "    1000     1000        4     1         a\nb.o:(.text.f\n\n)\n"
      + "    1000     1000        4     1                   f \n)\n 1000 1000 4 1 g\n"
    #expect(
      try Self.entries(text) == [
        "section 0x1000 0x10 .te\\nxt\\n", "  input 0x1000 0x4 a\\nb.o:(.text.f\\n\\n)",
        "    symbol 0x1000 0x4   f \\n)\\n 1000 1000 4 1 g",
      ])
  }

  @Test func aSymbolWithoutInputSectionBelongsToItsOutputSection() throws {
    let text =
      LinkMapGrammarTests.lld
      + "    1000     1000       10     1 .text\n"
      + "    1004     1004        4     1                 f\n"
    #expect(
      try Self.entries(text) == [
        "section 0x1000 0x10 .text", "  input 0x1000 0x10 :(.text)", "    symbol 0x1004 0x4 f",
      ])
  }

  @Test func moldSizesAreDecimal() throws {
    let text =
      LinkMapGrammarTests.mold
      + "                 0         64     8 EHDR\n"
      + "            0x21b0       2369    16 .text\n"
      + "            0x21b0         34    16         a.o:(.text)\n"
      + "            0x21b0          0     0                 f\ng\n"
    #expect(
      try Self.entries(text) == [
        "section 0x0 0x40 EHDR", "section 0x21b0 0x941 .text", "  input 0x21b0 0x22 a.o:(.text)",
        "    symbol 0x21b0 0x0 f\\ng",
      ])
  }

  @Test func gnuNamesMayHoldLineFeedsWhereverTheirNumbersStand() throws {
    let text = """
      Linker script and memory map


      .text           0x00001000      0x276
       *(.text.*)
       .text.a
      b      0x00001000        0x4 a.o
                      0x00001000                a
      b
       .text.with
      newline
                      0x00001010        0x4 dir
      c.o
                      0x00001010                with
      newline
       *fill*         0x00001014        0x2\u{20}
      OUTPUT(app elf32-i386)

      """
    #expect(
      try Self.entries(text) == [
        "section 0x1000 0x276 .text", "  input 0x1000 0x4 a.o:(.text.a\\nb)",
        "    symbol 0x1000 0x0 a\\nb", "  input 0x1010 0x4 dir\\nc.o:(.text.with\\nnewline)",
        "    symbol 0x1010 0x0 with\\nnewline",
      ])
  }

  @Test func gnuCommandsOfALinkerScriptAreNoSymbols() throws {
    let text = """
      Discarded input sections

       .text.gone     0x0000000000000000        0x4 a.o

      Linker script and memory map

      LOAD a.o
                      0x0000000000001000                . = 0x1000
                      [!provide]                        PROVIDE (x = .)

      .text           0x0000000000001000       0x20 load address 0x0000000000002000
       .text          0x0000000000001000       0x20 a.o
                                               0x28 (size before relaxing)
                      0x0000000000001000                f
                      0x0000000000001000                __start = .
                      0x0000000000001004                . += 0x4
                      0x0000000000001008                PROVIDE (y = .)
                      0x0000000000001008                HIDDEN (z = .)
                      0x0000000000001008                A::operator=(A const&)

      .empty
       *(.empty)

      Cross Reference Table

      Symbol                                            File
      .text           0x0000000000001000       0x20 a.o
      """
    #expect(
      try Self.entries(text + "\n") == [
        "section 0x1000 0x20 .text", "  input 0x1000 0x20 a.o:(.text)", "    symbol 0x1000 0x0 f",
        "    symbol 0x1008 0x0 A::operator=(A const&)", "discarded section .text.gone",
      ])
  }
}
