import ArgumentParser
import Budget
import CommandSupport
import ImageModel
import LaunchMeasurement

/// The options of `check` for a launch whose documents `check` makes.
struct CheckLaunchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Launch this program and make the documents: a command whose words are separated by blanks and quoted as in a shell. No shell runs it.",
      valueName: "command"))
  var launch: [String] = []
  @Option(
    help: ArgumentHelp(
      "With a launch: the program or library whose figures are checked. (default: the launched program)",
      valueName: "file"), completion: .file())
  var image: String?
  @Option(
    help: ArgumentHelp(
      "With a launch: the build of the base, with which the layout, the times and the stages are compared.",
      valueName: "file"),
    completion: .file())
  var before: String?
  @Option(
    help: ArgumentHelp(
      "With a launch: the order file with which the image was linked.", valueName: "file"),
    completion: .file())
  var order: String?
  @Option(
    help: ArgumentHelp(
      "With a launch: the folder for the documents. (default: \(Self.usualFolder))",
      valueName: "folder"), completion: .directory)
  var documents: String?
  @OptionGroup var repeated: RepeatedInput
  @Option(
    help: ArgumentHelp(
      "With a launch: measure each build, or divide its launches into stages, this many times if a limit is on a time. (default: as many times as 'orderfile measure' and 'orderfile stages')",
      valueName: "number"), transform: expecting("a number of launches"))
  var runs: Int?
  @Option(
    help: ArgumentHelp(
      "With a launch: list the faults and requests of a cold launch from a device, as 'orderfile faults --cold' takes it.",
      valueName: "device"), transform: expecting(DeviceSettings.form))
  var device: DeviceSettings?
  @OptionGroup var limits: LaunchEndOptions<RelinkedKind>
  @OptionGroup var described: LaunchSetOptions

  /// Whether a launch is given, from which documents are made.
  var hasLaunch: Bool { !launch.isEmpty || described.launches != nil }

  private static let usualFolder = "orderfile-check"

  /// The first given option among these that needs a launch.
  private var firstWithoutLaunch: String? {
    let given =
      [
        ("--image", image != nil), ("--before", before != nil), ("--order", order != nil),
        ("--documents", documents != nil), ("--input", repeated.input != nil),
        ("--runs", runs != nil), ("--device", device != nil),
      ] + limits.given
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
    try described.check(
      others: [("--launch", !launch.isEmpty), ("--input", repeated.input != nil)] + limits.given)
    if !hasLaunch, let option = firstWithoutLaunch {
      throw ValidationError("\(option) affects a launch: give --launch COMMAND or --launches FILE")
    }
    if let runs, !(2...1_000_000).contains(runs) {
      throw ValidationError("invalid --runs: expected 2 to 1000000, found \(runs)")
    }
    try limits.check(input: repeated.input)
  }

  /// The paths of the files that are read, in addition to the program and the image.
  var inputs: [String] {
    [before, order, repeated.input, limits.script, described.launches].compactMap { $0 }
  }

  /// The launch that these options describe; `nil` without `--launch` and `--launches`.
  ///
  /// - Throws: an error if the program can't be found.
  func checkedLaunch() throws(Diagnostic) -> CheckedLaunch? {
    if let launches = try described.read(RelinkedKind.self) { return try checkedLaunch(launches) }
    guard let command = launch.first else { return nil }
    var launch = try CheckedLaunch(
      command, image: image, folder: documents ?? Self.usualFolder, in: .own)
    launch.before = before
    launch.order = order
    launch.conditions = try limits.conditions(input: repeated.input)
    launch.runs = runs
    launch.device = device
    return launch
  }

  private func checkedLaunch(_ launches: [DescribedLaunch]) throws(Diagnostic) -> CheckedLaunch {
    guard launches.count == 1 else {
      throw Diagnostic(
        "check one launch at a time: \(launches.count) launches are selected",
        context: [launches[0].path],
        hint: "select one with '--only': \(launches.map(\.name).joined(separator: ", "))",
        severity: .usage)
    }
    var launch = try CheckedLaunch(
      launches[0], image: image, folder: documents ?? Self.usualFolder, in: .own)
    launch.before = before
    launch.order = order
    launch.runs = runs
    launch.device = device
    return launch
  }
}
