import Addresses
import ByteReading
import ImageModel

// ld64 -map: ld64 classic, Apple's linker since Xcode 15, and ld64.lld.
//
//     # Path: App
//     # Arch: arm64
//     # Object files:
//     [  0] linker synthesized
//     [  1] /Build/libapp.a(leaf.o)
//     # Sections:
//     # Address	Size    	Segment	Section
//     0x100004000	0x00000100	__TEXT	__text
//     # Symbols:
//     # Address	Size    	File  Name
//     0x100004000	0x00000040	[  1] _main
//     # Dead Stripped Symbols:
//     #        	Size    	File  Name
//     <<dead>>	0x00000010	[  1] _unused
//
// Fields are separated by tabs; numbers are upper-case hexadecimal with at least eight digits. A name is the
// rest of its line and may contain anything, even line feeds: a line that is not an entry continues the name
// before it. ld64 classic has an empty line before the dead-stripped symbols, and a blank after `<<dead>>`.
// The section of a symbol follows from its address only.

extension LinkMapGrammar {
  /// ld64 classic, Apple's linker since Xcode 15 and ld64.lld: the maps do not state which of these linkers wrote them.
  ///
  /// Symbols in no section are left out, as are literal strings among the dead-stripped symbols. In addition
  /// to the errors of all maps, reading throws `missing` for a part that is not there, and `invalid` for a
  /// number of more than 64 bits, for the index of an object file that is not listed, and for a section that
  /// overlaps another.
  ///
  /// <https://github.com/apple-oss-distributions/ld64/blob/main/src/ld/OutputFile.cpp>, `writeMapFile`;
  /// <https://github.com/llvm/llvm-project/blob/main/lld/MachO/MapFile.cpp>
  package static let ld64 = LinkMapGrammar(
    name: "ld64", imageFormat: .machO, listsLocalSymbols: true,
    recognizes: { $0.hasPrefix("# Path: ", at: $1.lowerBound) }, reader: readLD64)
}

@Sendable private func readLD64(_ bytes: FileBytes) throws(ParseError) -> LinkMap {
  var reader = LD64MapReader(bytes)
  return try reader.read()
}

/// Reads the parts in sequence; each begins with its title.
private struct LD64MapReader {
  private let bytes: FileBytes
  private var lines: LineScanner
  private var builder: LinkMapBuilder
  private var files = LD64ObjectFiles()
  private var sections = LD64Sections()
  /// The section and object file of the last symbol. Consecutive symbols with the same section and object file form one
  /// piece of the image.
  private var piece: (section: UInt32, file: UInt64)?

  private enum Title {
    static let architecture: StaticString = "# Arch: "
    static let objectFiles: StaticString = "# Object files:"
    static let sections: StaticString = "# Sections:"
    static let symbols: StaticString = "# Symbols:"
    static let deadStripped: StaticString = "# Dead Stripped Symbols:"
  }

  init(_ bytes: FileBytes) {
    self.bytes = bytes
    lines = LineScanner(bytes)
    builder = LinkMapBuilder(bytes)
  }

  mutating func read() throws(ParseError) -> LinkMap {
    builder.architecture = try readArchitecture()
    try readObjectFiles()
    try readSections()
    if try readSymbols() { try readDeadStrippedSymbols() }
    // Copying the names reads them once more; the rest of the map is no longer needed.
    bytes.release(0..<bytes.count)
    return builder.finish(.ld64)
  }

  private func begins(_ line: Range<Int>, with text: StaticString) -> Bool {
    bytes.hasPrefix(text, at: line.lowerBound)
  }

  private func fields(of line: Range<Int>) -> LD64Fields {
    LD64Fields(bytes: bytes, position: line.lowerBound, end: line.upperBound)
  }

  private func missing(_ part: StaticString) -> ParseError {
    ParseError(
      .missing, "'\(part)'", at: FileOffset(rawValue: UInt64(bytes.count)), line: lines.lineNumber)
  }

  private func invalid(
    _ field: String, expected: String, _ line: Range<Int>
  ) -> ParseError {
    ParseError(
      .invalid(expected: expected, found: "'\(bytes.text(line.prefix(60)))'"), field,
      at: FileOffset(rawValue: UInt64(line.lowerBound)), line: lines.lineNumber)
  }
}

// MARK: The parts before the symbols

