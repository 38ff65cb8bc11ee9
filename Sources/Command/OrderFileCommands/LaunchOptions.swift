import ArgumentParser
import CommandSupport
import ImageModel
import ProcessLaunch

/// A kind of launches. Kinds differ in how they end a launch that does not end on its own: in the default timeout and
/// in the signs of readiness.
protocol LaunchKind: SendableMetatype {
  /// The default value of `--timeout`, as the help states it.
  static var defaultTimeout: String { get }
  /// Why a launch sets no marks, and what to give instead; `nil` if `--until-ready mark=NAME` is a sign of readiness.
  static var reasonAgainstMarks: String? { get }
}

extension LaunchKind {
  static var defaultTimeout: String { "none; 60 with --until-ready" }

  fileprivate static var signs: String {
    "port=NUMBER when it listens on that TCP port, line=TEXT when its output contains that text"
      + (reasonAgainstMarks == nil
        ? ", mark=NAME when it calls orderfile_mark() with that name" : "")
  }

  fileprivate static var forms: String {
    reasonAgainstMarks == nil
      ? "port=NUMBER, line=TEXT or mark=NAME" : "port=NUMBER or line=TEXT"
  }
}

/// Launches that are recorded, or whose pages are counted.
enum RecordedKind: LaunchKind {
  static var reasonAgainstMarks: String? { nil }
}

/// Launches of the program as it is.
enum UnchangedKind: LaunchKind {
  static var reasonAgainstMarks: String? {
    "this command launches the program without a recorder, so --until-ready can't use marks: give port=NUMBER or line=TEXT"
  }
}

/// Launches of `stages`, which also reads traces with marks.
enum StagedKind: LaunchKind {
  static var reasonAgainstMarks: String? {
    UnchangedKind.reasonAgainstMarks.map {
      $0 + ", or give a trace of 'orderfile record', which has the marks"
    }
  }
}

/// Launches of an image that is linked several times.
enum RelinkedKind: LaunchKind {
  static var reasonAgainstMarks: String? {
    "a release build has no recorder, so --until-ready can't use marks: give port=NUMBER or line=TEXT"
  }
}

/// The launches of `auto`.
enum AutoKind: LaunchKind {
  static var defaultTimeout: String { "60" }
  static var reasonAgainstMarks: String? { RelinkedKind.reasonAgainstMarks }
}

/// `--timeout` and `--until-ready`: the end of a launch that does not end on its own. `--script`: what is typed into the
/// terminal of a launch.
struct LaunchEndOptions<Kind: LaunchKind>: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "End a launch that lasts longer than this many seconds: the program and the processes that it started get "
        + "SIGTERM, and SIGKILL 2 s later. (default: \(Kind.defaultTimeout))", valueName: "s"),
    transform: expecting("seconds, such as 30 or 0.5"))
  var timeout: Double?
  @Option(
    help: ArgumentHelp(
      "End a launch, as --timeout does, as soon as the program is ready: \(Kind.signs).",
      valueName: "sign"),
    transform: Self.sign)
  var untilReady: Readiness?
  @Option(
    help: ArgumentHelp(
      "Give the launch a terminal of 80x24, and type into it what this script says (docs/how-to/LAUNCHES.md).",
      valueName: "file"), completion: .file())
  var script: String?

  /// The timeout in seconds; `nil` for no timeout.
  var seconds: Double? { timeout ?? (untilReady == nil ? nil : 60) }

  /// Reads the script; `nil` if none is given.
  ///
  /// - Throws: if the file is not a script, or if both the script and `--until-ready` end the launch.
  func readScript() throws(Diagnostic) -> TerminalScript? {
    guard let script else { return nil }
    let read = try TerminalScript(at: script)
    if untilReady != nil, read.hasReady {
      throw Diagnostic(
        "found 'ready', but --until-ready also ends the launch", context: [script],
        hint: "remove one of them", severity: .usage)
    }
    return read
  }

  /// The sign at which a launch with this script is over.
  func readiness(_ script: TerminalScript?) -> Readiness? {
    untilReady ?? (script?.hasReady ?? false ? .script : nil)
  }

  /// Reads the script, and returns the conditions of one launch.
  ///
  /// - Parameter input: the value of `--input`.
  func conditions(input: String?) throws(Diagnostic) -> LaunchConditions {
    var conditions = LaunchConditions()
    conditions.inputPath = input
    conditions.timeout = seconds
    conditions.script = try readScript()
    conditions.readiness = readiness(conditions.script)
    return conditions
  }

  /// - Parameter input: the value of `--input`.
  /// - Throws: if these launches can't use the value of an option.
  func check(input: String? = nil) throws {
    if script != nil, input != nil {
      throw ValidationError("--script types the input of the launch: it can't be used with --input")
    }
    if script != nil, case .output = untilReady {
      throw ValidationError(
        "a launch with --script writes to its terminal: wait for the text in the script, and end it with 'ready'"
      )
    }
    if let timeout, !(timeout > 0 && timeout < 1e9) {
      throw ValidationError("invalid --timeout: expected seconds above 0, found \(timeout)")
    }
    if untilReady?.mark != nil, let reason = Kind.reasonAgainstMarks {
      throw ValidationError(reason)
    }
  }

  @Sendable private static func sign(_ text: String) throws -> Readiness {
    if let sign = Readiness(text) { return sign }
    // `text` may be a port, or the name of a host and a port.
    let digits = String(text.split(separator: ":").last ?? "")
    let port = UInt16(digits).flatMap { $0 > 0 ? "port=\($0)" : nil }
    let line = text.isEmpty || text.contains("=") ? nil : "line=\(text)"
    let suggestion = (port ?? line).map { ": did you mean '\($0)'?" } ?? ""
    throw ValidationError("expected \(Kind.forms)\(suggestion)")
  }
}

