import Addresses
import ByteReading

/// The lines of a text, one after the other, without their line feed; an unfinished last line counts.
struct OrderFileLines {
  let bytes: FileBytes
  /// Of the line that `next` gave last; from 1.
  private(set) var number = 0
  /// Where that line begins.
  private(set) var start = 0
  private var position = 0

  init(_ bytes: FileBytes) { self.bytes = bytes }

  /// The next line; `nil` at the end of the file.
  ///
  /// - Throws: `invalid` if it holds a zero byte: no name does, and so the file is not an order file.
  mutating func next() throws(ParseError) -> [UInt8]? {
    guard position < bytes.count else { return nil }
    start = position
    number += 1
    let end = bytes.firstIndex(of: UInt8(ascii: "\n"), in: start..<bytes.count) ?? bytes.count
    guard bytes.firstIndex(of: 0, in: start..<end) == nil else {
      throw ParseError(
        .invalid(expected: "text", found: "a zero byte"), "order file", at: offset, line: number)
    }
    position = min(end + 1, bytes.count)
    return bytes.copy(start..<end)
  }

  /// Where the line that `next` gave last begins.
  var offset: FileOffset { FileOffset(rawValue: UInt64(start)) }
}

/// What `isspace` of the C locale calls blank.
func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }
