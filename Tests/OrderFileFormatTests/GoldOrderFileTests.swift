import ByteReading
import OrderFileFormat
import Testing

@Suite struct GoldOrderFileTests {
  @Test(
    arguments: [
      (".text.f\n.text.g\n.text.*\n.text\n", [".text.f", ".text.g"], [".text.*", ".text"]),
      (".text.f\r\n.text.g \n", [".text.f", ".text.g "], []),
      ("# .text.f\n #x\n\n", [" #x"], []),
      (".text.a[*]b\n.text.a[bc]\n", [".text.a*b"], [".text.a[bc]"]),
      ("[#]x\n.text.[\n.text.[[]\n", ["#x", ".text.[", ".text.["], []),
    ] as [(String, [String], [String])])
  func linesAreSectionsOrGlobs(input: String, sections: [String], globs: [String]) throws {
    let file = try read(input, .gold)
    #expect(file.entries.map { text($0.section ?? []) } == sections)
    #expect(file.patterns.map { text($0.text) } == globs)
  }

  @Test(arguments: [
    (".text.f", "f"), (".text.unlikely.f", "f"), (".text.startup.main", "main"),
    (".text.hot.f", "f"),
    (".text.exit.f", "f"), (".text.split.f", "f.cold"), (".text.eh.f", "f.eh"),
    (".text.unknown.f", "f"),
    (".gnu.linkonce.t.f", "f"), (".text.hot", "hot"), (".text.hotter", "hotter"),
    (".text.unlikely.hot", "hot"), (".text.sorted.007.f", "f"), (".text.sorted.7", "sorted.7"),
    (".text.sorted.x.f", "sorted.x.f"), (".text.unlikely.", ""), (".init", ""),
  ])
  func theSectionNameTellsTheFunction(section: String, symbol: String) throws {
    #expect(try read(section, .gold).entries.map { text($0.symbol) } == [symbol])
  }

  @Test func candidatesOfAFunctionAreReadBackAsThatFunction() {
    let sections = FunctionSection.candidates(of: bytes("main"))
    #expect(
      sections.map(text) == [
        ".text.main", ".text.unlikely.main", ".text.startup.main", ".text.hot.main",
        ".text.exit.main",
      ])
    #expect(sections.allSatisfy { FunctionSection.function(of: $0[...]) == bytes("main")[...] })
    #expect(FunctionSection.function(of: bytes(".text.")[...]) == nil)
  }

  @Test func theRestOfTheTextComesBehindTheList() {
    let written = OrderFileDialect.gold.write([entry("f"), entry("a*b")], header: ["tool 1"])
    #expect(text(written.bytes) == "# tool 1\n.text.f\n.text.a[*]b\n.text.*\n.text\n")
    #expect(written.unwritable.isEmpty)
  }

  @Test(
    arguments: [
      ("f", nil, .noInputSection), ("f", ".text", .sharedInputSection),
      ("main", ".text.startup", .sharedInputSection), ("f", "", .emptyName),
      ("f", ".text.a\nb", .lineBreak), ("f", ".text.a\0", .zeroByte), ("g", ".text.g", .duplicate),
    ] as [(String, String?, UnwritableEntry.Reason)])
  func whatNoLineCanCarryIsLeftOutWithItsReason(
    symbol: String, section: String?, reason: UnwritableEntry.Reason
  ) {
    let odd = OrderFileEntry(symbol: bytes(symbol), section: section.map(bytes))
    for (dialect, start) in [
      (OrderFileDialect.gold, ".text.g\n"),
      (.gnuLD, "SECTIONS { .text.orderfile : {\n  *(\".text.g\")\n}"),
    ] {
      let written = dialect.write([entry("g"), odd])
      #expect(text(written.bytes).hasPrefix(start))
      #expect(written.unwritable.map(\.index) == [1])
      #expect(written.unwritable.map(\.entry) == [odd])
      #expect(written.unwritable.map(\.reason) == [reason])
    }
  }

  /// An image does not show input sections. The comment on the line names the function, so that `verify` can look it up
  /// in the image.
  @Test(arguments: [OrderFileDialect.gold, .gnuLD])
  func aCommentNamesTheFunctionOfASectionThatIsNotNamedForIt(dialect: OrderFileDialect) throws {
    let given = [
      ("f", "startup_code"), ("g", ".text.g"), ("h", ".text.zz.h"), ("a b", "odd"), ("", "none"),
      ("i ", "blank"), ("j*/", "end"),
    ].map { OrderFileEntry(symbol: bytes($0), section: bytes($1)) }
    let written = dialect.write(given, header: ["tool 1"])
    #expect(text(written.bytes).contains(" function: f"))
    #expect(!text(written.bytes).contains("function: g"))
    let read = try dialect.read(FileBytes(written.bytes))
    #expect(read.entries.map { text($0.symbol) } == ["f", "g", "h", "a b", "", "", ""])
    #expect(read.entries.map(\.section) == given.map(\.section))
    #expect(read.comments.filter { !$0.isMark }.count == 1)
    let renamed = try read.renaming(
      [0: bytes("f.llvm.2"), 1: bytes("g2")], in: FileBytes(written.bytes))
    let entries = try dialect.read(FileBytes(renamed)).entries
    #expect(entries.prefix(2).map { text($0.symbol) } == ["f.llvm.2", "g2"])
    #expect(entries.prefix(2).map { text($0.section ?? []) } == ["startup_code", ".text.g2"])
  }

  @Test func aCommentElsewhereNamesNoFunction() throws {
    let file = try read(
      "# function: f\n\n.text.a\n# function: g\n.text.*\n# function: \nown\n", .gold)
    #expect(file.entries.map { text($0.symbol) } == ["a", ""])
  }

  @Test func aFunctionCalledStartupHasASectionOfItsOwn() {
    let startup = OrderFileEntry(symbol: bytes("startup"), section: bytes(".text.startup"))
    #expect(OrderFileDialect.gold.write([startup]).unwritable.isEmpty)
  }

  @Test func blanksAroundASectionNameAreAWarning() throws {
    #expect(
      try read(".text.f \n", .gold).warnings.map(\.description)
        == ["line 1: blanks around a section name are part of the name"])
  }
}
