/// Reads a text line by line without copying.
///
/// A line ends at a line feed, which is not part of it. If the first line has a carriage return before its line feed,
/// as in files that went through Windows, a carriage return before any line feed is not part of the line either.
/// Otherwise a carriage return is part of its line, because names can contain one. Text after the last line feed is
/// also a line.
public struct LineScanner {
  public let bytes: FileBytes
  /// The start of the next line, in bytes from the start of the file.
  public private(set) var position = 0
  /// The number of the line that `next` returned last, from 1; 0 before the first.
  public private(set) var lineNumber = 0
  /// Whether a carriage return before a line feed is part of the line's end.
  private var endsWithCarriageReturn = false

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
    let hasCarriageReturn =
      start < end && end < bytes.count && bytes[end - 1] == UInt8(ascii: "\r")
    if lineNumber == 1 { endsWithCarriageReturn = hasCarriageReturn }
    return start..<(endsWithCarriageReturn && hasCarriageReturn ? end - 1 : end)
  }
}
