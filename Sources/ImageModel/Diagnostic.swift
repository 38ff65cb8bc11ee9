/// What went wrong, where, and what to try next. Lower case, no full stop.
package struct Diagnostic: Error, Hashable, Sendable {
  /// How the program ends if this diagnostic stops it; the numbers are the exit codes.
  package enum Severity: Int32, Sendable {
    /// Could not do it.
    case failure = 1
    /// A check that was asked for failed; the result is valid.
    case checkFailed = 2
    /// The inputs do not belong together.
    case mismatch = 3
    /// Nothing was recorded.
    case nothingRecorded = 4
  }

  /// "build ID mismatch: expected 9f3a, found 41c0"
  package var message: String
  /// Outermost first: file, archive member, symbol.
  package var context: [String]
  package var hint: String?
  package var severity: Severity

  package init(
    _ message: String, context: [String] = [], hint: String? = nil, severity: Severity = .failure
  ) {
    self.message = message
    self.context = context
    self.hint = hint
    self.severity = severity
  }
}

extension Diagnostic: CustomStringConvertible {
  package var description: String {
    let line = (context + [message]).joined(separator: ": ")
    guard let hint else { return line }
    return "\(line)\n  hint: \(hint)"
  }
}
