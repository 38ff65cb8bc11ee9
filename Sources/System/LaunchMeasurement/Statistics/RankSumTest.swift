// Do two separate samples differ? The rank-sum test of Wilcoxon, Mann and Whitney
//
// Launches that were not made in rounds have no partners: the launches of an earlier build were recorded last week, on
// a device in a laboratory. U is the number of pairs of an earlier and a later launch in which the later launch takes
// longer; a pair of equal times counts half. If both samples come from one source, each order of all launches is as
// likely as any other, and U is about half of all pairs.
//
// Example: samples 1, 2, 3 and 4, 5, 6 have U = 9 of 9 pairs. One of the 20 ways to choose three of six launches gives
// 9, and one gives 0: p = 2 / 20.
//
// The test assumes that launches are independent of each other, which `SignedRankTest` need not assume: a machine that
// became slower between both samples looks like a slower build. So launches of both builds in turn, by `measure`, prove
// more. If both samples together have at most 40 launches, p is exact: the choices with each sum of ranks are counted,
// and equal times have the mean of their ranks. For larger samples, U is treated as normally distributed, with its
// variance corrected for ties. This is wrong far from the mean if one sample is small, so p is at least one divided by
// the number of choices.
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
      p = RankSums(merged?.counts ?? [], choosing: after.count).share(asFarAs: Int(2 * u))
      return
    }
    let correction = ties / (all * (all - 1))
    let variance = pairs / 12 * (all + 1 - correction)
    let normal =
      variance > 0
      ? NormalDistribution.twoSided(max(0, abs(u - pairs / 2) - 0.5) / variance.squareRoot()) : 1
    p = max(normal, Self.oneOfAllChoices(before.count, after.count))
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
///
/// U and the ranks are doubled, so that the mean of the ranks of equal values is a whole number.
struct RankSums {
  /// For each doubled U, the number of choices with this U.
  private let choices: [Double]
  private let allChoices: Double

  /// - Parameters:
  ///   - counts: how often each value of both samples occurs, by ascending value.
  ///   - chosen: the number of values of the second sample; at least 1, and fewer than all.
  /// - Complexity: O(*n*⁴) for *n* values of both samples.
  init(_ counts: [Int], choosing chosen: Int) {
    var ranks: [Int] = []
    for count in counts {
      ranks += [Int](repeating: 2 * ranks.count + count + 1, count: count)
    }
    let smallest = chosen * (chosen + 1)
    let most = smallest + 2 * chosen * (ranks.count - chosen)
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
    choices = Array(ways[chosen][smallest...])
    allChoices = choices.reduce(0, +)
  }

  /// The share of the choices whose U is at least as far from the mean of U as `doubledU`.
  func share(asFarAs doubledU: Int) -> Double {
    let mean = (choices.count - 1) / 2
    let far = choices.indices.filter { abs($0 - mean) >= abs(doubledU - mean) }
    return min(1, far.reduce(0) { $0 + choices[$1] } / allChoices)
  }

  /// The largest U such that at most `share` of the choices have a smaller U, if no values are equal.
  func quantile(_ share: Double) -> Int {
    var below = 0.0
    var doubledU = 0
    while doubledU < choices.count - 1, below + choices[doubledU] / allChoices <= share {
      below += choices[doubledU] / allChoices
      doubledU += 1
    }
    return doubledU / 2
  }
}
