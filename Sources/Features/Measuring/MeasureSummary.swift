import CommandSupport
import LaunchMeasurement

extension LaunchSummary {
  /// Adds the medians of both builds in a launch, for each state of the page cache.
  package mutating func add(_ launch: DescribedLaunch, _ document: MeasureDocument) {
    for state in document.states where state.sides.count > 1 {
      let sides = state.sides.prefix(2)
      func both(_ median: (MeasureDocument.Side) -> Double?) -> [UInt64?] {
        sides.map { side in median(side).flatMap { UInt64(exactly: $0.rounded()) } }
      }
      let hasTimes = document.givesTimes(state.cache)
      add(
        launch, .cache(state.cache),
        both { hasTimes ? $0.wall.median : nil }
          + both { hasTimes ? $0.summary(\.cpuMicroseconds).map { $0.median * 1000 } : nil }
          + both { $0.summary(\.requests)?.median })
    }
  }
}
