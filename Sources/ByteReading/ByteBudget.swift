import Addresses

/// How many bytes of a table may be handed out in all.
///
/// Names and tables of a file may share bytes, and a file of a few kilobytes can give each of a thousand
/// symbols a name that is nearly as long as the file. Whoever reads or copies such bytes for each of their
/// users takes them from a budget that is a multiple of the table's own size, so that time and memory stay
/// near linear in it.
public struct ByteBudget: Sendable {
  /// In bytes.
  public let limit: UInt64
  public private(set) var spent: UInt64 = 0

  public init(limit: UInt64) { self.limit = limit }

  /// For names in a table of `byteCount` bytes: what linkers share are ends of names, which rarely comes to
  /// twice the table.
  public init(namesIn byteCount: Int) {
    self.init(limit: ParsingLimits.sharing * UInt64(byteCount) + ParsingLimits.smallTable)
  }

  /// Whether nothing is left.
  public var isSpent: Bool { spent >= limit }

  /// Takes `byteCount` bytes.
  ///
  /// - Returns: `false`, and nothing is left, if that is more than there was.
  public mutating func take(_ byteCount: Int) -> Bool {
    guard UInt64(byteCount) <= limit - spent else {
      spent = limit
      return false
    }
    spent += UInt64(byteCount)
    return true
  }

  /// Takes `byteCount` bytes of `field`.
  ///
  /// - Throws: `tooLarge` if that is more than there was.
  public mutating func take(
    _ byteCount: Int, _ field: String, at position: FileOffset
  ) throws(ParseError) {
    let wanted = spent + UInt64(byteCount)
    guard take(byteCount) else {
      throw ParseError(.tooLarge(limit: limit, found: wanted), field, at: position)
    }
  }
}
