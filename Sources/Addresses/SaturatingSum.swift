extension Sequence<UInt64> {
  /// The sum, or 2^64 - 1 where it is greater: files state sizes and counts that no memory holds.
  ///
  /// - Complexity: O(*n*) for *n* numbers.
  public func saturatingSum() -> UInt64 {
    var total: UInt64 = 0
    for value in self {
      let (sum, overflow) = total.addingReportingOverflow(value)
      if overflow { return .max }
      total = sum
    }
    return total
  }
}
