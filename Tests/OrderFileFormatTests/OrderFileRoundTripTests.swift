import ByteReading
import OrderFileFormat
import TestSupport
import Testing

@Suite struct OrderFileRoundTripTests {
  /// Writes `entries`, reads them back, and expects all that were not reported unwritable.
  private func check(
    _ entries: [OrderFileEntry], _ dialect: OrderFileDialect,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let header = ["orderfile", "two */ words"]
    let written = dialect.write(entries, header: header)
    let leftOut = written.unwritable.map(\.index)
    let expected = entries.indices.filter { !leftOut.contains($0) }.map { entries[$0] }
    let file = try dialect.read(FileBytes(written.bytes))
    if dialect.namesSections {
      #expect(
        file.entries.map(\.section) == expected.map(\.section), sourceLocation: sourceLocation)
    }
    #expect(file.entries.map(\.symbol) == expected.map(\.symbol), sourceLocation: sourceLocation)
    // Order files for Mach-O begin with a comment of their own.
    #expect(
      file.comments.count == (dialect.imageFormat == .machO ? 3 : 2),
      sourceLocation: sourceLocation)
    #expect(
      dialect.write(file.entries, header: header).bytes == written.bytes,
      sourceLocation: sourceLocation)
    #expect(
      OrderFileDialect(guessedFrom: FileBytes(written.bytes)) == dialect,
      sourceLocation: sourceLocation)
  }

  @Test(arguments: OrderFileDialect.all)
  func oddNamesSurvive(dialect: OrderFileDialect) throws {
    let written = dialect.write(oddNames.map(entry))
    let comments = dialect.imageFormat == .machO ? ["a#b", "a #b"] : []
    #expect(written.unwritable.map { text($0.entry.symbol) } == comments)
    try check(oddNames.map(entry), dialect)
  }

  @Test(arguments: OrderFileDialect.all, [3, 4, 5] as [UInt64])
  func randomBytesSurviveOrAreReported(dialect: OrderFileDialect, seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let alphabet: [UInt8] = Array("ab.#*?[]!^\\\"/{}();:= \t\n\r$".utf8) + [0, 0x7f, 0xc3, 0xff]
    let entries = (0..<400).map { _ in
      let name = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? 0
      }
      // The name begins with an `x`, so that no beginning of it looks like the prefix of a section.
      return OrderFileEntry(symbol: bytes("x") + name, section: bytes(".text.x") + name)
    }
    try check(entries, dialect)
  }

  @Test(arguments: OrderFileDialect.all)
  func carriageReturnsAtLineEndsChangeNothing(dialect: OrderFileDialect) throws {
    let entries = ["f", "g b", "h"].map { name in
      OrderFileEntry(symbol: bytes(name), section: bytes(".text." + name))
    }
    let written = dialect.write(entries, header: ["orderfile"]).bytes
    let file = try dialect.read(FileBytes(withCarriageReturns(written)))
    #expect(file.entries == (try dialect.read(FileBytes(written))).entries)
    #expect(file.entries.count == 3 && file.warnings.isEmpty)
    #expect(OrderFileDialect(guessedFrom: FileBytes(withCarriageReturns(written))) == dialect)
  }

  @Test(arguments: OrderFileDialect.all)
  func anEmptyOrderIsAFileThatTheDialectReads(dialect: OrderFileDialect) throws {
    try check([], dialect)
  }

  @Test(arguments: OrderFileDialect.all)
  func aDialectIsFoundByItsName(dialect: OrderFileDialect) {
    #expect(OrderFileDialect(name: dialect.name) == dialect)
    #expect(OrderFileDialect(name: "mold") == nil)
  }

  @Test func aGNULDObjectFileSurvives() throws {
    let entries = [
      OrderFileEntry(symbol: bytes("f"), objectFile: bytes("a[1].o"), section: bytes(".text.f")),
      OrderFileEntry(symbol: bytes("f"), objectFile: bytes("b c.o"), section: bytes(".text.f")),
    ]
    let written = OrderFileDialect.gnuLD.write(entries)
    #expect(try OrderFileDialect.gnuLD.read(FileBytes(written.bytes)).entries == entries)
  }
}
