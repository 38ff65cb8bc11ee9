/// The result of a limit, or of a check of several limits. The worst result is the last case.
package enum CheckOutcome: String, CaseIterable, Comparable, Sendable {
  case pass
  /// The limit is exceeded, but the base exceeds the limit as much, or more. The check does not fail.
  case alreadyInBase = "already in the base"
  /// The limit is relative to a base, and no base was given.
  case noBaseline = "no baseline"
  /// The measured launches do not show whether the limit is kept.
  case inconclusive
  case fail

  package static func < (a: Self, b: Self) -> Bool {
    (allCases.firstIndex(of: a) ?? 0) < (allCases.firstIndex(of: b) ?? 0)
  }
}
