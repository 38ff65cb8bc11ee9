import CommandSupport
import LaunchMeasurement

extension LaunchSummary {
  /// Adds the faults of a launch. The time of a launch from a loop device is left out.
  package mutating func add(_ launch: DescribedLaunch, _ document: FaultsDocument) {
    let hasTime = document.device?.reasonAgainstTimes == nil
    add(
      launch, .cache(document.cache),
      [
        document.majorFaults, document.minorFaults, hasTime ? document.wallNanoseconds : nil,
        document.requests, document.readBytes,
      ])
  }
}
