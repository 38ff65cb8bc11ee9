import ArgumentParser
import CommandSupport
import ImageModel

/// `--launches`: the file that describes launches, in place of a command and of options for one launch.
struct LaunchSetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Make the launches that this file describes, with their input, scripts and time limits (docs/how-to/LAUNCHES.md).",
      valueName: "file"), completion: .file())
  var launches: String?
  @Option(
    help: ArgumentHelp(
      "With --launches: make only the launch with this name. Repeat for more launches. (default: all launches of the file)",
      valueName: "name"))
  var only: [String] = []

  /// - Parameter others: options that describe a launch, so that they can't be used together with `--launches`, and
  ///   whether each is given.
  func check(others: [(option: String, isGiven: Bool)]) throws {
    guard launches != nil else {
      guard !only.isEmpty else { return }
      throw ValidationError("--only selects a launch of a file: give --launches FILE, too")
    }
    if let other = others.first(where: \.isGiven)?.option {
      throw ValidationError(
        "\(other) can't be used with --launches: the file describes the launches")
    }
  }

  /// Reads the selected launches.
  ///
  /// - Parameter kind: the kind of the launches of the command.
  /// - Throws: also if a launch awaits a mark and the command's launches set no marks.
  func read<Kind: LaunchKind>(_ kind: Kind.Type) throws(Diagnostic) -> [DescribedLaunch]? {
    guard let launches else { return nil }
    let selected = try LaunchSet(at: launches).launches(named: only, at: launches)
    if let reason = Kind.reasonAgainstMarks,
      let launch = selected.first(where: { $0.readiness?.mark != nil })
    {
      throw Diagnostic(reason, context: launch.place + ["untilReady"], severity: .usage)
    }
    return selected
  }
}

/// The destinations of the results of several launches: a file for each launch, or stdout.
struct LaunchOutputs {
  private let launches: [DescribedLaunch]
  /// The path of the folder; `nil` for stdout.
  private let folder: String?
  private let suffix: String
  private let inputs: [String]

  /// Makes the folder.
  ///
  /// - Parameter inputs: the paths of the files that the results are made of.
  init(
    _ destination: ReportDestination, _ launches: [DescribedLaunch], json: Bool,
    madeOf inputs: [String]
  ) throws(Diagnostic) {
    self.launches = launches
    folder = destination.output == "-" ? nil : destination.output
    suffix = json ? "json" : "txt"
    self.inputs = inputs + launches.prefix(1).map(\.path)
    if let folder { try Folder.make(folder) }
  }

  /// Opens the destination of the result of a launch. On stdout, a line with the name of the launch comes before the
  /// result.
  func output(of launch: DescribedLaunch) throws -> Output {
    if let folder { return try Output("\(folder)/\(launch.name).\(suffix)", madeOf: inputs) }
    let isFirst = launch.name == launches.first?.name
    try Console.print(Array("\(isFirst ? "" : "\n")launch '\(launch.name)'\n".utf8))
    return .standardOutput
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
