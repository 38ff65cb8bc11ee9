// Do two samples come from one distribution? The test of Mann and Whitney
//
// Of all pairs of one launch of A and one of B, count those in which A was the slower one: U. If A
// and B are the same program, U is about half of the pairs; and since only the order of the times
// counts, one launch that took ten times as long moves U no more than one that took a little
// longer. That is why it is used here and not a test of means: launches have a long tail on one
// side.
//
// Example: A took 1, 2, 4 and B took 3, 5, 6. A was the slower one in the pair (4, 3) alone: U = 1
// of 9. Of the 20 ways to deal six times to A and B, one has U = 0, one has U = 1, and as many are
// as far off on the other side: p = 4 / 20.
//
// Up to 50 launches each and without ties the p value is exact: the number of ways for each U is
// the coefficient of q^U in the Gaussian binomial coefficient, the product over i = 1...n of (1 -
// q^(m + i)) / (1 - q^i). Beyond, and with ties, U is taken for normally distributed, with its
// variance corrected for ties and its distance for continuity; the error is then far below what a
// decision at 5 % notices.
//
// It is two-sided. It takes launches for independent: what warms up or throttles over the runs
// breaks that, which is why launches alternate and `Trend` looks for it. And it tells whether, not
// how much: `MedianDifference` does.
//
// Mann and Whitney, "On a test of whether one of two random variables is stochastically larger than
// the other", Annals of Mathematical Statistics 18, 1947.

/// Whether two samples differ, by the ranks of their values.
package struct RankSumTest: Hashable, Sendable {
  /// Pairs of a value of each sample in which the first one's is larger; ties count half.
  package let u: Double
  /// How probable a `u` as far from its mean would be if the samples came from one distribution; in
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

  /// Twice the share of all ways to deal `n` + `m` ranks that have a U of `u` at most.
  private static func exact(_ u: Int, _ n: Int, _ m: Int) -> Double {
    var ways = [Double](repeating: 0, count: n * m + 1)
    ways[0] = 1
    for i in 1...n {
      // After each turn these are the numbers for i and m; all are whole and positive.
      for power in stride(from: ways.count - 1, through: m + i, by: -1) {
        ways[power] -= ways[power - m - i]
      }
      for power in stride(from: i, to: ways.count, by: 1) { ways[power] += ways[power - i] }
    }
    let tail = ways[...u].reduce(0, +)
    return min(1, 2 * tail / ways.reduce(0, +))
  }
}

/// The places of values in their order, from 1 on; equal ones share the mean of theirs.
struct Ranks {
  /// Parallel to the values.
  private(set) var ranks: [Double]
  /// How many values are equal, for each value that is there more than once.
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
