import ProcessLaunch

/// A launch that a program is ordered for.
package struct AutoLaunch: Hashable, Sendable {
  /// The command line for `/bin/sh -c`, which runs in the copy of the project.
  package var command: String
  /// The path of the file that is the launch's standard input; `nil` for no input.
  package var input: String?
  /// The time limit in seconds; `nil` for `usualTimeout`.
  package var timeout: Double?
  package var readiness: Readiness?
  /// The script that types into the launch's terminal; `nil` if the launch has no terminal.
  package var script: TerminalScript?

  package init(_ command: String) { self.command = command }

  /// The usual time limit, in seconds. Launches that end on their own take less time.
  package static let usualTimeout = 60.0
}
