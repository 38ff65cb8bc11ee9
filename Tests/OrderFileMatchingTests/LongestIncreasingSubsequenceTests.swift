import OrderFileMatching
import TestSupport
import Testing

@Suite struct LongestIncreasingSubsequenceTests {
  @Test(
    arguments: [
      ([], []), ([7], [0]), ([1, 2, 3], [0, 1, 2]), ([3, 2, 1], [2]), ([5, 5, 5], [2]),
      ([2, 1, 3], [1, 2]), ([9, 1, 2, 3], [1, 2, 3]), ([1, 9, 2, 3], [0, 2, 3]),
      ([0, .max, 1], [0, 2]),
    ] as [([UInt64], [Int])])
  func givesTheSubsequenceWithTheSmallestLastValues(values: [UInt64], expected: [Int]) {
    #expect(longestIncreasingSubsequence(of: values) == expected)
  }

  @Test func isAsLongAsTheLongestThatASearchFinds() {
    var random = SeededRandom(seed: 21)
    for _ in 0..<200 {
      let values = (0..<12).map { _ in UInt64.random(in: 0..<10, using: &random) }
      let found = longestIncreasingSubsequence(of: values)
      #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 && values[$0] < values[$1] })
      // The length of the longest increasing subsequence that ends at each place, computed by the definition.
      var lengths: [Int] = []
      for (i, value) in values.enumerated() {
        lengths.append(
          1 + (values[..<i].indices.filter { values[$0] < value }.map { lengths[$0] }.max() ?? 0))
      }
      #expect(found.count == lengths.max())
    }
  }
}
