/// How the functions of several launches are placed. With one launch, there is only one way.
package enum OrderStrategy: String, CaseIterable, Sendable {
  /// All functions of the first launch in the order of first uses, then the functions that the second launch adds, and
  /// so on: `MergedLaunches`.
  case firstHit = "first-hit"
  /// An order with which all launches together touch few pages, whatever the order of the launches: `BalancedOrder`.
  case balanced

  /// The strategy for `launchCount` launches if the user names none. docs/how-it-works/STRATEGIES.md has the
  /// measurement.
  package static func usual(launchCount: Int) -> Self { launchCount > 1 ? .balanced : .firstHit }
}
