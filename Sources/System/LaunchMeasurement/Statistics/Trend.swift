/// Whether values rise or fall with their index, because a machine warms up, throttles, or fills a cache.
///
/// The test of Mann and Kendall counts the pairs in which the later value is larger, minus those in which it
/// is smaller, and treats the result as normally distributed, with its variance corrected for ties. The slope
/// is the median of the slopes of all pairs (Theil 1950, Sen 1968). A single outlier affects neither.
package struct Trend: Hashable, Sendable {
  /// The change of a value from one index to the next.
  package let slope: Double
  /// The probability of a trend at least this strong if there is none; in 0...1.
  package let p: Double
  /// The change by `slope` from the first value to the last, as a share of the median of the values; 0 for a median of
  /// 0.
  package let relativeChange: Double

  /// - Precondition: at least one value.
  /// - Complexity: O(*n*² log *n*)
  package init(_ values: [Double]) {
    precondition(!values.isEmpty, "a sample was measured")
    var slopes: [Double] = []
    var sum = 0.0
    for later in values.indices {
      for earlier in 0..<later {
        let difference = values[later] - values[earlier]
        sum += difference > 0 ? 1 : difference < 0 ? -1 : 0
        slopes.append(difference / Double(later - earlier))
      }
    }
    slope = slopes.isEmpty ? 0 : SampleSummary.quantile(0.5, of: slopes.sorted())
    func weight(_ count: Int) -> Double {
      Double(count) * Double(count - 1) * Double(2 * count + 5)
    }
    let ties = Ranks(values).tieSizes.reduce(0) { $0 + weight($1) }
    let variance = (weight(values.count) - ties) / 18
    p = variance > 0 ? NormalDistribution.twoSided(sum / variance.squareRoot()) : 1
    let median = SampleSummary(values).median
    relativeChange = median == 0 ? 0 : slope * Double(values.count - 1) / median
  }

  /// Makes a trend from figures that were computed earlier.
  package init(slope: Double, p: Double, relativeChange: Double) {
    self.slope = slope
    self.p = p
    self.relativeChange = relativeChange
  }

  /// Whether the trend is both significant (p below 1%) and large enough to matter (1% over all values).
  package var isNotable: Bool { p < 0.01 && abs(relativeChange) >= 0.01 }
}
