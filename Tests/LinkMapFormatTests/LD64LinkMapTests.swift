import ByteReading
import LinkMapFormat
import TestSupport
import Testing

/// Tests the parts of ld64's grammar that the real maps in the fixtures do not contain.
@Suite struct LD64LinkMapTests {
  /// The lines before the first symbol.
  static let header = """
    # Path: app
    # Arch: arm64
    # Object files:
    [  0] linker synthesized
    [  1] a.o
    # Sections:
    # Address\tSize    \tSegment\tSection
    0x00001000\t0x00000100\t__TEXT\t__text
    # Symbols:
    # Address\tSize    \tFile  Name

    """

  /// The lines of the dump of a map of ld64, without the first line (the architecture), the line of the only section,
  /// and the last line.
  static func ld64Entries(_ symbols: String) throws -> [String] {
    let map = try LinkMap(parsing: FileBytes(Array((Self.header + symbols).utf8)))
    return map.dump().split(separator: "\n").dropFirst(3).map(String.init)
  }

  @Test func ld64NamesMayHoldLineFeedsBlanksAndBrackets() throws {
    let text =
      "0x00001000\t0x00000004\t[  1] _a\nb\n\n"
      + "0x00001004\t0x00000004\t[  1]  [  7] c\td \n\n\n"
      + "0x00001008\t0x00000004\t[  1] _e\n\n"
      + "# Dead Stripped Symbols:\n#        \tSize    \tFile  Name\n"
      + "<<dead>> \t0x00000010\t[  1] _f\n<<dead>>\t0x00000010\t[  9] literal string: g\ng\n"
      + "<<dead>>\t0x00000010\t[  9] _h\n\nh\n"
    #expect(
      try Self.ld64Entries(text) == [
        "  input 0x1000 0xc a.o:(__TEXT\\t__text)", "    symbol 0x1000 0x4 _a\\nb\\n",
        "    symbol 0x1004 0x4  [  7] c\\td \\n\\n", "    symbol 0x1008 0x4 _e",
        "discarded symbol _f", "discarded symbol _h\\n\\nh", "input sections 1, symbols 3",
      ])
  }

  @Test func ld64SymbolsAreInTheSectionOfTheirAddress() throws {
    let text = """
      # Path: a
      b
      # Arch: x86_64
      # Platform: something new
      # Object files:
      [  0] linker synthesized
      [  3] c
      .o
      # Sections:
      # Address\tSize    \tSegment\tSection
      0x00002000\t0x00000010\t__TEXT\t__late
      0x00001000\t0x00000010\t__TEXT\t__text
      0x00001010\t0x00000000\t__TEXT\t__empty
      # Symbols:
      # Address\tSize    \tFile  Name
      0x00002000\t0x00000004\t[  3] _late
      0x00001000\t0x00000000\t[  3] _alias
      0x00001000\t0x00000008\t[  3] _f
      0x00001010\t0x00000000\t[  0] _end
      x
      0x0000100C\t0x00000004\t[  0] _f.island
      0x00001008\t0x00000004\t[  0] _g.island

      """
    #expect(
      try LinkMapEntryTests.entries(text) == [
        "architecture x86_64", "section 0x2000 0x10 __TEXT\\t__late",
        "  input 0x2000 0x4 c\\n.o:(__TEXT\\t__late)", "    symbol 0x2000 0x4 _late",
        "section 0x1000 0x10 __TEXT\\t__text", "  input 0x1000 0x8 c\\n.o:(__TEXT\\t__text)",
        "    symbol 0x1000 0x0 _alias", "    symbol 0x1000 0x8 _f",
        "  input 0x1008 0x8 :(__TEXT\\t__text)", "    symbol 0x100c 0x4 _f.island",
        "    symbol 0x1008 0x4 _g.island", "section 0x1010 0x0 __TEXT\\t__empty",
      ])
  }

  /// The error message for a map that consists of `header` and `text`.
  private static func refusal(_ text: String) throws -> String? {
    let error = #expect(throws: ParseError.self) {
      try LinkMap(parsing: FileBytes(Array(text.utf8)))
    }
    return error?.description
  }

  @Test(
    arguments: [
      (2, "", "missing '# Object files:' (at line 2)"),
      (1, "# Object files:\n", "missing '# Arch: ' (at line 2)"),
      (5, "", "missing '# Sections:' (at line 5)"),
      (
        3, "linker synthesized\n",
        "invalid object file: expected '[  0] linker synthesized', found 'linker synthesized' (at line 4)"
      ),
      (
        5, "[  1] b.o\n",
        "invalid object file: expected an index above the one before it, found '[  1] b.o' (at line 6)"
      ),
      (
        7, "0x1000\t0x10\t__TEXT __text\n",
        """
        invalid section: expected address, size, segment and name between tabs, found \
        '0x1000\t0x10\t__TEXT __text' (at line 8)
        """
      ),
      (
        7, "0xFFFFFFFFFFFFFFFF\t0x2\t__TEXT\t__text\n",
        """
        invalid size of a section: expected an end below 2^64, found \
        '0xFFFFFFFFFFFFFFFF\t0x2\t__TEXT\t__text' (at line 8)
        """
      ),
      (
        7, "0x2000\t0x10\t__DATA\t__data\n0x1000\t0x1001\t__TEXT\t__text\n# Symbols:\n",
        """
        invalid section: expected sections that do not overlap, found 0x2000 in the section from \
        0x1000 to 0x2001 (at line 9)
        """
      ),
      (8, "", "missing '# Symbols:' (at line 8)"),
      (
        10, "0x1000\t0x10000000000000000\t[  1] _f\n",
        """
        invalid symbol: expected address, size, object file and name, found \
        '0x1000\t0x10000000000000000\t[  1] _f' (at line 11)
        """
      ),
      (
        10, "0x1000\t0x10\t[  2] _f\n",
        """
        invalid object file of a symbol: expected an index that is listed, found \
        '0x1000\t0x10\t[  2] _f' (at line 11)
        """
      ),
      (
        10, "# Dead Stripped Symbols:\n0x1000\t0x10\t[  1] _f\n",
        """
        invalid dead-stripped symbol: expected '<<dead>>', size, object file and name, found \
        '0x1000\t0x10\t[  1] _f' (at line 12)
        """
      ),
    ] as [(Int, String, String)])
  func damageIsNamedWithItsLine(headerLines: Int, rest: String, message: String) throws {
    let lines = Self.header.split(separator: "\n").prefix(headerLines).map { $0 + "\n" }
    #expect(try Self.refusal(lines.joined() + rest) == message)
  }

  @Test(arguments: [41, 42, 43] as [UInt64]) func numbersAreReadAsTheStandardLibraryDoes(
    seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    let digits = Array("0123456789ABCDEFabcdef")
    for _ in 0..<2000 {
      var text = String(
        (0..<Int.random(in: 1...18, using: &random)).map { _ in
          digits[Int.random(in: 0..<(Bool.random(using: &random) ? 16 : 22), using: &random)]
        })
      if Int.random(in: 0..<4, using: &random) == 0 {
        // One byte that is not a digit; its value is near those of the digits, or far from them.
        let other = Array("/:@G`gO~ \u{1}\t").randomElement(using: &random) ?? "~"
        let place = Int.random(in: 0..<text.count, using: &random)
        text = String(text.prefix(place)) + String(other) + String(text.dropFirst(place + 1))
      }
      let bytes = FileBytes(Array("0x\(text)\t[".utf8))
      var fields = LD64Fields(bytes: bytes, position: 0, end: bytes.count)
      // A tab ends a number wherever it stands.
      let field = text.split(separator: "\t", omittingEmptySubsequences: false)[0]
      let expected = UInt64(field, radix: 16)
      #expect(fields.number() == expected, "\(text)")
      #expect(fields.position == (expected == nil ? 0 : field.utf8.count + 3))
    }
  }
}
