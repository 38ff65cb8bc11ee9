import Addresses
import ByteReading
import ImageModel

// GNU ld -Map. The placed sections are in the last part before the cross references:
//
//     Linker script and memory map
//
//     LOAD a.o
//
//     .text           0x0000000000001050      0x276
//      *(.text.unlikely .text.*_unlikely .text.unlikely.*)
//      .text.unlikely.coldfn
//                     0x0000000000001050        0x4 a.o
//                     0x0000000000001050                coldfn
//      *fill*         0x0000000000001054        0xc
//
// A blank line precedes each output section. A name of 15 columns or more (including the blank before it) is
// on a line of its own, and its numbers follow on the next line. A symbol is 16 blanks, the address, 16
// blanks and the name; commands of a linker script have fewer blanks. Earlier parts list discarded sections, at address 0.
// Nothing is read from the cross references: no blank line precedes a name, and no numbers follow it.

extension LinkMapGrammar {
  /// <https://sourceware.org/git/?p=binutils-gdb.git;a=blob;f=ld/ldlang.c>, `lang_print…`
  package static let gnu = LinkMapGrammar(
    name: "GNU ld", imageFormat: .elf, listsLocalSymbols: false,
    recognizes: { (bytes, line) throws(ParseError) in
      try GNUMapStart(of: bytes, beginningWith: line)?.linker == .gnu
    }, reader: readGNU)
}

@Sendable private func readGNU(_ bytes: FileBytes) throws(ParseError) -> LinkMap {
  var reader = GNUMapReader(from: try GNUMapStart(of: bytes))
  return try reader.read(.gnu)
}

/// Reads the part of a GNU ld or gold map that lists the placed sections.
struct GNUMapReader {
  private var lines: LineScanner
  private var builder: LinkMapBuilder
  private var last = Last.nothing
  /// Whether the preceding line was empty: only then is a line without indentation an output section.
  private var isBehindEmptyLine = false

  /// The column where the numbers of a line begin.
  static let numberColumn = 16

  /// The entry that the next line may complete or continue.
  private enum Last {
    case nothing, inputSection, symbol
    /// A name whose numbers have not been read yet; `start` includes its indentation.
    case name(start: Int, end: Int)
  }

  init(from start: GNUMapStart) {
    lines = start.lines
    builder = LinkMapBuilder(lines.bytes)
    builder.discardedSections = start.discardedSections()
  }

  mutating func read(_ grammar: LinkMapGrammar) throws(ParseError) -> LinkMap {
    while let line = lines.next() {
      try add(line)
      isBehindEmptyLine = line.isEmpty
    }
    return builder.finish(grammar)
  }

  private mutating func add(_ line: Range<Int>) throws(ParseError) {
    let bytes = lines.bytes
    guard let first = line.first else {
      last = .nothing
      return
    }
    if bytes[first] != UInt8(ascii: " ") {
      try addUnindented(line)
    } else if line.count > 1, bytes[first + 1] != UInt8(ascii: " ") {
      // Patterns and fill: ` *(.text.*)`, ` *fill*`. gold's own pieces begin with two asterisks.
      let isPattern =
        bytes.hasPrefix(" *", at: first) && !bytes.hasPrefix(" ** ", at: first)
      if isPattern { last = .nothing } else { try addEntry(line.lowerBound, line) }
    } else {
      try addNumbers(line)
    }
  }

  /// Adds an output section, or the rest of a name that contains a line feed.
  private mutating func addUnindented(_ line: Range<Int>) throws(ParseError) {
    if isBehindEmptyLine { return try addEntry(line.lowerBound, line) }
    // `OUTPUT(app elf64-x86-64)` ends the list.
    if lines.bytes.hasPrefix("OUTPUT(", at: line.lowerBound) { last = .nothing }
    switch last {
    case .nothing: break
    case .name(let start, _): try addEntry(start, line)
    case .symbol: builder.extendSymbolName(to: line.upperBound)
    case .inputSection: builder.extendInputSectionFile(to: line.upperBound)
    }
  }

