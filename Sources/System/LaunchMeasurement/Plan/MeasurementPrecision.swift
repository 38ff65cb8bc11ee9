/// The precision of a sample's mean, as a share of it: half the width of its 95% confidence interval, *e* =
/// *z* CV / √*n*, with *z* = 1.96 and CV the standard deviation divided by the mean.
///
/// Solved for *n*, this is the number of launches that a precision needs: (*z* CV / *e*)². Continuing until a
/// precision is reached favors neither of two samples: the criterion is how much they vary, never how they
/// differ.
package enum MeasurementPrecision {
  /// The precision of `sample`.
  package static func reached(_ sample: SampleSummary) -> Double {
    NormalDistribution.reachOf95Percent * sample.variation / Double(sample.count).squareRoot()
  }

  /// The number of launches that `precision` needs if they continue to vary as in `sample`; at least 1, at
  /// most a million.
  ///
  /// - Precondition: `precision` is above 0.
  package static func launchesNeeded(_ precision: Double, _ sample: SampleSummary) -> Int {
    precondition(precision > 0, "the option was checked")
    let root = NormalDistribution.reachOf95Percent * sample.variation / precision
    return Int(min(max((root * root).rounded(.up), 1), 1e6))
  }
}
