import LibC

/// Summary statistics of a sample, in the unit of its values.
package struct SampleSummary: Hashable, Sendable {
  package let count: Int
  package let minimum: Double
  package let lowerQuartile: Double
  package let median: Double
  package let mean: Double
  package let upperQuartile: Double
  /// The number that 95% of the values do not exceed.
  package let percentile95: Double
  package let maximum: Double
  /// The standard deviation as an estimate for the population (divided by *n* - 1); 0 for one value.
  package let standardDeviation: Double
  /// The number of values beyond `farFence`.
  package let outliers: Int

  /// - Precondition: `values` has at least one value, and all values are finite.
  /// - Complexity: O(*n* log *n*)
  package init(_ values: [Double]) {
    precondition(!values.isEmpty && values.allSatisfy(\.isFinite), "a sample was measured")
    let sorted = values.sorted()
    count = sorted.count
    minimum = sorted[0]
    maximum = sorted[sorted.count - 1]
    lowerQuartile = Self.quantile(0.25, of: sorted)
    median = Self.quantile(0.5, of: sorted)
    upperQuartile = Self.quantile(0.75, of: sorted)
    percentile95 = Self.quantile(0.95, of: sorted)
    let mean = sorted.reduce(0, +) / Double(sorted.count)
    self.mean = mean
    let squares = sorted.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    standardDeviation = sorted.count > 1 ? (squares / Double(sorted.count - 1)).squareRoot() : 0
    let fence = Self.farFence(lowerQuartile, upperQuartile)
    outliers = sorted.reduce(0) { $0 + ($1 > fence ? 1 : 0) }
  }

  /// Makes a summary of `count` values from figures that were computed earlier.
  package init(
    count: Int, minimum: Double, lowerQuartile: Double, median: Double, mean: Double,
    upperQuartile: Double, percentile95: Double, maximum: Double, standardDeviation: Double,
    outliers: Int
  ) {
    self.count = count
    self.minimum = minimum
    self.lowerQuartile = lowerQuartile
    self.median = median
    self.mean = mean
    self.upperQuartile = upperQuartile
    self.percentile95 = percentile95
    self.maximum = maximum
    self.standardDeviation = standardDeviation
    self.outliers = outliers
  }

  /// The upper quartile plus three times the interquartile range: values above it had another cause (Tukey,
  /// "Exploratory Data Analysis", 1977).
  package var farFence: Double { Self.farFence(lowerQuartile, upperQuartile) }

  private static func farFence(_ lowerQuartile: Double, _ upperQuartile: Double) -> Double {
    upperQuartile + 3 * (upperQuartile - lowerQuartile)
  }

  /// The standard deviation divided by the mean; 0 for a mean of 0.
  package var variation: Double { mean == 0 ? 0 : standardDeviation / mean }

  /// The value below which the share `share` of the values lies, interpolated between its neighbors: type 7
  /// of Hyndman and Fan, "Sample quantiles in statistical packages", 1996, as in numpy and R.
  ///
  /// - Precondition: `sorted` ascends and is not empty; `share` is in 0...1.
  static func quantile(_ share: Double, of sorted: [Double]) -> Double {
    let place = share * Double(sorted.count - 1)
    let below = Int(place.rounded(.down))
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (place - Double(below)) * (sorted[above] - sorted[below])
  }
}
