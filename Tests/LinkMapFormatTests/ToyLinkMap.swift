import Addresses
import ByteReading
import ImageModel
import LinkMapFormat

// A grammar that no linker writes, in one file, as CONTRIBUTING.md says how to add one:
//
//     toy linker
//     00001000 00000040 section  .text
//     00001000 00000010 function main
//
// Both numbers are hexadecimal and fill their columns; a name is the rest of its line.

extension LinkMapGrammar {
  static let toy = LinkMapGrammar(
    name: "toy", imageFormat: .elf, listsLocalSymbols: true,
    recognizes: { $0.hasPrefix("toy linker\n", at: $1.lowerBound) }, reader: readToy)
}

@Sendable private func readToy(_ bytes: FileBytes) throws(ParseError) -> LinkMap {
  var builder = LinkMapBuilder(bytes)
  var lines = LineScanner(bytes)
  var line = lines.next()  // the title
  line = lines.next()
  while let text = line {
    var fields = ColumnFields(bytes: bytes, position: text.lowerBound, end: text.upperBound)
    guard let start = fields.hexadecimal(width: 8), fields.separator(),
      let size = fields.hexadecimal(width: 8), fields.separator(), text.count > 27
    else { throw invalid(text, lines) }
    let (name, address) = (text.dropFirst(27), StatedAddress(rawValue: start))
    if bytes.hasPrefix("section  ", at: fields.position) {
      try builder.addSection(name, at: address, size: size)
    } else if !bytes.hasPrefix("function ", at: fields.position)
      || !builder.addSymbol(name, at: address, size: size)
    {
      throw invalid(text, lines)
    }
    line = lines.next()
  }
  return builder.finish(.toy)
}

private func invalid(_ line: Range<Int>, _ lines: LineScanner) -> ParseError {
  ParseError(
    .invalid(
      expected: "address, size, 'section' or 'function', and name",
      found: "'\(lines.bytes.text(line))'"), "line of the link map",
    at: FileOffset(rawValue: UInt64(line.lowerBound)), line: lines.lineNumber)
}
