/// What a limit, or a check of several limits, ends with; the worst last.
package enum CheckOutcome: String, CaseIterable, Comparable, Sendable {
  case pass
  /// There is nothing to compare with.
  case noBaseline = "no baseline"
  /// The launches do not decide.
  case inconclusive
  case fail

  package static func < (a: Self, b: Self) -> Bool {
    (allCases.firstIndex(of: a) ?? 0) < (allCases.firstIndex(of: b) ?? 0)
  }
}
