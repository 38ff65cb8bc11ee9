/// What one check of `orderfile doctor` has found.
package struct Finding: Hashable, Sendable {
  /// What a check is about; in the order of a report.
  package enum Area: String, CaseIterable, Sendable {
    case tools, permissions, machine, project, image, auto
  }

  package enum Severity: String, CaseIterable, Sendable {
    /// Nothing has to be done.
    case ok
    /// Something works less well, or not without a word from the user.
    case warning
    /// Something does not work.
    case error
  }

  package var area: Area
  /// What was checked, in a word or two: `lld`, `function sections`.
  package var check: String
  package var severity: Severity
  /// What was found, in one line.
  package var finding: String
  /// The command or option that mends it; `nil` if nothing has to be mended.
  package var hint: String?

  package init(
    _ area: Area, _ check: String, _ severity: Severity, _ finding: String, hint: String? = nil
  ) {
    self.area = area
    self.check = check
    self.severity = severity
    self.finding = finding
    self.hint = hint
  }
}
