import Addresses
import ByteReading

extension OrderFile {
  /// The bytes of this file with other symbols in some entries. Everything else stays as it is, byte by byte: comments,
  /// blanks, line ends, other entries.
  ///
  /// Names are replaced in the text, because a file that people edit contains more than entries. The result is read
  /// again: if its entries are not the entries of this file with the new symbols, an error is thrown. So no dialect
  /// needs rules here about where a name ends.
  ///
  /// - Parameters:
  ///   - symbols: the new symbols, by the indexes of their entries.
  ///   - bytes: the bytes from which this file was read.
  /// - Throws: `unsupported` with the line if the dialect can't write a new symbol in the place of the old one.
  /// - Complexity: O(*n*) for *n* bytes before and after.
  package func renaming(
    _ symbols: [Int: [UInt8]], in bytes: FileBytes
  ) throws(ParseError) -> [UInt8] {
    var expected = entries
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var copied = 0
    for index in entries.indices {
      guard let symbol = symbols[index], symbol != entries[index].symbol else { continue }
      guard let entry = entries[index].named(symbol, namesSection: dialect.namesSections) else {
        throw unwritable(symbol, line: lines[index])
      }
      expected[index] = entry
      let range = nameRanges[index]
      result += bytes.copy(copied..<range.lowerBound)
      let namesSection = dialect.namesSections && !entries[index].needsComment
      result += namesSection ? glob(matchingOnly: entry.section ?? []) : symbol
      copied = range.upperBound
    }
    result += bytes.copy(copied..<bytes.count)
    try check(result, has: expected)
    return result
  }

  /// - Throws: if `result` reads as something else than the `expected` entries.
  private func check(
    _ result: [UInt8], has expected: [OrderFileEntry]
  ) throws(ParseError) {
    let found = try dialect.read(FileBytes(result))
    guard found.entries != expected || found.patterns != patterns else { return }
    let index = zip(found.entries, expected).enumerated().first { $1.0 != $1.1 }?.offset
    throw unwritable(index.map { expected[$0].symbol } ?? [], line: index.map { lines[$0] } ?? 1)
  }

  private func unwritable(_ symbol: [UInt8], line: Int) -> ParseError {
    ParseError(
      .unsupported(found: "'\(String(decoding: symbol, as: UTF8.self))'"), "name in an order file",
      at: FileOffset(rawValue: 0), line: line)
  }
}

extension OrderFileEntry {
  /// This entry with another symbol, and with the section that is named for the symbol; `nil` if a dialect has no such
  /// section. A section that is not named for its function keeps its name.
  fileprivate func named(_ symbol: [UInt8], namesSection: Bool) -> OrderFileEntry? {
    var entry = self
    entry.symbol = symbol
    guard namesSection, !needsComment else { return entry }
    guard let section, let place = FunctionSection(section.span.bytes) else { return nil }
    var function = symbol[...]
    if let suffix = place.part.suffix {
      guard function.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) else { return nil }
      function = function.dropLast(suffix.utf8.count)
    }
    entry.section = Array(section[..<place.nameStart]) + function
    return FunctionSection.symbol(of: (entry.section ?? [])[...]) == symbol ? entry : nil
  }
}
