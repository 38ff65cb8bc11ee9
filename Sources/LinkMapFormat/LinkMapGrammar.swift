import Addresses
import ByteReading

/// How a map is written. lld and mold begin with a header, ld64 with the path of the image; GNU ld and gold
/// begin with the title of one of many parts, and the title of the part that matters tells the two apart.
enum LinkMapGrammar {
  case lld, mold, gnu, gold, ld64

  /// Titles that a map of GNU ld or gold may begin with, each the beginning of its line.
  private static let firstTitles: [StaticString] = [
    "Archive member included ", "As-needed library included ", "Merging program properties",
    "Allocating common symbols", "Common symbol", "Discarded input sections",
    "There are no discarded input sections", "Memory Configuration",
    "Linker script and memory map", "Memory map",
  ]

  /// Recognizes the grammar from the first lines of `bytes`.
  ///
  /// - Throws: `unsupported` for anything else, with what was expected and found.
  init(of bytes: FileBytes) throws(ParseError) {
    var lines = LineScanner(bytes)
    var first = lines.next()
    while let line = first, line.isEmpty { first = lines.next() }
    guard let line = first else {
      throw ParseError(.missing, "link map", at: FileOffset(rawValue: 0))
    }
    if let header = ColumnHeader(bytes, line) {
      self = header.hasLoadAddress ? .lld : .mold
      return
    }
    if bytes.hasPrefix("# Path: ", at: line.lowerBound) {
      self = .ld64
      return
    }
    guard Self.firstTitles.contains(where: { bytes.hasPrefix($0, at: line.lowerBound) }) else {
      throw Self.unsupported(bytes, line, lineNumber: lines.lineNumber)
    }
    var next: Range<Int>? = line
    while let title = next {
      if Self.isTitle(.gnu, bytes, title) {
        self = .gnu
        return
      }
      if Self.isTitle(.gold, bytes, title) {
        self = .gold
        return
      }
      next = lines.next()
    }
    throw ParseError(
      .missing, "'Linker script and memory map' or 'Memory map'",
      at: FileOffset(rawValue: UInt64(bytes.count)), line: lines.lineNumber)
  }

  /// Whether the line is the title of the part that lists what was laid out.
  static func isTitle(_ grammar: Self, _ bytes: FileBytes, _ line: Range<Int>) -> Bool {
    let title: StaticString = grammar == .gnu ? "Linker script and memory map" : "Memory map"
    return line.count == title.utf8CodeUnitCount && bytes.hasPrefix(title, at: line.lowerBound)
  }

  private static func unsupported(
    _ bytes: FileBytes, _ line: Range<Int>, lineNumber: Int
  ) -> ParseError {
    ParseError(
      .unsupported(
        found:
          "'\(bytes.text(line.prefix(60)))', expected a map of ld.lld, GNU ld, gold, mold or ld64"),
      "link map", at: FileOffset(rawValue: UInt64(line.lowerBound)), line: lineNumber)
  }
}
