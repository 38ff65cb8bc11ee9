import ByteReading
import OrderFileFormat
import TestSupport
import Testing

/// The parts of an entry, in a form for the tables of cases: architecture, object file, symbol.
private func parts(_ entry: OrderFileEntry) -> String {
  [entry.architecture, entry.objectFile, entry.symbol]
    .map { $0.map(text) ?? "-" }.joined(separator: "|")
}

@Suite struct LD64OrderFileTests {
  /// The expected entries were derived by hand from the function `parseOrderFile` of both linkers.
  @Test(
    arguments: [
      ("_a\n_b\n", ["-|-|_a", "-|-|_b"]), ("_a", ["-|-|_a"]), ("_a\r\n", ["-|-|_a"]), ("", []),
      ("\n \t\n", []), ("  _a \t\u{b}\n", ["-|-|_a"]), ("# _a\n_b\n", ["-|-|_b"]),
      ("_a# c\n", ["-|-|_a"]), ("_a # c\n", ["-|-|_a"]), ("_a#b\n", ["-|-|_a"]), (" # _a\n", []),
      ("-[Foo bar:with:]\n", ["-|-|-[Foo bar:with:]"]), ("_a b\n", ["-|-|_a b"]),
      ("arm64:_a\n", ["arm64|-|_a"]), ("x86_64: _a\n", ["x86_64|-|_a"]), ("arm64:\n", []),
      ("ppc64:_a\ni386:_b\narm:_c\nppc:_d", ["ppc64|-|_a", "i386|-|_b", "arm|-|_c", "ppc|-|_d"]),
      ("arm64e:_a\n", ["-|-|arm64e:_a"]), ("aarch64:_a\n", ["-|-|aarch64:_a"]),
      ("_a:arm64:_b\n", ["-|-|_a:arm64:_b"]), ("arm64:arm64:_a\n", ["arm64|-|arm64:_a"]),
      ("a.o:_f\n", ["-|a.o|_f"]), ("a.o: _f\n", ["-|a.o|_f"]), ("a b.o:_f\n", ["-|a b.o|_f"]),
      ("libx.a(b.o):_f\n", ["-|libx.a(b.o)|_f"]), ("arm64:a.o:_f\n", ["arm64|a.o|_f"]),
      ("a.o:arm64:_f\n", ["-|a.o|arm64:_f"]), ("arm64: a.o:_f\n", ["arm64| a.o|_f"]),
      ("a.o:_x.o:y\n", ["-|a.o|_x.o:y"]), ("_x.o:y\n", ["-|_x.o|y"]),
      // `.o:` has precedence over `.o):`, even if `.o):` comes first.
      ("l(a.o):b.o:_f\n", ["-|l(a.o):b.o|_f"]), ("a.o:\n", []), ("a.obj:_f\n", ["-|-|a.obj:_f"]),
      ("\u{feff}_a\n", ["-|-|\u{feff}_a"]),
      ("CSTR;1956311786\narm64:a.o:CSTR;0x10\n\"text\"\n_a\n", ["-|-|_a"]),
      ("\"\n", ["-|-|\""]), ("_CSTR;1\n", ["-|-|_CSTR;1"]),
    ] as [(String, [String])])
  func linesAreWhatTheLinkersTakeThemFor(input: String, expected: [String]) throws {
    let found = try read(input, .ld64).entries.map(parts)
    #expect(found.map(bytes) == expected.map(bytes))
  }

  @Test func literalsAreNoEntriesAndKnowTheirLines() throws {
    let file = try read("# head\n_f # tail\nCSTR;17\n  \"a b\" \na.o:CSTR;0x1\n", .ld64)
    #expect(file.lines == [2])
    #expect(file.patterns.map { text($0.text) } == ["CSTR;17", "\"a b\"", "a.o:CSTR;0x1"])
    #expect(file.patterns.map(\.line) == [3, 4, 5])
    #expect(file.comments.map { text($0.text) } == [" head", " tail"])
    #expect(file.comments.map(\.line) == [1, 2])
    #expect(file.warnings.isEmpty)
  }

  @Test(arguments: [
    ("\u{feff}_a\n", "line 1: the byte order mark is part of the first name"),
    ("_a\narm64e:_b\n", "line 2: what looks like an architecture is part of the name"),
    ("arm64e:a.o:_b\n", "line 1: what looks like an architecture is part of the name"),
    ("./a.o:_b\n", "line 1: an object file with a '/' matches none"),
  ])
  func whatTheLinkersReadOtherwiseInSilenceIsAWarning(input: String, expected: String) throws {
    #expect(try read(input, .ld64).warnings.map(\.description) == [expected])
  }

