import Addresses

/// A limit on the total number of bytes that may be read from a table.
///
/// Names and tables of a file may overlap: a file of a few kilobytes can give each of a thousand symbols a name that is
/// nearly as long as the file. Code that reads or copies such a name once for each symbol takes its bytes from a
/// budget. The budget is a multiple of the table's size, so that time and memory stay nearly linear in that size.
public struct ByteBudget: Sendable {
  /// The limit, in bytes.
  public let limit: UInt64
  public private(set) var spent: UInt64 = 0

  public init(limit: UInt64) { self.limit = limit }

  /// Makes a budget for the names in a table of `byteCount` bytes. Linkers let names share their ends; the names
  /// together are rarely twice as long as the table.
  public init(namesIn byteCount: Int) {
    self.init(limit: ParsingLimits.sharing * UInt64(byteCount) + ParsingLimits.smallTable)
  }

  /// Whether the budget is used up.
  public var isSpent: Bool { spent >= limit }

  /// Takes `byteCount` bytes from the budget.
  ///
  /// - Returns: `false` if fewer bytes were left; the budget is then used up.
  public mutating func take(_ byteCount: Int) -> Bool {
    guard UInt64(byteCount) <= limit - spent else {
      spent = limit
      return false
    }
    spent += UInt64(byteCount)
    return true
  }

  /// Takes `byteCount` bytes for `field` from the budget.
  ///
  /// - Throws: `tooLarge` if fewer bytes were left.
  public mutating func take(
    _ byteCount: Int, _ field: String, at position: FileOffset
  ) throws(ParseError) {
    let wanted = spent + UInt64(byteCount)
    guard take(byteCount) else {
      throw ParseError(.tooLarge(limit: limit, found: wanted), field, at: position)
    }
  }
}
