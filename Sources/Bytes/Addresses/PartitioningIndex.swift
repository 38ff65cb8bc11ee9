extension RandomAccessCollection {
  /// The index of the first element that satisfies `predicate`, or `endIndex` if there is none, found by binary search.
  /// All elements that do not satisfy `predicate` must precede all elements that do.
  ///
  /// The name comes from Swift Algorithms, <https://github.com/apple/swift-algorithms>; docs/how-it-works/CHOICES.md
  /// explains why that package is not used.
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
