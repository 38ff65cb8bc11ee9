import Addresses
import ByteReading

/// Reads the body of a map in columns, lld's or mold's.
///
/// After the numbers and one blank, the indentation shows what the line describes: 0 blanks an output section, 8 an
/// input section written `FILE:(SECTION)`, 16 a symbol. A name may begin with blanks. It may also contain line feeds: a
/// line without the numbers continues the name before it.
struct ColumnMapReader {
  private let header: ColumnHeader
  private var lines: LineScanner
  private var builder: LinkMapBuilder
  private var last = Last.nothing

  /// The entry that a line without numbers continues.
  private enum Last {
    case nothing, section, inputSection, symbol
    /// An assignment or another command of a linker script, or an input section whose file name has a line feed. The
    /// next lines show which of these it is. It has no `:(` up to `searched`.
    case command(start: Int, searched: Int, address: StatedAddress, size: UInt64)
    /// A command that is in no output section, or an output section whose name looks like a command. If an input
    /// section follows, the line is an output section.
    case outerCommand(name: Range<Int>, address: StatedAddress, size: UInt64)
  }

  /// - Throws: `invalid` if there is no header.
  init(_ bytes: FileBytes) throws(ParseError) {
    lines = LineScanner(bytes)
    builder = LinkMapBuilder(bytes)
    var line = lines.next()
    while let empty = line, empty.isEmpty { line = lines.next() }
    guard let line, let header = ColumnHeader(bytes, line) else {
      throw ParseError(
        .invalid(expected: "the titles of the columns", found: "something else"), "header",
        at: FileOffset(rawValue: 0), line: 1)
    }
    self.header = header
  }

  /// - Throws: `invalid` for a line that is neither an entry nor part of a name.
  mutating func read(_ grammar: LinkMapGrammar) throws(ParseError) -> LinkMap {
    while let line = lines.next() { try add(line) }
    return builder.finish(grammar)
  }

  private mutating func add(_ line: Range<Int>) throws(ParseError) {
    var fields = ColumnFields(
      bytes: lines.bytes, position: line.lowerBound, end: line.upperBound)
    guard let (address, size) = numbers(&fields) else { return try addContinuation(line) }
    let text = fields.position..<line.upperBound
    if case .outerCommand(let name, let address, let size) = last, hasIndent(8, text) {
      try builder.addSection(name, at: address, size: size)
    }
    if hasIndent(16, text) {
      guard builder.addSymbol(text.dropFirst(16), at: address, size: size) else {
        throw invalid(line)
      }
      last = .symbol
    } else if hasIndent(8, text) {
      let piece = text.dropFirst(8)
      try addPiece(piece, searched: piece.lowerBound, at: address, size: size, line)
    } else if isAssignment(text) {
      last = .outerCommand(name: text, address: address, size: size)
    } else {
      try builder.addSection(text, at: address, size: size)
      last = .section
    }
  }

  /// The numbers before the text, and the blank after them; `nil` if they are missing.
  @inline(__always)
  private func numbers(_ fields: inout ColumnFields) -> (address: StatedAddress, size: UInt64)? {
    guard let address = fields.hexadecimal(width: header.addressWidth), fields.separator() else {
      return nil
    }
    var size: UInt64?
    if header.hasLoadAddress {
      guard fields.hexadecimal(width: header.addressWidth) != nil, fields.separator() else {
        return nil
      }
      size = fields.hexadecimal(width: header.sizeWidth)
    } else {
      size = fields.decimal(width: header.sizeWidth)
    }
    guard let size, fields.separator(), fields.decimal(width: header.alignmentWidth) != nil,
      fields.separator()
    else { return nil }
    return (StatedAddress(rawValue: address), size)
  }

  private func hasIndent(_ count: Int, _ text: Range<Int>) -> Bool {
    guard text.count >= count else { return false }
    let blanks: UInt64 = 0x2020_2020_2020_2020
    guard lines.bytes.loadUnaligned(UInt64.self, at: text.lowerBound) == blanks else {
      return false
    }
    return count <= 8
      || lines.bytes.loadUnaligned(UInt64.self, at: text.lowerBound + 8) == blanks
  }

  /// Whether a line without indentation is a command of a linker script: `. = 0x1000`, `ASSERT (…)`.
  private func isAssignment(_ text: Range<Int>) -> Bool {
    text.contains { lines.bytes[$0] == UInt8(ascii: "=") || lines.bytes[$0] == UInt8(ascii: "(") }
  }

  /// Adds a line with the indentation of input sections: an input section, or a command of a linker script.
  private mutating func addPiece(
    _ text: Range<Int>, searched: Int, at address: StatedAddress, size: UInt64, _ line: Range<Int>
  ) throws(ParseError) {
    guard let colon = separatorOfFileAndSection(searched..<text.upperBound) else {
      // The last byte may be the colon of a `:(` that the next line completes.
      let searched = max(searched, text.upperBound - 1)
      last = .command(start: text.lowerBound, searched: searched, address: address, size: size)
      return
    }
    let name = withoutParenthesis(colon + 2, text.upperBound)
    let file = text.lowerBound..<colon
    guard builder.addInputSection(name, file: file, at: address, size: size) else {
      throw invalid(line)
    }
    last = .inputSection
  }

  /// The first `:(` in `text`.
  private func separatorOfFileAndSection(_ text: Range<Int>) -> Int? {
    var rest = text
    while let colon = lines.bytes.firstIndex(of: UInt8(ascii: ":"), in: rest) {
      if lines.bytes.hasPrefix(":(", at: colon), colon + 2 <= text.upperBound { return colon }
      rest = colon + 1..<text.upperBound
    }
    return nil
  }

  private func withoutParenthesis(_ start: Int, _ end: Int) -> Range<Int> {
    let isClosed = end > start && lines.bytes[end - 1] == UInt8(ascii: ")")
    return start..<(isClosed ? end - 1 : end)
  }

  private mutating func addContinuation(_ line: Range<Int>) throws(ParseError) {
    switch last {
    case .nothing: throw invalid(line)
    case .section: builder.extendSectionName(to: line.upperBound)
    case .inputSection:
      let end = withoutParenthesis(line.lowerBound, line.upperBound).upperBound
      builder.extendInputSectionName(to: end)
    case .symbol: builder.extendSymbolName(to: line.upperBound)
    case .outerCommand(let name, let address, let size):
      last = .outerCommand(
        name: name.lowerBound..<line.upperBound, address: address, size: size)
    case .command(let start, let searched, let address, let size):
      try addPiece(start..<line.upperBound, searched: searched, at: address, size: size, line)
    }
  }

  private func invalid(_ line: Range<Int>) -> ParseError {
    ParseError(
      .invalid(
        expected: "address, size, alignment and name of an output section",
        found: "'\(lines.bytes.text(line.prefix(60)))'"),
      "line of the link map", at: FileOffset(rawValue: UInt64(line.lowerBound)),
      line: lines.lineNumber)
  }
}
