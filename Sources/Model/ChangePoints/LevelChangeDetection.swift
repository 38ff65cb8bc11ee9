/// Finds the commits at which the level of a figure changed, and tells changes from noise and from outliers.
///
/// **Exact figures.** A count that repeats exactly has no noise: each commit with another value changed the figure. A
/// series is exact if it is not measured, at least half of its values equal the value before them, and at most one of
/// the other values occurs earlier in the series. A single value between two equal values is an outlier.
///
/// **Noisy figures.** The values are replaced by their ranks, so an outlier weighs no more than the largest of the other
/// values. `RankScan` finds the part whose ranks differ most from the ranks of the other values. The part is a change
/// if none of 499 random orders of the same values has a part that differs as much. Orders of noise are equally
/// probable, so noise passes this test in one of 500 series, whatever its distribution and its outliers. The parts on
/// both sides of a change are searched in turn.
///
/// **Dates.** A change is dated again between its neighbours: at the place where the ranks of the two sides differ most.
///
/// **Small changes.** Changes below `leastChange` or `leastShare` are left out one by one, the smallest first. Each
/// time, the neighbours of the change have more values on one side. So small changes in one direction that add up are
/// found as one change.
///
/// `docs/how-it-works/CHANGE-POINTS.md` has the sources, and compares this method with `ChangePointDetection`.
package struct LevelChangeDetection: Hashable, Sendable {
  /// Whether the values are measured, so that equal values may be equal by chance.
  package var isMeasured: Bool
  /// The least difference of the two levels of a change, in the unit of the values.
  package var leastChange: Double
  /// The least difference of the two levels of a change, as a share of the lower level.
  package var leastShare: Double

  /// - Precondition: `leastChange` and `leastShare` are not negative.
  package init(isMeasured: Bool = true, leastChange: Double = 0, leastShare: Double = 0) {
    precondition(leastChange >= 0 && leastShare >= 0)
    self.isMeasured = isMeasured
    self.leastChange = leastChange
    self.leastShare = leastShare
  }

  /// The probability of a change in noise; also the greatest `LevelChange.p`.
  package static let greatestP = 1 / Double(orders + 1)
  private static let orders = 499

  /// Returns the changes of a series, in ascending order.
  ///
  /// - Precondition: all values are finite.
  /// - Complexity: O(*n* log *n*) for *n* values, and O(*n*) operations for each of 499 random orders and each change.
  package func changes(in series: [Double]) -> [LevelChange] {
    precondition(series.allSatisfy(\.isFinite), "a series has finite values")
    guard series.count > 2 else { return [] }
    if let indices = exactChanges(in: series) {
      return kept(indices, in: series, isExact: true)
    }
    return kept(Self.changes(of: series), in: series, isExact: false)
  }
}

/// A change of the level of a figure.
package struct LevelChange: Hashable, Sendable {
  /// The index of the first value after the change.
  package var index: Int
  /// The median of the values since the previous change.
  package var before: Double
  /// The median of the values until the next change.
  package var after: Double
  /// The probability that ranks differ as much by chance as the ranks of both sides do; 0 if the figure is exact.
  package var p: Double

  /// The change as a share of the lower level, so that equal changes up and down have the same value.
  fileprivate var magnitude: Double {
    let (low, high) = (min(abs(before), abs(after)), abs(after - before))
    return low == 0 ? .infinity : high / low
  }
}

// MARK: Exact figures

extension LevelChangeDetection {
  /// Returns the places at which the values of an exact series change; `nil` if the series is not exact.
  private func exactChanges(in series: [Double]) -> [Int]? {
    if isMeasured { return nil }
    let changes = series.indices.dropFirst().filter { series[$0] != series[$0 - 1] }
    guard changes.count * 2 <= series.count - 1 else { return nil }
    var known: Set<Double> = [series[0]]
    let returns = changes.count { !known.insert(series[$0]).inserted }
    guard returns <= 1 else { return nil }
    return changes.filter { index in
      !isOutlier(index, in: series) && !isOutlier(index - 1, in: series)
    }
  }

