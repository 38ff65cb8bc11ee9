// Do paired values differ? Wilcoxon's signed-rank test
//
// Each pair has a difference. Sort the differences by their size and number them from 1; W is the sum of the
// numbers of the positive ones. If both values of each pair come from one source, each difference is as likely
// to be positive as negative, so W is the sum of a random subset of 1...n, about half of the whole.
//
// Example: differences 1, 2, -3, 4 and 5 have W = 1 + 2 + 4 + 5 = 12 of 15. Of the 32 subsets of 1...5, five
// have a sum of at least 12, and five of at most 3: p = 10 / 32.
//
// The only assumption is this symmetry. For launches the order within a round provides it, since it is
// random: what slows down the first or the second launch of a round slows down A as often as B. Rounds may
// differ from each other as they like, so a machine that warms up, or becomes busy halfway, makes p no
// smaller. A test that compares all launches of A with all of B (Mann and Whitney) also assumes that launches
// are independent, which they are not on a busy machine.
//
// A difference of 0 says nothing about the sign and is left out; equal sizes share their mean number. For up
// to 50 differences p is exact: the number of subsets with each sum is counted, one difference at a time.
// With more, W is treated as normally distributed, with its variance corrected for ties.
//
// Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1, 1945.

/// Whether paired values differ, by the ranks of their differences.
package struct SignedRankTest: Hashable, Sendable {
  /// The sum of the ranks of the positive differences.
  package let w: Double
  /// The probability, in 0...1, that W is at least as far from its mean as `w` if both signs are equally likely.
  package let p: Double
  package let isExact: Bool

  static let mostForExact = 50

  /// - Complexity: O(*n*³) for *n* differences up to 50, O(*n* log *n*) for more.
  package init(_ differences: [Double]) {
    let signed = differences.filter { $0 != 0 }
    let ranks = Ranks(signed.map { abs($0) })
    w = zip(signed, ranks.ranks).reduce(0) { $0 + ($1.0 > 0 ? $1.1 : 0) }
    isExact = signed.count <= Self.mostForExact
    if isExact {
      // Mean ranks are halves, so twice a rank is a whole number.
      let distribution = RankSubsets(ranks.ranks.map { Int(2 * $0) })
      let doubled = Int(2 * w)
      p = min(1, 2 * distribution.share(atMost: min(doubled, distribution.largest - doubled)))
    } else {
      let mean = ranks.ranks.reduce(0, +) / 2
      let variance = ranks.ranks.reduce(0) { $0 + $1 * $1 } / 4
      p = NormalDistribution.twoSided(max(0, abs(w - mean) - 0.5) / variance.squareRoot())
    }
  }
}

/// The sums of all subsets of some ranks.
struct RankSubsets {
  /// For each sum, the share of the subsets with this sum.
  private var shares: [Double] = [1]

  /// The sum of all ranks.
  var largest: Int { shares.count - 1 }

  /// - Parameter ranks: whole numbers, such as twice the mean ranks.
  init(_ ranks: some Sequence<Int>) {
    for rank in ranks {
      var next = [Double](repeating: 0, count: shares.count + rank)
      for (sum, share) in shares.enumerated() {
        next[sum] += share / 2
        next[sum + rank] += share / 2
      }
      shares = next
    }
  }

  /// The share of the subsets whose sum is at most `sum`.
  func share(atMost sum: Int) -> Double { shares[...sum].reduce(0, +) }

  /// The largest sum such that at most `share` of the subsets have a smaller sum.
  func quantile(_ share: Double) -> Int {
    var below = 0.0
    var sum = 0
    while sum < largest, below + shares[sum] <= share {
      below += shares[sum]
      sum += 1
    }
    return sum
  }
}
