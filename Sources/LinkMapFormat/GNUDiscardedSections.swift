import ByteReading

/// Reads the part of a GNU ld or gold map that lists discarded input sections.
///
///     Discarded input sections
///
///      .text.gone     0x0000000000000000        0x4 a.o
///      .text.gone_with_a_long_name
///                     0x0000000000000000        0x4 a.o
///
/// The next title ends the part. A line feed in a name ends it too, because the rest looks like a title. What
/// follows is then not read; that loses explanations, but no functions.
struct GNUDiscardedSections {
  private(set) var names: [LinkMap.Text] = []

  static func isTitle(_ bytes: FileBytes, _ line: Range<Int>) -> Bool {
    bytes.hasPrefix("Discarded input sections", at: line.lowerBound)
  }

  /// - Parameter lines: positioned after the title.
  /// - Returns: the line that ended the part; `nil` at the end of the file.
  mutating func read(_ lines: inout LineScanner) -> Range<Int>? {
    while let line = lines.next() {
      guard let first = line.first else { continue }
      guard lines.bytes[first] == UInt8(ascii: " ") else { return line }
      // Lines with more indentation are the numbers of the name before.
      guard line.count > 1, lines.bytes[first + 1] != UInt8(ascii: " ") else { continue }
      names.append(LinkMap.Text(name(in: line, lines.bytes)))
    }
    return nil
  }

  /// The name begins after one blank, and extends to the column of the numbers if they are in the same line.
  private func name(in line: Range<Int>, _ bytes: FileBytes) -> Range<Int> {
    let column = line.lowerBound + 16
    let hasNumbers = column < line.upperBound && bytes.hasPrefix("0x", at: column)
    let end = hasNumbers ? column : line.upperBound
    return bytes.trimmingBlanksAtEnd(of: line.lowerBound + 1..<end)
  }
}
