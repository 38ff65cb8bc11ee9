import ArgumentParser
import ProcessLaunch

/// `--timeout S -- COMMAND...`: the program that a command launches.
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

  /// Throws if the program is missing, or if its first word was meant as an option of `command`.
  ///
  /// `command.validate` calls this: a `validate` of this type could not print the help of `command`.
  func check(for command: some ParsableCommand, isRequired: Bool = true) throws {
    // ArgumentParser captures everything from the first word that is not one of our options.
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
