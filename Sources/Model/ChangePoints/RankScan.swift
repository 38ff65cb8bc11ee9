#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Finds the part of a series whose ranks differ most from the ranks of the other values.
///
/// For a part of *m* of *n* values with the sum *S* of its centred ranks, and the variance s² of all ranks, the
/// difference is
///
///     z = |S| / √(s² m (n - m) / n)
///
/// which is the statistic of Wilcoxon's rank-sum test, with equal values at their middle rank. A part that begins or
/// ends within the series, but reaches neither of its ends, has its z reduced by 1. There are far more such parts, so
/// chance alone makes their greatest z larger by about 1.
struct RankScan {
  /// The rank of each value minus the mean rank.
  let ranks: [Double]
  private let count: Int
  /// The places at which parts may begin and end: all places of a short series, and about 50 of a longer series.
  private let stops: [Int]
  /// The weight 1 / √(s² m (n - m) / n) of a part, by its number of values m.
  private let weights: [Double]

  private static let mostStops = 50
  private static let reduction = 1.0

  /// - Returns: `nil` if all values are equal.
  init?(_ values: ArraySlice<Double>) {
    count = values.count
    let step = (count + Self.mostStops - 1) / Self.mostStops
    stops = Array(stride(from: 0, to: count, by: max(step, 1))) + [count]
    ranks = Self.centredRanks(of: values)
    guard count > 1, let weights = Self.weights(of: ranks) else { return nil }
    self.weights = weights
  }

  /// Returns the weight of a part by its number of values; `nil` if all ranks are equal.
  private static func weights(of ranks: [Double]) -> [Double]? {
    let n = Double(ranks.count)
    let variance = ranks.reduce(0) { $0 + $1 * $1 } / (n - 1)
    guard variance > 0 else { return nil }
    return ranks.indices.map { size in
      let m = Double(size)
      return size == 0 ? 0 : 1 / (variance * m * (n - m) / n).squareRoot()
    }
  }

  /// Returns the rank of each value minus the mean rank. Equal values have the mean of their ranks.
  static func centredRanks(of values: ArraySlice<Double>) -> [Double] {
    let base = values.startIndex
    let order = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
    var ranks = [Double](repeating: 0, count: values.count)
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count, values[order[end]] == values[order[start]] { end += 1 }
      let rank = Double(start + end - order.count) / 2
      for place in start..<end { ranks[order[place] - base] = rank }
      start = end
    }
    return ranks
  }

  /// Returns the first of the parts with the greatest difference.
  func mostDifferent() -> (range: Range<Int>, difference: Double) {
    var best = (range: 0..<count, difference: -Double.infinity)
    forEachPart(of: ranks) { range, difference in
      if difference > best.difference { best = (range, difference) }
      return true
    }
    return best
  }

  /// Whether any part of `ranks` differs at least by `bound`.
  func hasPart(in ranks: [Double], differingBy bound: Double) -> Bool {
    !forEachPart(of: ranks) { _, difference in difference < bound }
  }

  /// Calls `body` with each part and its difference, until `body` returns `false`.
  ///
  /// - Returns: whether `body` was called with all parts.
  @discardableResult
  private func forEachPart(
    of ranks: [Double], _ body: (Range<Int>, Double) -> Bool
  ) -> Bool {
    var sums: [Double] = []
    var (sum, next) = (0.0, 0)
    for stop in stops {
      while next < stop {
        sum += ranks[next]
        next += 1
      }
      sums.append(sum)
    }
    for first in stops.indices {
      for last in (first + 1)..<max(stops.count, first + 1) {
        let size = stops[last] - stops[first]
        if size == count { continue }
        let isInside = first > 0 && last + 1 < stops.count
        let difference =
          abs(sums[last] - sums[first]) * weights[size] - (isInside ? Self.reduction : 0)
        guard body(stops[first]..<stops[last], difference) else { return false }
      }
    }
    return true
  }

  /// Returns the place where the ranks of the values before and after differ most; `nil` if all values are equal.
  static func split(of values: ArraySlice<Double>) -> Int? {
    let ranks = centredRanks(of: values)
    guard ranks.count > 1, let weights = weights(of: ranks) else { return nil }
    var best = (place: 0, difference: -1.0)
    var sum = 0.0
    for place in 1..<ranks.count {
      sum += ranks[place - 1]
      let difference = abs(sum) * weights[place]
      if difference > best.difference { best = (place, difference) }
    }
    return values.startIndex + best.place
  }

  /// Returns the probability of Wilcoxon's rank-sum test, two-sided, by the normal distribution; 1 if all values are
  /// equal.
  static func probability(_ before: ArraySlice<Double>, _ after: ArraySlice<Double>) -> Double {
    let ranks = centredRanks(of: ArraySlice(Array(before) + Array(after)))
    guard !before.isEmpty, !after.isEmpty, let weights = weights(of: ranks) else { return 1 }
    let sum = ranks.prefix(before.count).reduce(0, +)
    return erfc(abs(sum) * weights[before.count] / 2.0.squareRoot())
  }
}
