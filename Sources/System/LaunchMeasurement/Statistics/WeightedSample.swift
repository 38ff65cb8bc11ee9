/// Values of a sample, each with the number of times that it was observed.
package struct WeightedSample: Hashable, Sendable {
  /// The different values, ascending.
  package let values: [Double]
  /// The number of observations of each value, at least 1; parallel to `values`.
  package let counts: [Int]
  /// The number of all observations; at least 1.
  package let count: Int

  /// The largest number of observations: floating-point numbers count up to it exactly.
  package static let mostObservations = 1 << 53

  /// - Parameter counts: values, each with a number of observations. Values that were not observed are left out.
  /// - Returns: `nil` without an observation, or for more than `mostObservations`.
  /// - Precondition: all values are finite.
  package init?(counts observed: some Sequence<(value: Double, count: Int)>) {
    var (values, counts, count): ([Double], [Int], Int) = ([], [], 0)
    for (value, number) in observed.sorted(by: { $0.value < $1.value }) where number > 0 {
      precondition(value.isFinite, "a sample was measured")
      guard number <= Self.mostObservations - count else { return nil }
      count += number
      if values.last == value {
        counts[counts.count - 1] += number
      } else {
        values.append(value)
        counts.append(number)
      }
    }
    guard count > 0 else { return nil }
    (self.values, self.counts, self.count) = (values, counts, count)
  }

  /// - Returns: `nil` without a value.
  /// - Precondition: all values are finite.
  /// - Complexity: O(*n* log *n*)
  package init?(_ values: [Double]) {
    self.init(counts: values.lazy.map { (value: $0, count: 1) })
  }

  /// The median: the mean of both observations in the middle if their number is even.
  package var median: Double {
    let (lower, upper) = (observation((count + 1) / 2), observation(count / 2 + 1))
    return lower + (upper - lower) / 2
  }

  package var lowerQuartile: Double { quantile(0.25) }
  package var upperQuartile: Double { quantile(0.75) }

  /// The 95% confidence interval of the true median, which an unlimited number of observations would have; `nil` for
  /// fewer than 6 observations, which have no such interval.
  ///
  /// Each observation is below the true median with a probability of one half. So the interval from the *k*-th smallest
  /// observation to the *k*-th largest lacks the true median only if fewer than *k* observations are on one side of it,
  /// and *k* is the largest number for which this has a probability of at most 5%. The interval needs no assumption
  /// about the distribution. Conover, "Practical nonparametric statistics", 1971.
  package var medianInterval: ClosedRange<Double>? {
    let place: Int
    if count <= SignedRankTest.mostForExact {
      place = RankSubsets(repeatElement(1, count: count)).quantile(0.025)
    } else {
      let n = Double(count)
      place = Int((n / 2 - NormalDistribution.reachOf95Percent * n.squareRoot() / 2).rounded(.down))
    }
    return place > 0 ? observation(place)...observation(count + 1 - place) : nil
  }

  /// Returns the sample with `change` applied to each value.
  ///
  /// - Precondition: `change` never makes a larger value of a smaller one.
  func mapped(_ change: (Double) -> Double) -> WeightedSample {
    WeightedSample(counts: zip(values, counts).map { (value: change($0), count: $1) }) ?? self
  }

  /// Returns the observation at `place` (1...`count`) in ascending order.
  private func observation(_ place: Int) -> Double {
    var before = 0
    for (value, number) in zip(values, counts) {
      if place - before <= number { return value }
      before += number
    }
    return values[values.count - 1]
  }

  /// Returns a quantile as `SampleSummary` does, interpolated between two observations.
  private func quantile(_ share: Double) -> Double {
    let place = share * Double(count - 1)
    let below = Int(place.rounded(.down))
    let first = observation(below + 1)
    let second = observation(min(below + 2, count))
    return first + (place - Double(below)) * (second - first)
  }
}
