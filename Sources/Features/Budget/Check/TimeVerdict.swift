// Times differ from launch to launch, so a change of the time is known as an interval. A build fails if all of the
// interval is beyond the allowance, and passes if none of it is. Otherwise these launches do not decide.
//
// The width of the interval falls with the square root of the number of launches. Let w be the distance from the change
// to the end of the interval on the side of the allowance, and d the distance from the change to the allowance. With n
// launches of each build now, the end of the interval reaches the allowance after n (w / d)² launches.

import LaunchMeasurement

package struct TimeVerdict: Hashable {
  package let outcome: CheckOutcome
  /// The number of launches of each build that would decide whether the limit is kept, if they vary like the measured
  /// launches; `nil` if the measured launches decide, or if no number is known because the change equals the allowance.
  package let launchesNeeded: Int?

  private static let mostLaunches = 1e6
  /// The smallest number of launches from which an interval can be computed.
  private static let leastLaunches = 6

  /// - Parameters:
  ///   - launches: the number of launches of each build; at least 1.
  ///   - allowance: the change that is allowed, as a share.
  package init(_ change: TypicalChange, launches: Int, allowance: Double) {
    self.init(change.share, change.interval, launches: launches, limit: allowance)
  }

  /// - Parameters:
  ///   - value: a time, or the change of a time.
  ///   - interval: the 95% confidence interval of `value`; `nil` for too few launches.
  ///   - launches: the number of launches of each build; at least 1.
  ///   - limit: the largest value that is allowed.
  package init(_ value: Double, _ interval: ClosedRange<Double>?, launches: Int, limit: Double) {
    guard let interval else {
      outcome = .inconclusive
      launchesNeeded = Self.leastLaunches
      return
    }
    if interval.lowerBound > limit {
      (outcome, launchesNeeded) = (.fail, nil)
    } else if interval.upperBound <= limit {
      (outcome, launchesNeeded) = (.pass, nil)
    } else {
      outcome = .inconclusive
      let distance = abs(limit - value)
      let width =
        value > limit ? value - interval.lowerBound : interval.upperBound - value
      let factor = width / distance
      let needed = (Double(launches) * factor * factor).rounded(.up)
      launchesNeeded =
        needed.isFinite && needed <= Self.mostLaunches ? max(Int(needed), launches + 1) : nil
    }
  }
}