  /// Whether a value lies between two values that equal each other.
  private func isOutlier(_ index: Int, in series: [Double]) -> Bool {
    index > 0 && index + 1 < series.count && series[index - 1] == series[index + 1]
      && series[index] != series[index - 1]
  }
}

// MARK: Noisy figures

extension LevelChangeDetection {
  /// Returns the places at which a noisy series changes, in ascending order.
  private static func changes(of series: [Double]) -> [Int] {
    var random = ShuffleGenerator()
    var found: [Int] = []
    var open = [series.indices]
    while let range = open.popLast() {
      guard let part = changedPart(of: series[range], &random) else { continue }
      let bounds = [part.lowerBound, part.upperBound].filter {
        $0 != range.lowerBound && $0 != range.upperBound
      }
      found += bounds
      let all = [range.lowerBound] + bounds + [range.upperBound]
      open += zip(all, all.dropFirst()).map { $0..<$1 }
    }
    return found.sorted()
  }

  /// Returns the part of `values` whose level differs from the level of the other values; `nil` if there is none.
  private static func changedPart(
    of values: ArraySlice<Double>, _ random: inout ShuffleGenerator
  ) -> Range<Int>? {
    guard let scan = RankScan(values) else { return nil }
    let part = scan.mostDifferent()
    var shuffled = scan.ranks
    for _ in 0..<orders {
      random.shuffle(&shuffled)
      if scan.hasPart(in: shuffled, differingBy: part.difference) { return nil }
    }
    return values.startIndex + part.range.lowerBound..<values.startIndex + part.range.upperBound
  }

  /// Dates the changes, and returns the changes that are neither probable by chance nor too small.
  private func kept(_ indices: [Int], in series: [Double], isExact: Bool) -> [LevelChange] {
    var indices = indices
    while true {
      if !isExact { date(&indices, in: series) }
      let changes = indices.indices.map { place in
        let start = place > 0 ? indices[place - 1] : 0
        let end = place + 1 < indices.count ? indices[place + 1] : series.count
        return Self.change(series[start..<indices[place]], series[indices[place]..<end], isExact)
      }
      guard let weakest = weakest(of: changes) else { return changes }
      indices.remove(at: weakest)
    }
  }

  /// Moves each change to the place between its neighbours where the ranks of both sides differ most.
  private func date(_ indices: inout [Int], in series: [Double]) {
    for place in indices.indices {
      let start = place > 0 ? indices[place - 1] : 0
      let end = place + 1 < indices.count ? indices[place + 1] : series.count
      if let split = RankScan.split(of: series[start..<end]) { indices[place] = split }
    }
  }

  private static func change(
    _ before: ArraySlice<Double>, _ after: ArraySlice<Double>, _ isExact: Bool
  ) -> LevelChange {
    LevelChange(
      index: after.startIndex, before: median(of: before), after: median(of: after),
      p: isExact ? 0 : RankScan.probability(before, after))
  }

  /// Returns the place of the change to leave out next: the most probable of the changes that are probable by chance,
  /// or else the smallest of the changes that are too small. Returns `nil` if all changes stay.
  private func weakest(of changes: [LevelChange]) -> Int? {
    let probable = changes.indices.filter { changes[$0].p > Self.greatestP }
    if let most = probable.max(by: { changes[$0].p < changes[$1].p }) { return most }
    let small = changes.indices.filter { place in
      let change = changes[place]
      let difference = abs(change.after - change.before)
      return difference == 0 || difference < leastChange || change.magnitude < leastShare
    }
    return small.min { changes[$0].magnitude < changes[$1].magnitude }
  }

  private static func median(of values: ArraySlice<Double>) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    guard sorted.count.isMultiple(of: 2) else { return sorted[middle] }
    return (sorted[middle - 1] + sorted[middle]) / 2
  }
}

/// Random orders that are the same on every machine: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", OOPSLA 2014), with a fixed seed.
private struct ShuffleGenerator {
  private var state: UInt64 = 0

  private mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func shuffle(_ values: inout [Double]) {
    for last in stride(from: values.count - 1, to: 0, by: -1) {
      let place = Int(next().multipliedFullWidth(by: UInt64(last + 1)).high)
      values.swapAt(last, place)
    }
  }
}
