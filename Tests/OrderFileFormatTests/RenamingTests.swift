import ByteReading
import OrderFileFormat
import TestSupport
import Testing

/// Tests renaming entries in an order file that people also edit.
@Suite struct RenamingTests {
  /// The dialect, the file, the entries to rename, and the resulting file.
  static let cases: [(OrderFileDialect, String, [Int: String], String)] = [
    (.lld, "# f\n\n  f.llvm.1\t\ng\n", [0: "f.llvm.2"], "# f\n\n  f.llvm.2\t\ng\n"),
    (.lld, "a\r\nf.llvm.1\r\nb\r\n", [1: "f"], "a\r\nf\r\nb\r\n"),
    (.lld, "operator new (int)\nf", [1: "g", 0: "a b"], "a b\ng"),
    (.ld64LLD, "x86_64:_f.o:_f # _f\n_g#_f\n", [0: "_h"], "x86_64:_f.o:_h # _f\n_g#_f\n"),
    (.ld64, "lib_f.a(m.o): _f.llvm.1 \n", [0: "_f.llvm.23"], "lib_f.a(m.o): _f.llvm.23 \n"),
    (
      .ldPrime, "CSTR;12\n-[A b:c:]\n_f\n\"_f\"\n", [1: "_g", 0: "-[A b:d:]"],
      "CSTR;12\n-[A b:d:]\n_g\n\"_f\"\n"
    ),
    (
      .gold, "#.text.f\n.text.unlikely.f\n.text.f\n.text.*\n.text\n", [0: "g.1", 1: "g.1"],
      "#.text.f\n.text.unlikely.g.1\n.text.g.1\n.text.*\n.text\n"
    ),
    (.gold, ".text.split.f\n", [0: "g.cold"], ".text.split.g\n"),
    (
      .gnuLD,
      "/* f */ SECTIONS { .text.orderfile : {\n *(\".text.f\") a.o(.text.g)\n} } INSERT BEFORE .text;\n",
      [0: "h", 1: "k"],
      "/* f */ SECTIONS { .text.orderfile : {\n *(\".text.h\") a.o(.text.k)\n} } INSERT BEFORE .text;\n"
    ),
    // A line with several entries; the name of one is the beginning of another's name.
    (
      .gnuLD,
      ".text : { *(.text.f.llvm.1); *(.text.main) ; *(.text.f.llvm.1.b) a.o(.text.f.llvm.1) }",
      [0: "f", 3: "f.llvm.23"],
      ".text : { *(.text.f); *(.text.main) ; *(.text.f.llvm.1.b) a.o(.text.f.llvm.23) }"
    ),
    // An escaped name.
    (.gold, ".text.a\n.text[.]f\n", [1: "g*"], ".text.a\n.text.g[*]\n"),
    (.lld, "f\n", [:], "f\n"),
    (.lld, "", [:], ""),
  ]

  @Test(arguments: cases)
  func onlyTheNamesChange(
    dialect: OrderFileDialect, text: String, names: [Int: String], expected: String
  ) throws {
    let bytes = FileBytes(Array(text.utf8))
    let file = try dialect.read(bytes)
    let result = try file.renaming(names.mapValues { Array($0.utf8) }, in: bytes)
    #expect(String(decoding: result, as: UTF8.self) == expected)
  }

  /// If a new name would be read as something else, the whole renaming is refused.
  @Test(
    arguments: [
      (.lld, "a\nf\n", "#g"), (.lld, "a\nf\n", " g"), (.lld, "a\nf\n", ""),
      (.lld, "a\nf\n", "g\nh"),
      (.ld64, "a\n_f\n", "_g#1"), (.ld64LLD, "a\n_f\n", "arm64:_g"),
      (.ldPrime, "a\n_f\n", "CSTR;1"),
      (.gold, "a\n.text.f\n", "g\r"), (.gold, "a\n.text.f\n", "g\nh"),
      (.gnuLD, ".text : { *(.text.a)\n *(.text.f) }", "g h"),
      (.gold, "a\n.text.split.f\n", "g"),
    ] as [(OrderFileDialect, String, String)])
  func aNameThatReadsOtherwiseIsRefused(
    dialect: OrderFileDialect, text: String, name: String
  ) throws {
    let bytes = FileBytes(Array(text.utf8))
    let file = try dialect.read(bytes)
    #expect { try file.renaming([1: Array(name.utf8)], in: bytes) } throws: { error in
      (error as? ParseError)?.line != nil
    }
  }

  /// If no name changes, the result equals the file, whatever the file contains.
  @Test(.needs(.time), arguments: OrderFileDialect.all)
  func sameNamesGiveTheSameBytes(dialect: OrderFileDialect) {
    let input = dialect.write(oddNames.map(entry), header: ["tool */ 1"]).bytes
    for damaged in [input] + Array(byteFlips(of: input, count: 300)) {
      let bytes = FileBytes(damaged)
      guard let file = try? dialect.read(bytes) else { continue }
      var names: [Int: [UInt8]] = [:]
      for (index, entry) in file.entries.enumerated() { names[index] = entry.symbol }
      if let result = try? file.renaming(names, in: bytes) { #expect(result == damaged) }
      #expect((try? file.renaming([:], in: bytes)) == damaged)
    }
  }
}
