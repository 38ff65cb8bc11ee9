import ArgumentParser
import ProcessLaunch

/// `--timeout S -- COMMAND...`: the launch that a command watches.
struct LaunchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "After this many seconds, send SIGTERM to the program and what it started, and SIGKILL 2 s later.",
      valueName: "s"))
  var timeout: Double?
  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The program and its arguments.", valueName: "command"))
  var command: [String] = []

  /// The program and its arguments; empty only if `check` did not require one.
  var words: [String] { command.first == "--" ? Array(command.dropFirst()) : command }

  /// - Precondition: `words` is not empty.
  var launch: ProgramLaunch { ProgramLaunch(command: words, timeout: timeout) }

  /// Refuses a missing program, and what was meant as an option of `command`.
  ///
  /// To be called by its `validate`: one that this type had itself could not print the help of `command`.
  func check(for command: some ParsableCommand, isRequired: Bool = true) throws {
    // Everything from the first word on that is no option of ours has been captured.
    switch self.command.first {
    case "-h", "--help": throw CleanExit.helpRequest(command)
    case "--version": throw CleanExit.message(OrderFileCommand.configuration.version)
    case let word? where word.hasPrefix("-") && word != "--":
      throw ValidationError("unknown option '\(word)'")
    default: break
    }
    if isRequired, words.isEmpty {
      throw ValidationError("missing the command to run after '--'")
    }
    if let timeout, !(timeout > 0 && timeout < 1e9) {
      throw ValidationError("invalid --timeout: expected seconds above 0, found \(timeout)")
    }
  }
}
