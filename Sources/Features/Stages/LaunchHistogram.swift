import LaunchMeasurement

/// The numbers of launches by duration, from another source: the time of a single launch is unknown.
package struct LaunchHistogram: Hashable, Sendable {
  package struct Bucket: Hashable, Sendable {
    /// The start of the bucket, in nanoseconds.
    package var start: Double
    package var end: Double
    package var count: Int

    package init(start: Double, end: Double, count: Int) {
      self.start = start
      self.end = end
      self.count = count
    }

    /// The time that represents the bucket's launches.
    var middle: Double { (start + end) / 2 }
  }

  package var name: String
  package var origin: String
  /// The buckets, in ascending order of their starts.
  package var buckets: [Bucket]

  package init(name: String, origin: String, buckets: [Bucket]) {
    self.name = name
    self.origin = origin
    self.buckets = buckets
  }

  package var launches: Int { buckets.reduce(0) { $0 + $1.count } }

  /// Statistics of the launches, each with the middle of its bucket as its duration; `nil` without launches.
  package var summary: SampleSummary? {
    let launches = Double(launches)
    let filled = buckets.filter { $0.count > 0 }
    guard launches > 0, let first = filled.first, let last = filled.last else { return nil }
    let mean = filled.reduce(0) { $0 + $1.middle * Double($1.count) } / launches
    let squares = filled.reduce(0) {
      $0 + ($1.middle - mean) * ($1.middle - mean) * Double($1.count)
    }
    let upper = quantile(0.75)
    let fence = upper + 3 * (upper - quantile(0.25))
    return SampleSummary(
      count: self.launches, minimum: first.middle, lowerQuartile: quantile(0.25),
      median: quantile(0.5), mean: mean, upperQuartile: upper, percentile95: quantile(0.95),
      maximum: last.middle,
      standardDeviation: launches > 1 ? (squares / (launches - 1)).squareRoot() : 0,
      outliers: filled.reduce(0) { $0 + ($1.middle > fence ? $1.count : 0) })
  }

  /// Returns the middle of the first bucket such that at least `share` of the launches are in it or in the buckets
  /// before it.
  private func quantile(_ share: Double) -> Double {
    let wanted = share * Double(launches)
    var count = 0.0
    for bucket in buckets where bucket.count > 0 {
      count += Double(bucket.count)
      if count >= wanted { return bucket.middle }
    }
    return buckets.last?.middle ?? 0
  }

  /// The number of launches by the whole second in which their bucket begins, ascending.
  package var seconds: [(second: Int, count: Int)] {
    var counts: [(second: Int, count: Int)] = []
    for bucket in buckets where bucket.count > 0 {
      let second = Int(min(bucket.start / 1e9, 1e9))
      if counts.last?.second == second {
        counts[counts.count - 1].count += bucket.count
      } else {
        counts.append((second, bucket.count))
      }
    }
    return counts
  }
}
