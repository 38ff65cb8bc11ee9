import ByteReading
import OrderFileFormat
import TestSupport
import Testing

extension OrderFileDialect {
  /// The dialect of a linker that does not exist, added in one place as CONTRIBUTING.md describes. A line is `first:
  /// f`.
  fileprivate static let toy = OrderFileDialect(
    name: "toy", imageFormat: .elf, namesSections: false, lastDuplicateWins: false,
    reader: readToy, writer: writeToy, recognizes: { $0.hasPrefix("first: ", at: 0) })
}

@Sendable private func readToy(_ bytes: FileBytes) throws(ParseError) -> OrderFile {
  var file = OrderFile(dialect: .toy)
  var lines = OrderFileLines(bytes)
  while let line = try lines.next() {
    try file.append(
      OrderFileEntry(symbol: Array(line.dropFirst(7))), line: lines.number, at: lines.offset)
  }
  return file
}

@Sendable private func writeToy(_ entries: [OrderFileEntry], header: [String]) -> WrittenOrderFile {
  var writer = OrderFileWriter()
  for (index, entry) in entries.enumerated() {
    writer.append(Array("first: ".utf8) + entry.symbol, for: entry, at: index)
  }
  return writer.written
}

/// To add a dialect takes one file and one entry in a list.
@Suite struct ToyOrderFileTests {
  @Test func whatItWritesIsRecognizedAndReadBack() throws {
    let entries = ["main", "a b"].map { OrderFileEntry(symbol: bytes($0)) }
    let written = FileBytes(OrderFileDialect.toy.write(entries, header: []).bytes)
    let dialects = [.toy] + OrderFileDialect.all
    let dialect = OrderFileDialect(guessedFrom: written, of: .elf, among: dialects)
    #expect(dialect == .toy)
    #expect(try dialect.read(written).entries == entries)
    #expect(OrderFileDialect(guessedFrom: written, of: .machO, among: dialects) == .ld64)
  }

  @Test(arguments: OrderFileDialect.all)
  func filesOfOtherDialectsStayTheirs(dialect: OrderFileDialect) {
    let written = FileBytes(dialect.write(oddNames.map(entry), header: ["tool"]).bytes)
    #expect(OrderFileDialect(guessedFrom: written, among: [.toy] + OrderFileDialect.all) == dialect)
  }
}
