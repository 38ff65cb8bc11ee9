extension Sequence where Element: FixedWidthInteger {
  /// The sum, or the greatest number there is where it is greater: files state sizes and counts that no memory
  /// holds. None of the numbers is negative.
  ///
  /// - Complexity: O(*n*) for *n* numbers.
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
