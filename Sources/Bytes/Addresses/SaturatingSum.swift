extension Sequence where Element: FixedWidthInteger {
  /// The sum of the numbers, or the largest representable number if the sum would overflow: files may state any size
  /// and count. The numbers must not be negative.
  ///
  /// - Complexity: O(*n*) for *n* numbers.
  @inlinable
  public func saturatingSum() -> Element {
    var total: Element = 0
    for value in self {
      let (sum, overflow) = total.addingReportingOverflow(value)
      if overflow { return .max }
      total = sum
    }
    return total
  }
}
