import Addresses
import ByteReading
import OrderFileFormat
import Testing

@Suite struct LLDOrderFileTests {
  @Test(
    arguments: [
      ("a\nb\n", ["a", "b"]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]), ("", []),
      ("\n\n \t\n", []), ("  a \t\n", ["a"]), ("\u{b}a\u{c}\n", ["a"]), ("# a\nb\n", ["b"]),
      ("  # a\n", []), ("a b\n", ["a b"]), ("a#b\n", ["a#b"]), ("a # b\n", ["a # b"]),
      ("a\na\n", ["a", "a"]), ("\u{feff}a\n", ["\u{feff}a"]), ("\u{feff}# a\n", ["\u{feff}# a"]),
      ("a\rb\n", ["a\rb"]), ("/* a */\n", ["/* a */"]), ("foo.o:a\n", ["foo.o:a"]),
    ] as [(String, [String])])
  func namesAreWhatTheLinkerTakesThemFor(input: String, expected: [String]) throws {
    let names = try read(input, .lld).entries.map { text($0.symbol) }
    // Bytes, since Swift's == takes canonically equivalent strings for one.
    #expect(names.map(bytes) == expected.map(bytes))
  }

  @Test func entriesAndCommentsKnowTheirLines() throws {
    let file = try read("# head\n\nf\n  #tail\ng", .lld)
    #expect(file.lines == [3, 5])
    #expect(file.comments.map { text($0.text) } == [" head", "tail"])
    #expect(file.comments.map(\.line) == [1, 4])
    #expect(file.warnings.isEmpty)
  }

  @Test(arguments: [
    ("\u{feff}a\n", "line 1: the byte order mark is part of the first name"),
    ("a\nb # c\n", "line 2: '#' after a name is part of the name"),
  ])
  func whatTheLinkerTakesForANameInSilenceIsAWarning(input: String, expected: String) throws {
    #expect(try read(input, .lld).warnings.map(\.description) == [expected])
  }

  @Test func aZeroByteMeansThatThisIsNoOrderFile() {
    let expected = ParseError(
      .invalid(expected: "text", found: "a zero byte"), "order file", at: FileOffset(rawValue: 2),
      line: 2)
    #expect(throws: expected) { try read("a\nb\0c\n", .lld) }
  }

  @Test func tooManyEntriesAreRefused() throws {
    var file = OrderFile(dialect: .lld)
    try file.append(entry("f"), line: 1, limit: 1)
    #expect(throws: ParseError.self) { try file.append(entry("g"), line: 2, limit: 1) }
    #expect(file.entries.count == 1)
  }

  @Test(
    arguments: [
      ("", .emptyName), (" a", .outerBlank), ("a\t", .outerBlank), ("\u{b}a", .outerBlank),
      ("#a", .leadingHash), ("a\nb", .lineBreak), ("a\rb", .lineBreak), ("a\0b", .zeroByte),
    ] as [(String, UnwritableEntry.Reason)])
  func whatNoLineCanCarryIsLeftOutWithItsReason(
    name: String, reason: UnwritableEntry.Reason
  ) {
    let odd = OrderFileEntry(symbol: bytes(name))
    let written = OrderFileDialect.lld.write([entry("f"), odd, entry("g")])
    #expect(text(written.bytes) == "f\ng\n")
    #expect(written.unwritable.map(\.index) == [1])
    #expect(written.unwritable.map(\.entry) == [odd])
    #expect(written.unwritable.map(\.reason) == [reason])
    #expect(!reason.description.isEmpty)
  }

  @Test func aDuplicateIsWrittenOnceAtItsFirstPlace() {
    let written = OrderFileDialect.lld.write([entry("f"), entry("g"), entry("f")])
    #expect(text(written.bytes) == "f\ng\n")
    #expect(written.unwritable.map(\.index) == [2])
    #expect(written.unwritable.map(\.reason) == [.duplicate])
  }

  @Test func aLineBreakInTheHeaderCanNotBecomeAName() {
    let written = OrderFileDialect.lld.write([entry("f")], header: ["tool\nevil\r\nx", ""])
    #expect(text(written.bytes) == "# tool\n# evil\n# x\n#\nf\n")
  }
}
