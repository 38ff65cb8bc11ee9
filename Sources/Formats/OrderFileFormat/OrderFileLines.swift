import Addresses
import ByteReading

/// The lines of a text in sequence, without line feeds; an unterminated last line counts.
package struct OrderFileLines {
  private var lines: LineScanner
  /// The offset of the line that `next` returned last.
  package private(set) var offset = FileOffset(rawValue: 0)
  /// The number of the line that `next` returned last, from 1.
  package var number: Int { lines.lineNumber }

  package init(_ bytes: FileBytes) { lines = LineScanner(bytes) }

  /// The range in the file of `part`, a slice of the line that `next` returned last.
  package func range(of part: ArraySlice<UInt8>) -> Range<Int> {
    let start = Int(offset.rawValue)
    return start + part.startIndex..<start + part.endIndex
  }

  /// The next line; `nil` at the end of the file.
  ///
  /// - Throws: `invalid` if it contains a zero byte: no name does, so the file is not an order file.
  package mutating func next() throws(ParseError) -> [UInt8]? {
    guard let line = lines.next() else { return nil }
    offset = FileOffset(rawValue: UInt64(line.lowerBound))
    guard lines.bytes.firstIndex(of: 0, in: line) == nil else {
      throw ParseError(
        .invalid(expected: "text", found: "a zero byte"), "order file", at: offset, line: number)
    }
    return lines.bytes.copy(line)
  }
}

/// The characters that `isspace` of the C locale accepts.
func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }
