import LibC

/// The standard normal distribution.
enum NormalDistribution {
  /// The distance from the mean within which 95% of the distribution lies.
  static let reachOf95Percent = 1.959963984540054

  /// The probability of a value farther from 0 than `z`, on either side.
  static func twoSided(_ z: Double) -> Double { erfc(abs(z) / 2.0.squareRoot()) }
}
