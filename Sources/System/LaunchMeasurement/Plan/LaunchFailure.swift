// Errors of any launch that fails or is not over in time.

import ImageModel
import ProcessLaunch

extension Diagnostic {
  /// - Parameter timeout: the seconds after which the program was ended; `nil` if it ended by itself.
  package static func notReady(
    _ program: String, _ readiness: Readiness, within timeout: Double?, _ end: ProgramLaunch.End
  ) -> Diagnostic {
    let what =
      timeout.map { "was not ready within \($0) s" } ?? "ended before it was ready (\(end))"
    let hint: String? =
      switch readiness {
      case .port where timeout == nil && end == .exited(0):
        "keep the program in the foreground: a daemon's first process ends at once"
      case .port: nil
      case .output:
        "the program may buffer output that does not go to a terminal: let it flush the output"
      case .mark: "let the program call orderfile_mark() with this name"
      case .script: nil
      }
    return Diagnostic(
      "the program \(what): expected \(readiness)", context: [program], hint: hint,
      kind: .failedLaunch)
  }

  /// - Parameter timeout: the time after which the program was ended, in seconds.
  package static func ranTooLong(_ program: String, _ timeout: Double?) -> Diagnostic {
    Diagnostic(
      "the program ran longer than \(timeout ?? 0) s and was ended", context: [program],
      kind: .failedLaunch)
  }

  /// Returns the error about a script that could not go on.
  ///
  /// - Parameter end: how the program ended.
  package static func scriptFailed(
    _ failure: ScriptFailure, _ end: ProgramLaunch.End
  ) -> Diagnostic {
    let rows = failure.screen.map { "\n  \($0)" }.joined()
    let screen = rows.isEmpty ? "the screen is empty" : "the screen is:\(rows)"
    let (expected, limit) = failure.action.expectation
    let (found, hint): (String, String?) =
      switch failure.reason {
      case .tooLate:
        (
          "not there after \(limit.rounded() == limit ? "\(Int(limit))" : "\(limit)") s",
          "'within SECONDS' at the end of the line changes the limit"
        )
      case .programEnded: ("the program ended before (\(end))", nil)
      case .terminalClosed:
        (
          "the program closed its terminal",
          "a daemon has no terminal: launch it without --script, and end the launch with --until-ready"
        )
      }
    return Diagnostic(
      "\(failure.line.map { "line \($0)" } ?? "after the last line"): expected \(expected), found: \(found); \(screen)",
      context: [failure.path], hint: hint, kind: .failedLaunch)
  }

  /// Returns the error about a measured program that did not exit with status 0.
  ///
  /// - Parameter showsOutput: whether its output was shown.
  package static func failed(
    _ program: String, _ end: ProgramLaunch.End, showsOutput: Bool
  ) -> Diagnostic {
    let what =
      switch end {
      case .exited(let status): "the launch failed: expected exit status 0, found \(status)"
      case .killed(let signal): "the launch was killed by signal \(signal)"
      }
    return Diagnostic(
      what, context: [program],
      hint: showsOutput
        ? "to measure the failed launch anyway, give --ignore-failure"
        : "to see the output, give --show-output; to measure the failed launch anyway, give --ignore-failure",
      kind: .failedLaunch)
  }
}

extension TerminalScript.Action {
  /// The event that a step expects, for a message, and the step's time limit in seconds.
  fileprivate var expectation: (text: String, seconds: Double) {
    switch self {
    case .wait(let event, let seconds): ("\(event)", seconds)
    case .type: ("a program that reads what is typed", TerminalScript.usualLimit)
    case .resize, .ready: ("a running program", TerminalScript.usualLimit)
    }
  }
}

extension Diagnostic.Kind {
  /// The program could not be started, failed, did not become ready, or was ended after its timeout.
  package static let failedLaunch = Self("failedLaunch")
}