extension LD64MapReader {
  /// Reads up to the title of the object files. Other lines are skipped: the rest of a path that contains a line feed,
  /// and lines that linkers may add about the image in the future.
  private mutating func readArchitecture() throws(ParseError) -> LinkMap.Text {
    var architecture: LinkMap.Text?
    while let line = lines.next() {
      if begins(line, with: Title.architecture) {
        architecture = LinkMap.Text(line.dropFirst(Title.architecture.utf8CodeUnitCount))
      } else if begins(line, with: Title.objectFiles) {
        guard let architecture else { throw missing(Title.architecture) }
        return architecture
      }
    }
    throw missing(Title.objectFiles)
  }

  private mutating func readObjectFiles() throws(ParseError) {
    while let line = lines.next() {
      if begins(line, with: Title.sections) { return }
      var fields = fields(of: line)
      if let index = fields.fileIndex() {
        guard files.add(index, fields.position..<line.upperBound) else {
          throw invalid("object file", expected: "an index above the one before it", line)
        }
      } else if !files.extendLast(to: line.upperBound) {
        throw invalid("object file", expected: "'[  0] linker synthesized'", line)
      }
    }
    throw missing(Title.sections)
  }

  private mutating func readSections() throws(ParseError) {
    while let line = lines.next() {
      if begins(line, with: Title.symbols) { return try sections.sort(bytes) }
      if begins(line, with: "# Address") { continue }
      var fields = fields(of: line)
      guard let address = fields.address(), let size = fields.number(),
        bytes.firstIndex(of: UInt8(ascii: "\t"), in: fields.position..<line.upperBound) != nil
      else {
        throw invalid("section", expected: "address, size, segment and name between tabs", line)
      }
      guard address.advanced(by: size) != nil else {
        throw invalid("size of a section", expected: "an end below 2^64", line)
      }
      let name = fields.position..<line.upperBound
      try builder.addSection(name, at: address, size: size)
      sections.add(address, size, name: name)
    }
    throw missing(Title.symbols)
  }
}

// MARK: Symbols

extension LD64MapReader {
  /// The entry to which a line that is not an entry belongs.
  private enum Last {
    case nothing, symbol
    /// The last entry was a symbol that was left out.
    case other
  }

  /// - Returns: whether the title of the dead-stripped symbols was read.
  private mutating func readSymbols() throws(ParseError) -> Bool {
    var last = Last.nothing
    // An empty line belongs to ld64 if a title or nothing follows, and otherwise to a name.
    var emptyLine: Int?
    while let line = lines.next() {
      var fields = fields(of: line)
      if let address = fields.address(), let size = fields.number(), let file = fields.fileIndex() {
        if let end = emptyLine {
          if last == .symbol { builder.extendSymbolName(to: end) }
          emptyLine = nil
        }
        let name = fields.position..<line.upperBound
        let isAdded = try addSymbol(name, at: address, size: size, file: file, line)
        last = isAdded ? .symbol : .other
      } else if begins(line, with: Title.deadStripped) {
        return true
      } else if line.isEmpty {
        emptyLine = line.lowerBound
      } else if last == .nothing {
        guard begins(line, with: "# Address") else {
          throw invalid("symbol", expected: "address, size, object file and name", line)
        }
      } else {
        if last == .symbol { builder.extendSymbolName(to: line.upperBound) }
        emptyLine = nil
      }
    }
    return false
  }

  /// - Returns: `false` if the symbol is in no section.
  @inline(__always)
  private mutating func addSymbol(
    _ name: Range<Int>, at address: StatedAddress, size: UInt64, file: UInt64, _ line: Range<Int>
  ) throws(ParseError) -> Bool {
    guard let section = sections.index(containing: address) else { return false }
    if piece?.section != section || piece?.file != file {
      guard let path = files.path(file) else {
        throw invalid("object file of a symbol", expected: "an index that is listed", line)
      }
      builder.addInputSection(ofSection: section, file: path, at: address)
      piece = (section, file)
    }
    builder.addSymbol(name, widening: address, size: size)
    return true
  }

  private mutating func readDeadStrippedSymbols() throws(ParseError) {
    var last = Last.nothing
    while let line = lines.next() {
      var fields = fields(of: line)
      if fields.isDead(), fields.number() != nil, fields.fileIndex() != nil {
        let name = fields.position..<line.upperBound
        let isSymbol = !begins(name, with: "literal string: ")
        if isSymbol { builder.discardedSymbols.append(LinkMap.Text(name)) }
        last = isSymbol ? .symbol : .other
      } else if last == .nothing {
        guard begins(line, with: "#") else {
          throw invalid(
            "dead-stripped symbol", expected: "'<<dead>>', size, object file and name", line)
        }
      } else if last == .symbol {
        builder.extendDiscardedSymbol(to: line.upperBound)
      }
    }
  }
}
