import JSON

/// The result of one check of `orderfile doctor`.
package struct Finding: Hashable, Sendable {
  /// The subject of a check of `doctor`. The report has the subjects in the order of these cases.
  package enum Area: String, CaseIterable, Sendable {
    case tools, permissions, machine, project, image, auto
  }

  package enum Severity: String, CaseIterable, Sendable {
    /// The check found nothing to mend.
    case ok
    /// The check found something that works less well, or only with an option that the user gives.
    case warning
    /// The check found something that does not work.
    case error
  }

  package var area: Area
  /// The thing that was checked, in a word or two: `lld`, `function sections`.
  package var check: String
  package var severity: Severity
  /// What the check found, in one line.
  package var finding: String
  /// The command or option that mends the problem; `nil` if nothing has to be mended.
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

extension Finding: JSONWritableObject {
  package func writeMembers(to json: inout JSONWriter) {
    json.member("area", area.rawValue)
    json.member("check", check)
    json.member("finding", finding)
    json.member("hint", hint)
    json.member("severity", severity.rawValue)
  }
}

extension Finding {
  /// Returns the lines of the finding in a report.
  package func lines(isColoured: Bool) -> String {
    let word = severity.rawValue
    let padding = String(repeating: " ", count: 9 - word.count)
    let shown = isColoured ? "\u{1b}[1;\(severity.colour)m\(word)\u{1b}[0m" : word
    let line = "  \(shown)\(padding)\(check): \(printable(finding))\n"
    return line
      + (hint.map { String(repeating: " ", count: 11) + "hint: \(printable($0))\n" } ?? "")
  }
}

extension Finding.Severity {
  fileprivate var colour: Int {
    switch self {
    case .ok: 32
    case .warning: 33
    case .error: 31
    }
  }
}
