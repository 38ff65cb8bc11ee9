/// How the functions of several launches are placed. With one launch, there is only one way.
package enum OrderStrategy: String, CaseIterable, Sendable {
  /// All of the first launch in the order of first uses, then what the second adds, and so on: `MergedLaunches`.
  case firstHit = "first-hit"
  /// So that all launches together touch few pages, whatever their order: `BalancedOrder`.
  case balanced

  /// The strategy for so many launches if none is asked for. docs/how-it-works/STRATEGIES.md has the measurement.
  package static func usual(launchCount: Int) -> Self { launchCount > 1 ? .balanced : .firstHit }
}
