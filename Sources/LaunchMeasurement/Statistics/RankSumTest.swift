// Do two samples come from one distribution? The test of Mann and Whitney
//
// Of all pairs of a launch of A and a launch of B, count those in which A was slower: U. If A and B are the
// same program, U is about half of the pairs. Only the order of the times counts, so one launch that took ten
// times as long moves U no more than one that took a little longer. That is why this test is used and not one
// of means: launch times have a long tail on one side.
//
// Example: A took 1, 2, 4 and B took 3, 5, 6. A was slower only in the pair (4, 3): U = 1 of 9. Of the 20
// ways to assign six times to A and B, one has U = 0 and one has U = 1, and as many are as far off on the
// other side: p = 4 / 20.
//
// For up to 50 launches each and without ties the p value is exact: the number of ways for each U is the
// coefficient of q^U in the Gaussian binomial coefficient, the product over i = 1...n of (1 - q^(m + i)) / (1
// - q^i). With more launches, or with ties, U is treated as normally distributed, with its variance corrected
// for ties and its distance for continuity; the error is then too small to matter for a decision at 5%.
//
// The test is two-sided. It assumes that launches are independent. A machine that warms up or throttles
// violates that, which is why launches alternate and `Trend` looks for it. It says whether there is a
// difference, not how large it is: `MedianDifference` does.
//
// Mann and Whitney, "On a test of whether one of two random variables is stochastically larger than
// the other", Annals of Mathematical Statistics 18, 1947.

/// Whether two samples differ, by the ranks of their values.
package struct RankSumTest: Hashable, Sendable {
  /// The number of pairs of a value of each sample in which the first one's is larger; ties count half.
  package let u: Double
  /// The probability of a `u` at least as far from its mean if the samples came from one distribution; in
  /// 0...1.
  package let p: Double
  package let isExact: Bool

  static let mostForExact = 50

  /// - Precondition: neither sample is empty.
  /// - Complexity: O(*n* log *n*) for *n* values; below 50 each O(*n*³).
  package init(_ a: [Double], _ b: [Double]) {
    precondition(!a.isEmpty && !b.isEmpty, "both were launched")
    let ranks = Ranks(a + b)
    let (n, m) = (Double(a.count), Double(b.count))
    let sum = ranks.ranks[..<a.count].reduce(0, +)
    u = sum - n * (n + 1) / 2
    isExact = ranks.tieSizes.isEmpty && max(a.count, b.count) <= Self.mostForExact
    if isExact {
      p = Self.exact(Int(min(u, n * m - u)), a.count, b.count)
    } else {
      let ties = ranks.tieSizes.reduce(0) { $0 + Double($1) * (Double($1) * Double($1) - 1) }
      let all = n + m
      let variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)))
      let distance = max(0, abs(u - n * m / 2) - 0.5)
      p = variance > 0 ? NormalDistribution.twoSided(distance / variance.squareRoot()) : 1
    }
  }

  /// Twice the share of all ways to assign `n` + `m` ranks that have a U of at most `u`.
  private static func exact(_ u: Int, _ n: Int, _ m: Int) -> Double {
    var ways = [Double](repeating: 0, count: n * m + 1)
    ways[0] = 1
    for i in 1...n {
      // After each iteration these are the numbers for i and m; all are positive integers.
      for power in stride(from: ways.count - 1, through: m + i, by: -1) {
        ways[power] -= ways[power - m - i]
      }
      for power in stride(from: i, to: ways.count, by: 1) { ways[power] += ways[power - i] }
    }
    let tail = ways[...u].reduce(0, +)
    return min(1, 2 * tail / ways.reduce(0, +))
  }
}

/// The ranks of values, from 1; equal values share their mean rank.
struct Ranks {
  /// Parallel to the values.
  private(set) var ranks: [Double]
  /// The number of equal values, for each value that occurs more than once.
  private(set) var tieSizes: [Int] = []

  init(_ values: [Double]) {
    ranks = [Double](repeating: 0, count: values.count)
    let order = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
    var first = 0
    while first < order.count {
      var end = first + 1
      while end < order.count, values[order[end]] == values[order[first]] { end += 1 }
      for place in first..<end { ranks[order[place]] = Double(first + 1 + end) / 2 }
      if end - first > 1 { tieSizes.append(end - first) }
      first = end
    }
  }
}