  @Test(
    arguments: [
      ("", .emptyName), (" _a", .outerBlank), ("_a\t", .outerBlank), ("_a#b", .hash),
      ("#a", .hash), ("_a\nb", .lineBreak), ("_a\rb", .lineBreak), ("_a\0b", .zeroByte),
      ("arm64:a", .takenForPrefix), ("ppc:a", .takenForPrefix), ("_x.o:y", .takenForPrefix),
      ("_x.o):y", .takenForPrefix), ("_x.o:", .takenForPrefix), ("arm64:", .takenForPrefix),
      ("CSTR;1", .takenForLiteral), ("\"a\"", .takenForLiteral),
    ] as [(String, UnwritableEntry.Reason)])
  func whatNoLineCanCarryIsLeftOutWithItsReason(name: String, reason: UnwritableEntry.Reason) {
    let odd = OrderFileEntry(symbol: bytes(name))
    let written = OrderFileDialect.ld64.write([entry("_f"), odd, entry("_g")])
    #expect(text(written.bytes).hasSuffix("\n_f\n_g\n"))
    #expect(written.unwritable.map(\.index) == [1])
    #expect(written.unwritable.map(\.entry) == [odd])
    #expect(written.unwritable.map(\.reason) == [reason])
    #expect(!reason.description.isEmpty)
  }

  @Test(
    arguments: [
      ("a.o", nil, "_f", "a.o:_f"), ("libx.a(b c.o)", nil, "_f", "libx.a(b c.o):_f"),
      (nil, "arm64", "-[A b]", "arm64:-[A b]"), ("a.o", "x86_64", "_f", "x86_64:a.o:_f"),
      ("a.o", nil, "_x.o:y", "a.o:_x.o:y"), (nil, "arm64", "arm64:x", "arm64:arm64:x"),
      // An object file that a line can't name is left out: the function's name alone remains.
      ("lto.tmp", nil, "_f", "_f"), ("noext", "arm64", "_f", "arm64:_f"), ("a#.o", nil, "_f", "_f"),
      ("a.o:b.o", nil, "_f", "_f"), (" a.o", nil, "_f", "_f"), ("", nil, "_f", "_f"),
      ("arm64:a.o", nil, "_f", "_f"),
    ] as [(String?, String?, String, String)])
  func anObjectFileAndAnArchitectureStandInFront(
    object: String?, architecture: String?, symbol: String, expected: String
  ) {
    let entry = OrderFileEntry(
      symbol: bytes(symbol), objectFile: object.map(bytes), architecture: architecture.map(bytes))
    let written = OrderFileDialect.ld64.write([entry])
    #expect(text(written.bytes).split(separator: "\n").last.map(String.init) == expected)
    #expect(written.unwritable.isEmpty)
  }

  /// Functions with the same name in several object files do not count as duplicates.
  @Test func equalLinesAreWrittenOnce() {
    let twins = ["a.o", "b.o", "a.o"].map {
      OrderFileEntry(symbol: bytes("_twin"), objectFile: bytes($0))
    }
    let written = OrderFileDialect.ld64.write(twins)
    #expect(text(written.bytes).hasSuffix("\na.o:_twin\nb.o:_twin\n"))
    #expect(written.unwritable.map(\.index) == [2])
    #expect(written.unwritable.map(\.reason) == [.duplicate])
  }

  @Test(arguments: [6, 7, 8] as [UInt64])
  func randomPrefixesSurviveOrAreReported(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let pieces = [
      "a", "_", ".o:", ".o):", ".o", "(", "arm64:", "ppc:", ":", " ", "#", "\"", "CSTR;", "\n",
    ]
    func piece(_ count: ClosedRange<Int>) -> [UInt8] {
      (0..<Int.random(in: count, using: &random)).flatMap { _ in
        bytes(pieces.randomElement(using: &random) ?? "")
      }
    }
    let entries = (0..<2000).map { _ in
      OrderFileEntry(
        symbol: piece(0...4), objectFile: Bool.random(using: &random) ? piece(1...3) : nil,
        architecture: Bool.random(using: &random) ? bytes("arm64") : nil)
    }
    let written = OrderFileDialect.ld64.write(entries)
    let leftOut = Set(written.unwritable.map(\.index))
    let expected = entries.indices.filter { !leftOut.contains($0) }.map { entries[$0] }
    let file = try OrderFileDialect.ld64.read(FileBytes(written.bytes))
    #expect(file.entries.map(\.symbol) == expected.map(\.symbol))
    #expect(file.entries.map(\.architecture) == expected.map(\.architecture))
    for (read, wanted) in zip(file.entries, expected) where read.objectFile != nil {
      #expect(read.objectFile == wanted.objectFile)
    }
    #expect(OrderFileDialect.ld64.write(file.entries).bytes == written.bytes)
    #expect(file.patterns.isEmpty)
  }

  @Test(
    arguments: [
      ("_main\n_foo\n", "ld64"), ("-[Foo bar:]\n", "ld64"), ("__ZN3fooEv\n_$s4mainyyF\n", "ld64"),
      ("a.o:helper\n", "ld64"), ("arm64:_main\n", "ld64"), ("# for ld64's -order_file\n", "ld64"),
      ("# names\n\n_main # here\n", "ld64"), ("_a\n_b\n_c\nltmp\n", "ld64"),
      ("main\nfoo\n", "lld"), ("_ZN3fooEv\n_ZN3barEv\n", "lld"), ("_RNvC3app4main\n", "lld"),
      ("$s4mainyyF\n", "lld"), ("_start\nmain\nf\n", "lld"), ("", "lld"), ("# c\n", "lld"),
      (".text.main\n", "gold"), ("CSTR;12\n", "lld"),
    ])
  func aFileOfMachONamesIsRecognized(input: String, expected: String) {
    #expect(OrderFileDialect(guessedFrom: FileBytes(bytes(input))).name == expected)
  }
}