  /// Adds an entry whose name begins at `start`, in this line or, if the name contains a line feed, in an earlier line.
  /// Its numbers are in their column, counted from `start`, or on the next line.
  private mutating func addEntry(_ start: Int, _ line: Range<Int>) throws(ParseError) {
    let column = start + Self.numberColumn
    if column >= line.lowerBound, column < line.upperBound, lines.bytes.hasPrefix("0x", at: column),
      let numbers = numbers(column..<line.upperBound)
    {
      try addEntry(start..<column, numbers, line.upperBound)
    } else {
      last = .name(start: start, end: line.upperBound)
    }
  }

  /// Adds a line that begins with 16 blanks: the numbers of the name on the line before, or a symbol.
  private mutating func addNumbers(_ line: Range<Int>) throws(ParseError) {
    let column = line.lowerBound + Self.numberColumn
    guard column < line.upperBound, lines.bytes.hasPrefix("0x", at: column) else {
      // The line is a size before relaxation, or ends with `[!provide]`: such lines do not end a section.
      last = .nothing
      return
    }
    if case .name(let start, let end) = last {
      last = .nothing
      guard let numbers = numbers(column..<line.upperBound) else { return }
      return try addEntry(start..<end, numbers, line.upperBound)
    }
    last = .nothing
    var position = column
    guard let address = hexadecimal(&position, line.upperBound),
      let name = symbolName(position..<line.upperBound)
    else { return }
    if builder.addSymbol(name, at: StatedAddress(rawValue: address), size: 0) { last = .symbol }
  }

  /// Adds an output or input section, depending on the indentation of its name.
  private mutating func addEntry(
    _ name: Range<Int>, _ numbers: Numbers, _ end: Int
  ) throws(ParseError) {
    let bytes = lines.bytes
    last = .nothing
    if bytes[name.lowerBound] != UInt8(ascii: " ") {
      return try builder.addSection(
        bytes.trimmingBlanksAtEnd(of: name), at: numbers.address, size: numbers.size)
    }
    let file = min(numbers.end + 1, end)..<end
    let isAdded = builder.addInputSection(
      bytes.trimmingBlanksAtEnd(of: name.dropFirst()), file: file, at: numbers.address,
      size: numbers.size)
    if isAdded, !file.isEmpty { last = .inputSection }
  }

  private struct Numbers {
    var address: StatedAddress
    var size: UInt64
    /// The position after the size of the entry, in bytes from the start of the file.
    var end: Int
  }

  /// Reads an address and a size, each with `0x`, separated by blanks.
  private func numbers(_ text: Range<Int>) -> Numbers? {
    var position = text.lowerBound
    guard let address = hexadecimal(&position, text.upperBound) else { return nil }
    while position < text.upperBound, lines.bytes[position] == UInt8(ascii: " ") { position += 1 }
    guard let size = hexadecimal(&position, text.upperBound) else { return nil }
    return Numbers(address: StatedAddress(rawValue: address), size: size, end: position)
  }

  /// Advances past `0x` and lower-case digits.
  private func hexadecimal(_ position: inout Int, _ end: Int) -> UInt64? {
    guard lines.bytes.hasPrefix("0x", at: position) else { return nil }
    var fields = ColumnFields(bytes: lines.bytes, position: position, end: end)
    guard let value = fields.hexadecimal(width: 0) else { return nil }
    position = fields.position
    return value
  }

  /// The text after a symbol's address: 16 blanks and the name, unless it is a command of a linker script.
  private func symbolName(_ text: Range<Int>) -> Range<Int>? {
    let bytes = lines.bytes
    let name = text.dropFirst(Self.numberColumn)
    guard !name.isEmpty,
      !(text.lowerBound..<name.lowerBound).contains(where: { bytes[$0] != UInt8(ascii: " ") })
    else { return nil }
    for command: StaticString in ["PROVIDE", "HIDDEN (", "ASSERT ("]
    where bytes.hasPrefix(command, at: name.lowerBound) { return nil }
    // `. = ALIGN (0x10)`, `__start = .`: a word, a blank, an operator that ends with `=`, a blank.
    guard let blank = bytes.firstIndex(of: UInt8(ascii: " "), in: name) else { return name }
    var position = blank + 1
    while position < name.upperBound, bytes[position] != UInt8(ascii: " ") { position += 1 }
    let isAssignment =
      position > blank + 1 && position < name.upperBound
      && bytes[position - 1] == UInt8(ascii: "=")
    return isAssignment ? nil : name
  }
}
