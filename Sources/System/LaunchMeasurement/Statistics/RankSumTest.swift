// Do two separate samples differ? The rank-sum test of Wilcoxon, Mann and Whitney
//
// Launches that were not made in rounds have no partners: those of an earlier build were recorded last week, on a device
// in a laboratory. U is the number of pairs of an earlier and a later launch in which the later launch takes longer; a
// pair of equal times counts half. If both samples come from one source, each order of all launches is as likely as any
// other, and U is about half of all pairs.
//
// Example: samples 1, 2, 3 and 4, 5, 6 have U = 9 of 9 pairs. One of the 20 ways to choose three of six launches gives
// 9, and one gives 0: p = 2 / 20.
//
// The test assumes that launches are independent of each other, which `SignedRankTest` need not assume: a machine that
// became slower between both samples looks like a slower build. So launches of both builds in turn, by `measure`, prove
// more. Samples of together up to 40 launches get the exact p, by counting the choices with each sum of ranks; equal times
// have the mean of their ranks. For larger samples, U is treated as normally distributed, with its variance corrected for
// ties. That is wrong far from the middle if one sample is small: so p is at least one of all choices.
//
// Mann and Whitney, "On a test of whether one of two random variables is stochastically larger than the other", Annals
// of Mathematical Statistics 18, 1947.

/// Whether two separate samples differ, by the ranks of their values.
package struct RankSumTest: Hashable, Sendable {
  /// The number of pairs in which the value of the second sample is larger; a pair of equal values counts half.
  package let u: Double
  /// The probability, in 0...1, that U is at least as far from its mean as `u` if both samples have one source.
  package let p: Double
  package let isExact: Bool

  /// The greatest number of values of both samples together for which p is exact.
  static let mostForExact = 40

  /// - Complexity: O(*n*) for *n* different values, and O(*n*⁴) for the at most 40 values of an exact test.
  package init(_ before: WeightedSample, _ after: WeightedSample) {
    var (smaller, u, ties) = (0.0, 0.0, 0.0)
    var place = 0
    let all = Double(before.count) + Double(after.count)
    for (value, count) in zip(after.values, after.counts) {
      while place < before.values.count, before.values[place] < value {
        smaller += Double(before.counts[place])
        place += 1
      }
      let isEqual = place < before.values.count && before.values[place] == value
      u += Double(count) * (smaller + (isEqual ? Double(before.counts[place]) / 2 : 0))
    }
    let merged = WeightedSample(
      counts: (zip(before.values, before.counts).map { (value: $0, count: $1) })
        + zip(after.values, after.counts).map { (value: $0, count: $1) })
    for count in merged?.counts ?? [] where count > 1 {
      let count = Double(count)
      ties += count * count * count - count
    }
    self.u = u
    let pairs = Double(before.count) * Double(after.count)
    isExact = all <= Double(Self.mostForExact)
    guard !isExact else {
      p = Self.exact(merged?.counts ?? [], choosing: after.count, doubledU: Int(2 * u))
      return
    }
    let correction = ties / (all * (all - 1))
    let variance = pairs / 12 * (all + 1 - correction)
    let normal =
      variance > 0
      ? NormalDistribution.twoSided(max(0, abs(u - pairs / 2) - 0.5) / variance.squareRoot()) : 1
    p = max(normal, Self.oneOfAllChoices(before.count, after.count))
  }

  /// The share of the choices of `chosen` values whose U is at least as far from its mean.
  ///
  /// - Parameter counts: how often each value occurs, by ascending value. Ranks are doubled, so that the mean of the ranks
  ///   of equal values is a whole number.
  /// - Complexity: O(*n*⁴) for *n* values.
  private static func exact(_ counts: [Int], choosing chosen: Int, doubledU: Int) -> Double {
    var ranks: [Int] = []
    for count in counts {
      ranks += [Int](repeating: 2 * ranks.count + count + 1, count: count)
    }
    let most = ranks.suffix(chosen).reduce(0, +)
    // ways[j][s]: the number of choices of j of the values so far whose ranks have the sum s.
    var ways = [[Double]](
      repeating: [Double](repeating: 0, count: most + 1), count: chosen + 1)
    ways[0][0] = 1
    for rank in ranks {
      for place in stride(from: chosen, through: 1, by: -1) {
        for sum in stride(from: most, through: rank, by: -1) {
          ways[place][sum] += ways[place - 1][sum - rank]
        }
      }
    }
    let pairs = chosen * (ranks.count - chosen)
    let far = abs(doubledU - pairs)
    let smallest = chosen * (chosen + 1)
    let extreme = ways[chosen].indices.filter { abs($0 - smallest - pairs) >= far }
    return min(1, extreme.reduce(0) { $0 + ways[chosen][$1] } / ways[chosen].reduce(0, +))
  }

  /// One divided by the number of ways to choose the smaller sample from all values; less than 1e-12 counts as 0.
  private static func oneOfAllChoices(_ first: Int, _ second: Int) -> Double {
    let (few, all) = (min(first, second), Double(first) + Double(second))
    var share = 1.0
    for number in 0..<few where share > 1e-12 {
      share *= Double(few - number) / (all - Double(number))
    }
    return share > 1e-12 ? share : 0
  }
}

/// The values of U over all choices of some of the values of both samples.
struct RankSums {
  /// For each U, the share of the choices with this U.
  private var shares: [Double]

  /// - Parameters:
  ///   - first: the number of values of the first sample.
  ///   - second: the number of values of the second sample; at least 1, as `first`.
  /// - Complexity: O(*n*⁴) for *n* values of both samples.
  init(_ first: Int, _ second: Int) {
    let pairs = first * second
    // ways[j][u]: the number of choices of j of the values so far, where u counts the other values below each of them.
    var ways = [[Double]](
      repeating: [Double](repeating: 0, count: pairs + 1), count: second + 1)
    ways[0][0] = 1
    for value in 0..<(first + second) {
      for chosen in stride(from: min(second, value + 1), through: 1, by: -1) {
        let others = value - (chosen - 1)
        for u in stride(from: pairs, through: others, by: -1) {
          ways[chosen][u] += ways[chosen - 1][u - others]
        }
      }
    }
    let all = ways[second].reduce(0, +)
    shares = ways[second].map { $0 / all }
  }

  /// The largest U such that at most `share` of the choices have a smaller U.
  func quantile(_ share: Double) -> Int {
    var below = 0.0
    var u = 0
    while u < shares.count - 1, below + shares[u] <= share {
      below += shares[u]
      u += 1
    }
    return u
  }
}
