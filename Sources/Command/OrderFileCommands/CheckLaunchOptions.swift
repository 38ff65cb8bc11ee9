import ArgumentParser
import Budget
import CommandSupport
import ImageModel

/// The options of `check` for a launch whose documents `check` makes.
struct CheckLaunchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Launch this image or command, and make the documents: words separated by blanks, quoted as in a shell, but run without one.",
      valueName: "command"))
  var launch: [String] = []
  @Option(
    help: ArgumentHelp(
      "With --launch: the image that the limits are about. (default: the launched program)",
      valueName: "file"), completion: .file())
  var image: String?
  @Option(
    help: ArgumentHelp(
      "With --launch: the build to compare with, for diff and for times.", valueName: "file"),
    completion: .file())
  var before: String?
  @Option(
    help: ArgumentHelp(
      "With --launch: the order file that the image was linked with.", valueName: "file"),
    completion: .file())
  var order: String?
  @Option(
    help: ArgumentHelp(
      "With --launch: the folder for the documents. (default: \(Self.usualFolder))",
      valueName: "folder"), completion: .directory)
  var documents: String?
  @OptionGroup var repeated: RepeatedInput
  @Option(
    help: ArgumentHelp(
      "Measure each build this many times, if a limit is on a time. (default: 100, or at least 30 in 20 s)",
      valueName: "number"), transform: expecting("a number of launches"))
  var runs: Int?
  @OptionGroup var limits: LaunchEndOptions<RelinkedKind>

  private static let usualFolder = "orderfile-check"

  /// The first given option among these that needs `--launch`.
  private var firstWithoutLaunch: String? {
    let given = [
      ("--image", image != nil), ("--before", before != nil), ("--order", order != nil),
      ("--documents", documents != nil), ("--input", repeated.input != nil),
      ("--runs", runs != nil),
      ("--timeout", limits.timeout != nil), ("--until-ready", limits.untilReady != nil),
      ("--script", limits.script != nil),
    ]
    return given.first { $0.1 }?.0
  }

  func check() throws {
    if launch.count > 1 {
      throw ValidationError(
        "check one launch at a time: --launch is given \(launch.count) times")
    }
    if launch.contains(where: { $0.allSatisfy(\.isWhitespace) }) {
      throw ValidationError("--launch is empty: expected a command")
    }
    if launch.isEmpty, let option = firstWithoutLaunch {
      throw ValidationError("\(option) affects a launch: give --launch COMMAND")
    }
    if let runs, !(2...1_000_000).contains(runs) {
      throw ValidationError("invalid --runs: expected 2 to 1000000, found \(runs)")
    }
    try limits.check(input: repeated.input)
  }

  /// The paths of the files that are read, in addition to the program and the image.
  var inputs: [String] { [before, order, repeated.input, limits.script].compactMap { $0 } }

  /// The launch that these options describe; `nil` without `--launch`.
  ///
  /// - Throws: an error if the program can't be found.
  func checkedLaunch() throws(Diagnostic) -> CheckedLaunch? {
    guard let command = launch.first else { return nil }
    var launch = try CheckedLaunch(
      command, image: image, folder: documents ?? Self.usualFolder, in: .own)
    launch.before = before
    launch.order = order
    launch.input = repeated.input
    launch.timeout = limits.seconds
    launch.script = try limits.readScript()
    launch.readiness = limits.readiness(launch.script)
    launch.runs = runs
    return launch
  }
}
