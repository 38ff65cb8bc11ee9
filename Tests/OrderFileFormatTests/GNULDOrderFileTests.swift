import ByteReading
import OrderFileFormat
import Testing

@Suite struct GNULDOrderFileTests {
  @Test func aScriptIsInsertedBeforeTheText() {
    let written = OrderFileDialect.gnuLD.write(
      [entry("f"), entry("a[b"), entry("f")], header: ["tool */ 1"])
    #expect(
      text(written.bytes) == """
        /* tool * / 1 */
        SECTIONS { .text.orderfile : {
          *(".text.f")
          *(".text.a[[]b")
        } } INSERT BEFORE .text;

        """)
    #expect(written.unwritable.map(\.reason) == [.duplicate])
  }

  @Test func aQuotationMarkCanNotBeWritten() {
    let written = OrderFileDialect.gnuLD.write([entry("a\"b")])
    #expect(written.unwritable.map(\.reason) == [.quotationMark])
  }

  @Test(arguments: [
    ("SECTIONS{.text.o:{*(.text.f);*(.text.g)}}INSERT AFTER .init;", [".text.f", ".text.g"]),
    (".text : { *(.text.f) *(\".text.a b\") }", [".text.f", ".text.a b"]),
    ("/* c */ .text:{ *(.text.f)/* d\n */ }", [".text.f"]),
    (".text : { *(.text.a:b=c/*d) }", []), (".text : { *(.text.*) *(.text) }", []),
    (".a : { } .b : { *(.text.f) }", [".text.f"]),
  ])
  func sectionsAreReadFromScripts(input: String, sections: [String]) throws {
    #expect(try read(input, .gnuLD).entries.map { text($0.section ?? []) } == sections)
  }

  @Test func entriesKnowTheirLineObjectFileAndWarnings() throws {
    let file = try read(
      """
      /* two
         lines */
      .text : {
        a.o(.text.f) "*libb.a:b.o"(".text.g")
        *(.text.h .text.i) *(.text.*)
      }
      """, .gnuLD)
    #expect(file.lines == [4, 4, 5, 5])
    #expect(
      file.entries.map { $0.objectFile.map(text) } == ["a.o", "*libb.a:b.o", nil, nil])
    #expect(file.comments.map(\.line) == [1])
    #expect(file.patterns.map(\.line) == [5])
    #expect(
      file.warnings.map(\.description)
        == ["line 5: sections in one pair of parentheses keep the linker's order"])
  }

  @Test(arguments: [
    (
      "SECTIONS { .t : {\n KEEP (*(.text.f)) } }",
      "unsupported input section: found KEEP (at line 2)"
    ),
    (".t : { *(SORT(.text.*)) }", "unsupported input section: found SORT (at line 1)"),
    ("SECTIONS { . = 4; }", "unsupported SECTIONS: found assignment (at line 1)"),
    ("SECTIONS {\n .t : { *(.text.f) }\n", "missing '}' of SECTIONS (at line 3)"),
    (".t : { *(.text.f)", "missing '}' of the output section (at line 1)"),
    (".t : { *(.text.f", "missing ')' of the input sections (at line 1)"),
    (".t : { *(\".text.f) }", "missing closing quotation mark (at line 1)"),
    ("\n/* x", "missing end of comment (at line 2)"),
    (
      "main\nfoo\n",
      "invalid linker script: expected ':' after the output section name, found 'foo' (at line 2)"
    ),
    (
      ".t : { *(.text.f) \0 }", "invalid order file: expected text, found a zero byte (at line 1)"
    ),
  ])
  func whatOrdersNoFunctionsIsRefusedWithItsLine(input: String, message: String) {
    #expect {
      try read(input, .gnuLD)
    } throws: { error in
      #expect("\(error)" == message)
      return true
    }
  }
}
