import Addresses

/// A position in a file, from which fields are read one after the other. It cannot leave its range.
///
/// A failed read throws and does not move. Copying a cursor is cheap and gives a second, independent
/// position.
public struct ByteCursor {
  public let bytes: FileBytes
  public private(set) var position: FileOffset
  /// The position at which reading ends.
  public let end: FileOffset
  public let endianness: Endianness

  /// Makes a cursor at the start of `range`, a range of `bytes`; by default at the start of all bytes.
  public init(_ bytes: FileBytes, in range: ByteRange? = nil, endianness: Endianness = .little) {
    let range = range ?? bytes.all
    precondition(range.upperBound.rawValue <= UInt64(bytes.count), "ranges are checked when made")
    self.bytes = bytes
    self.position = range.lowerBound
    self.end = range.upperBound
    self.endianness = endianness
  }

  /// The number of bytes that are not read yet.
  public var remaining: UInt64 { end.rawValue - position.rawValue }
  public var isAtEnd: Bool { position == end }
}

/// The byte order of the integers in a file.
public enum Endianness: Sendable { case little, big }

extension ByteCursor {
  /// Reads an integer and advances past it.
  ///
  /// - Throws: `truncated`.
  public mutating func read<T: FixedWidthInteger & BitwiseCopyable>(
    _: T.Type, _ field: StaticString
  ) throws(ParseError) -> T {
    let here = position
    try skip(UInt64(MemoryLayout<T>.size), field)
    let raw = bytes.loadUnaligned(T.self, at: Int(here.rawValue))  // `skip` has checked the range
    return endianness == .little ? T(littleEndian: raw) : T(bigEndian: raw)
  }

  /// Reads a 4- or 8-byte unsigned integer, depending on the class of the file.
  public mutating func readWord(
    is64Bit: Bool, _ field: StaticString
  ) throws(ParseError) -> UInt64 {
    is64Bit ? try read(UInt64.self, field) : UInt64(try read(UInt32.self, field))
  }

  /// Advances past `byteCount` bytes.
  public mutating func skip(_ byteCount: UInt64, _ field: StaticString) throws(ParseError) {
    guard remaining >= byteCount else {
      throw ParseError(
        .truncated(needed: byteCount, found: remaining), "\(field)", at: position)
    }
    position.rawValue += byteCount
  }

  /// Advances past `byteCount` bytes and returns their range.
  public mutating func readRange(
    _ byteCount: UInt64, _ field: StaticString
  ) throws(ParseError) -> ByteRange {
    let here = position
    try skip(byteCount, field)
    return here..<position
  }

  /// Advances to the next multiple of `alignment`, counted from `start`, which must not be after the cursor.
  public mutating func align(
    to alignment: UInt64, from start: FileOffset, _ field: StaticString
  ) throws(ParseError) {
    precondition(alignment > 0 && alignment & (alignment - 1) == 0, "alignments are powers of two")
    let padding = (alignment - (position.rawValue - start.rawValue) % alignment) % alignment
    try skip(min(padding, remaining), field)
  }

  /// Reads bytes up to a zero byte, advances past it, and returns their range without the zero.
  ///
  /// - Throws: `truncated` if the range ends before a zero byte.
  public mutating func readZeroTerminated(_ field: StaticString) throws(ParseError) -> ByteRange {
    let range = (position..<end).indices
    guard let zero = bytes.firstIndex(of: 0, in: range) else {
      throw ParseError(
        .truncated(needed: remaining + 1, found: remaining), "\(field)", at: position)
    }
    let text = position..<FileOffset(rawValue: UInt64(zero))
    position.rawValue = UInt64(zero) + 1
    return text
  }
}
