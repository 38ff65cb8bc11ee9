import CommandSupport

extension LaunchSummary {
  /// Adds the faults of a launch.
  package mutating func add(_ launch: DescribedLaunch, _ document: FaultsDocument) {
    add(
      launch, .cache(document.cache),
      [
        document.majorFaults, document.minorFaults, document.wallNanoseconds, document.requests,
        document.readBytes,
      ])
  }
}
