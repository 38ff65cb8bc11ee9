/// How well the mean of a sample is known, as a share of it: half the width of its 95 % confidence
/// interval, *e* = *z* CV / √*n*, with *z* = 1.96 and CV the standard deviation by the mean.
///
/// Solved for *n* that is the number of launches that a precision needs: (*z* CV / *e*)². To go on
/// until a precision is reached does not favour either of two samples: it looks at how much they
/// vary, never at how they differ.
package enum MeasurementPrecision {
  /// What `sample` reaches.
  package static func reached(_ sample: SampleSummary) -> Double {
    NormalDistribution.reachOf95Percent * sample.variation / Double(sample.count).squareRoot()
  }

  /// How many launches `precision` needs if they go on to vary as in `sample`; 1 at least, and a
  /// million at most.
  ///
  /// - Precondition: `precision` is above 0.
  package static func launchesNeeded(_ precision: Double, _ sample: SampleSummary) -> Int {
    precondition(precision > 0, "the option was checked")
    let root = NormalDistribution.reachOf95Percent * sample.variation / precision
    return Int(min(max((root * root).rounded(.up), 1), 1e6))
  }
}
