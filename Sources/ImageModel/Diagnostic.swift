/// An error or a warning: what is wrong, where, and what to try next. Lower case, without a full stop.
package struct Diagnostic: Error, Hashable, Sendable {
  /// The exit status of the program if this diagnostic ends it.
  package enum Severity: Int32, Sendable {
    /// The command failed.
    case failure = 1
    /// A requested check failed; the result is valid.
    case checkFailed = 2
    /// The inputs do not belong together.
    case mismatch = 3
    /// Nothing was recorded.
    case nothingRecorded = 4
    /// The measurements do not decide a requested check.
    case inconclusive = 5
    /// The command line does not say what to do, as far as that shows only now.
    case usage = 64
  }

  /// "build ID mismatch: expected 9f3a, found 41c0"
  package var message: String
  /// Where the problem is, outermost first: file, archive member, symbol.
  package var context: [String]
  package var hint: String?
  package var severity: Severity
  /// Whether it is about traces alone that do not exist, or in which nothing was recorded.
  package var isOfMissingTraces: Bool

  package init(
    _ message: String, context: [String] = [], hint: String? = nil, severity: Severity = .failure,
    isOfMissingTraces: Bool = false
  ) {
    self.message = message
    self.context = context
    self.hint = hint
    self.severity = severity
    self.isOfMissingTraces = isOfMissingTraces
  }
}

extension Diagnostic: CustomStringConvertible {
  package var description: String {
    let line = (context + [message]).joined(separator: ": ")
    guard let hint else { return line }
    return "\(line)\n  hint: \(hint)"
  }
}