/// `--input`: the file that the launched program reads as its standard input. The program inherits all other standard
/// streams of this command.
struct StandardInput: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file that the program reads as its standard input. (default: the standard input of this command)",
      valueName: "file"),
    completion: .file())
  var input: String?

  /// - Throws: if the input is a pipe or a folder, or can't be read.
  func open() throws(Diagnostic) -> OpenedInput? {
    try input.map { path throws(Diagnostic) in try OpenedInput(path) }
  }
}

/// `--input` of a program that is launched several times: each launch reads the file from its start.
struct RepeatedInput: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file that each launch reads as its standard input. (default: empty input)",
      valueName: "file"),
    completion: .file())
  var input: String?
}

/// `--timeout S -- COMMAND...`: the program that a command launches.
struct LaunchOptions<Kind: LaunchKind>: ParsableArguments {
  @OptionGroup var limits: LaunchEndOptions<Kind>
  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The program to launch, and its arguments.", valueName: "command"))
  var command: [String] = []

  /// The program and its arguments; empty only if `check` did not require one.
  var words: [String] { command.first == "--" ? Array(command.dropFirst()) : command }

  /// - Parameter input: the standard input of the program; `nil` for the standard input of this process.
  /// - Precondition: `words` is not empty.
  func launch(reading input: OpenedInput? = nil) throws(Diagnostic) -> ProgramLaunch {
    var launch = try limits.conditions(input: nil).launch(of: words)
    launch.streams.input = input?.descriptor
    return launch
  }

  /// Throws if the program is missing, or if its first word was meant as an option of `command`.
  ///
  /// `command.validate` calls this: a `validate` of this type could not print the help of `command`.
  ///
  /// - Parameter input: the value of `--input`.
  func check(
    for command: some ParsableCommand, isRequired: Bool = true, input: String? = nil
  ) throws {
    // ArgumentParser captures everything from the first word that is not one of our options.
    switch self.command.first {
    case "-h", "--help": throw CleanExit.helpRequest(command)
    case "--version": throw CleanExit.message(OrderFileCommand.configuration.version)
    // If no program is required, "-" may be standard input.
    case let word? where word.hasPrefix("-") && word != "--" && (word != "-" || isRequired):
      throw ValidationError("unknown option '\(word)'")
    default: break
    }
    if isRequired, words.isEmpty {
      throw ValidationError("missing the program to launch: give its command after '--'")
    }
    try limits.check(input: input)
  }
}

extension LaunchEndOptions {
  /// The options for the end of one launch, and whether each is given.
  var given: [(option: String, isGiven: Bool)] {
    [
      ("--timeout", timeout != nil), ("--until-ready", untilReady != nil),
      ("--script", script != nil),
    ]
  }
}
