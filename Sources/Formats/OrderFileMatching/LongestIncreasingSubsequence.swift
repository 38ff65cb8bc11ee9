import Addresses

/// The positions of one longest strictly increasing subsequence of `values`, ascending.
///
/// Patience sorting: each card goes on the leftmost pile whose top is not smaller. The number of piles is the length of
/// the subsequence, and each card remembers the top of the pile to its left at that time. If there are several longest
/// subsequences, the result has the smallest last value, then the smallest value before it, and so on. So the result
/// depends only on the values.
///
/// Schensted, "Longest increasing and decreasing subsequences", Canadian Journal of Mathematics 13 (1961).
///
/// - Complexity: O(*n* log *n*) for *n* values.
package func longestIncreasingSubsequence(of values: [UInt64]) -> [Int] {
  /// For each pile, the position of the top card; their values ascend.
  var tops: [Int] = []
  var previous = [Int?](repeating: nil, count: values.count)
  for (i, value) in values.enumerated() {
    let pile = tops.partitioningIndex { values[$0] >= value }
    previous[i] = pile > 0 ? tops[pile - 1] : nil
    if pile == tops.count { tops.append(i) } else { tops[pile] = i }
  }
  var subsequence: [Int] = []
  var next = tops.last
  while let position = next {
    subsequence.append(position)
    next = previous[position]
  }
  return subsequence.reversed()
}
