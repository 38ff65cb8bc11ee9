/// Reads a text line by line without copying.
///
/// A line ends at a line feed, which is not part of it; a preceding carriage return is. Text after the last
/// line feed is also a line.
public struct LineScanner {
  public let bytes: FileBytes
  /// The start of the next line, in bytes from the start of the file.
  public private(set) var position = 0
  /// The number of the line that `next` returned last, from 1; 0 before the first.
  public private(set) var lineNumber = 0

  public init(_ bytes: FileBytes) { self.bytes = bytes }

  /// The indexes of the next line's bytes; `nil` at the end of the file.
  ///
  /// - Complexity: O(*n*) for *n* bytes in the line.
  public mutating func next() -> Range<Int>? {
    guard position < bytes.count else { return nil }
    let start = position
    let end = bytes.firstIndex(of: UInt8(ascii: "\n"), in: start..<bytes.count) ?? bytes.count
    position = min(end + 1, bytes.count)
    lineNumber += 1
    return start..<end
  }
}
