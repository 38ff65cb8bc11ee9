import ByteReading

/// Reads the part of a map of GNU ld or gold that lists what was left out.
///
///     Discarded input sections
///
///      .text.gone     0x0000000000000000        0x4 a.o
///      .text.gone_with_a_long_name
///                     0x0000000000000000        0x4 a.o
///
/// The next title ends it. A line feed in a name ends it too, as it is not told from a title: what follows
/// is then not read, which costs an explanation and no function.
struct GNUDiscardedSections {
  private(set) var names: [LinkMap.Text] = []

  static func isTitle(_ bytes: FileBytes, _ line: Range<Int>) -> Bool {
    bytes.hasPrefix("Discarded input sections", at: line.lowerBound)
  }

  /// - Parameter lines: behind the title.
  /// - Returns: the line that ended the part; `nil` at the end of the file.
  mutating func read(_ lines: inout LineScanner) -> Range<Int>? {
    while let line = lines.next() {
      guard let first = line.first else { continue }
      guard lines.bytes[first] == UInt8(ascii: " ") else { return line }
      // Deeper are the numbers of the name before.
      guard line.count > 1, lines.bytes[first + 1] != UInt8(ascii: " ") else { continue }
      names.append(LinkMap.Text(name(in: line, lines.bytes)))
    }
    return nil
  }

  /// Behind one blank, and up to the column of the numbers if they stand in the same line.
  private func name(in line: Range<Int>, _ bytes: FileBytes) -> Range<Int> {
    let column = line.lowerBound + 16
    let hasNumbers = column < line.upperBound && bytes.hasPrefix("0x", at: column)
    let end = hasNumbers ? column : line.upperBound
    return bytes.trimmingBlanksAtEnd(of: line.lowerBound + 1..<end)
  }
}
