extension RandomAccessCollection {
  /// The index of the first element that meets `predicate`, or `endIndex` if none does: binary search in a
  /// collection that has all that don't meet it before all that do.
  ///
  /// Named as in Swift Algorithms, <https://github.com/apple/swift-algorithms>, which docs/DESIGN.md says
  /// why it is not taken from.
  ///
  /// - Complexity: O(log *n*) calls of `predicate` for *n* elements.
  @inlinable
  public func partitioningIndex(where predicate: (Element) throws -> Bool) rethrows -> Index {
    var low = startIndex
    var remaining = count
    while remaining > 0 {
      let half = remaining / 2
      let middle = index(low, offsetBy: half)
      if try predicate(self[middle]) {
        remaining = half
      } else {
        low = index(after: middle)
        remaining -= half + 1
      }
    }
    return low
  }
}
