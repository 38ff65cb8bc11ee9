/// An error or a warning: what is wrong, where, and what to try next. The message is in lower case, without a full
/// stop.
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
    /// A usage error detected after parsing.
    case usage = 64
  }

  /// The message, such as "build ID mismatch: expected 9f3a, found 41c0".
  package var message: String
  /// Where the problem is, outermost first: file, archive member, symbol.
  package var context: [String]
  /// What to try next: each alternative is enough.
  package var remedies: [Remedy]
  package var severity: Severity
  /// The kind of the problem, for code that looks for certain diagnostics; `nil` for other diagnostics.
  package var kind: Kind?

  package init(
    _ message: String, context: [String] = [], hint: String? = nil, severity: Severity = .failure,
    kind: Kind? = nil
  ) {
    self.message = message
    self.context = context
    remedies = hint.map { [Remedy($0)] } ?? []
    self.severity = severity
    self.kind = kind
  }

  /// The kind of a problem. The set of kinds is open: the target that makes a diagnostic names its kind.
  package struct Kind: Hashable, Sendable {
    private let name: String

    /// - Parameter name: the name of the constant, which no other kind has.
    package init(_ name: String) { self.name = name }
  }
}

/// Something that the user can try next.
package struct Remedy: Hashable, Sendable {
  package var text: String
  /// The option of the command line that `text` names, if only some of the commands have it: `--debug-file`.
  package var option: String?

  package init(_ text: String, option: String? = nil) {
    self.text = text
    self.option = option
  }
}

extension Diagnostic {
  /// Whether the command that this process runs has an option. It is set once, before the command runs.
  nonisolated(unsafe) package static var hasOption: (String) -> Bool = { _ in true }

  /// An error or a warning with several things to try.
  package init(
    _ message: String, context: [String] = [], remedies: [Remedy], severity: Severity = .failure,
    kind: Kind? = nil
  ) {
    self.init(message, context: context, severity: severity, kind: kind)
    self.remedies = remedies
  }

  /// The remedies in one line, without those whose option the running command lacks; `nil` if there are none.
  package var hint: String? {
    get {
      let usable = remedies.filter { remedy in
        remedy.option.map(Self.hasOption) ?? true
      }
      return usable.isEmpty ? nil : usable.map(\.text).joined(separator: ", or ")
    }
    set { remedies = newValue.map { [Remedy($0)] } ?? [] }
  }
}

extension Diagnostic: CustomStringConvertible {
  package var description: String {
    let line = (context + [message]).joined(separator: ": ")
    guard let hint else { return line }
    return "\(line)\n  hint: \(hint)"
  }
}
