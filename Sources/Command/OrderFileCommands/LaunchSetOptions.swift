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

  /// - Parameter others: the options that can't be used together with `--launches`, and whether each is given.
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
  /// - Throws: an error also if a launch awaits a mark and the command's launches set no marks.
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
