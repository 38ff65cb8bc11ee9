import ProcessLaunch

/// A launch that a program is ordered for.
package struct AutoLaunch: Hashable, Sendable {
  /// For `/bin/sh -c`, in the copy of the project.
  package var command: String
  /// The path of the file that is its standard input; `nil` for none.
  package var input: String?
  /// In seconds; `nil` for the usual.
  package var timeout: Double?
  package var readiness: Readiness?

  package init(_ command: String) { self.command = command }

  /// Longer than launches take that end by themselves, in seconds.
  package static let usualTimeout = 60.0
}
