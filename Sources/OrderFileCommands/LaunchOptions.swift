import ArgumentParser
import ProcessLaunch

/// `--timeout` and `--until-ready`: when a launch is over that does not end by itself.
struct LaunchLimits: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "End a launch after this many seconds: SIGTERM to the program and what it started, SIGKILL 2 s later. "
        + "(default: none; 60 with --until-ready and for auto)", valueName: "s"))
  var timeout: Double?
  @Option(
    help: ArgumentHelp(
      "End a launch in the same way when the program is ready: port=NUMBER when that TCP port listens, line=TEXT "
        + "when its output contains the text; for record and pages also mark=NAME at that orderfile_mark().",
      valueName: "sign"))
  var untilReady: Readiness?

  /// In seconds; `nil` for none.
  var seconds: Double? { timeout ?? (untilReady == nil ? nil : 60) }

  func check() throws {
    if let timeout, !(timeout > 0 && timeout < 1e9) {
      throw ValidationError("invalid --timeout: expected seconds above 0, found \(timeout)")
    }
  }
}

/// `--until-ready`.
extension Readiness: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}

/// `--timeout S -- COMMAND...`: the program that a command launches.
struct LaunchOptions: ParsableArguments {
  @OptionGroup var limits: LaunchLimits
  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The program and its arguments.", valueName: "command"))
  var command: [String] = []

  /// The program and its arguments; empty only if `check` did not require one.
  var words: [String] { command.first == "--" ? Array(command.dropFirst()) : command }

  /// - Precondition: `words` is not empty.
  var launch: ProgramLaunch {
    var launch = ProgramLaunch(command: words, timeout: limits.seconds)
    launch.readiness = limits.untilReady
    return launch
  }

  /// Throws if the program is missing, or if its first word was meant as an option of `command`.
  ///
  /// `command.validate` calls this: a `validate` of this type could not print the help of `command`.
  func check(for command: some ParsableCommand, isRequired: Bool = true) throws {
    // ArgumentParser captures everything from the first word that is not one of our options.
    switch self.command.first {
    case "-h", "--help": throw CleanExit.helpRequest(command)
    case "--version": throw CleanExit.message(OrderFileCommand.configuration.version)
    // Where no program is required, "-" may be standard input.
    case let word? where word.hasPrefix("-") && word != "--" && (word != "-" || isRequired):
      throw ValidationError("unknown option '\(word)'")
    default: break
    }
    if isRequired, words.isEmpty {
      throw ValidationError("missing the command to run after '--'")
    }
    try limits.check()
  }
}
