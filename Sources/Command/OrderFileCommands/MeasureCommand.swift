import ArgumentParser
import Budget
import ImageModel
import LaunchMeasurement
import LibC
import Measuring
import Rendering

struct MeasureCommand: ParsableCommand, LaunchingCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract:
      "Launch two builds alternately, and say which one takes less and how sure that is.",
    discussion: """
      EXAMPLES
        $ orderfile measure --before app-before --after build/app -- --version
        $ orderfile measure --cold --precision 2% --before 'a -x' --after 'b -x'

      A and B are images, launched with the arguments after '--', or commands: words separated by blanks, \
      quoted as in a shell, but run without one. Before each cold launch the images are evicted from the \
      page cache, which does not need root; libraries stay unless --also names them. Standard input is \
      empty, and output is discarded. Processes that a launch leaves running are killed before the next.
      """)

  @Option(help: ArgumentHelp("The build to compare with: an image or a command.", valueName: "A"))
  var before: String
  @Option(help: ArgumentHelp("The build to compare: an image or a command.", valueName: "B"))
  var after: String
  @Option(
    help: ArgumentHelp(
      "Launch each build this many times; with --precision, at most this many times. (default: 100, or at least 30 in 20 s; "
        + "with --precision 500)",
      valueName: "number"), transform: expecting("a number of launches"))
  var runs: Int?
  @Option(
    help: ArgumentHelp(
      "The precision of the means: launch until they are known to within this share, such as 3%.",
      valueName: "share"),
    transform: Share.limit)
  var precision: Share?
  @Flag(help: "The state of the page cache. (default: --both)")
  var state: MeasuredStates?
  @Flag(help: "Also measure A a second time: the difference between its two measurements is noise.")
  var control = false
  @Option(
    help: ArgumentHelp(
      "Also evict and examine this file: a library, or a program that a script runs. Repeat for more.",
      valueName: "file"), completion: .file())
  var also: [String] = []
  @OptionGroup var device: DeviceOption
  @Flag(
    help:
      "Also measure resident memory at the end of the programs or when they are ready, in extra launches: 20 of each, or as many as --runs."
  )
  var memory = false
  @OptionGroup var random: LayoutOptions
  @OptionGroup var limited: LimitOptions<MeasureResult>
  @Flag(help: "Drop the whole page cache before each cold launch; needs root.")
  var dropCaches = false
  @Option(
    help: ArgumentHelp("Standard input of the programs.", valueName: "file"),
    completion: .file())
  var input: String?
  @Flag(help: "Also measure launches that fail.")
  var ignoreFailure = false
  @Flag(help: "Let the programs write to standard error.")
  var showOutput = false
  @Option(
    help: ArgumentHelp(
      "The seed for the order of launches. (default: 1)", valueName: "n"),
    transform: expecting("a whole number"))
  var seed: UInt64 = 1
  @Flag(help: "Print one JSON object.")
  var json = false
  @Option(
    help: ArgumentHelp("Also write all times in hyperfine's JSON format.", valueName: "file"),
    completion: .file())
  var exportHyperfine: String?
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages
  @OptionGroup var limits: LaunchEndOptions<UnchangedKind>
  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("Arguments for both, after '--'.", valueName: "arguments"))
  var arguments: [String] = []
  var programArguments: [String] { arguments }

  func validate() throws {
    if let runs, !(2...1_000_000).contains(runs) {
      throw ValidationError("invalid --runs: expected 2 to 1000000, found \(runs)")
    }
    try limits.check(input: input)
    try limited.check()
    if !limited.limit.isEmpty, !memory {
      throw ValidationError("--limit is about resident memory: give --memory, too")
    }
    try random.check(others: [
      ("--control", control), ("--precision", precision != nil), ("--memory", memory),
      ("--export-hyperfine", exportHyperfine != nil),
    ])
    if let precision, !(precision.ratio > 0 && precision.ratio < 1) {
      throw ValidationError(
        "invalid --precision: expected above 0% and below 100%, found \(precision)")
    }
    if device.settings != nil, states == [.warm] {
      throw ValidationError("--device affects cold launches only: it can't be used with --warm")
    }
    if dropCaches, states == [.warm] {
      throw ValidationError(
        "--drop-caches affects cold launches only: it can't be used with --warm")
    }
  }

  private var states: [CacheState] { (state ?? .usual).states }

  private func measurement() throws(Diagnostic) -> BuildMeasurement {
    var measurement = BuildMeasurement(before: before, after: after, in: .own)
    measurement.arguments = arguments
    measurement.states = states
    measurement.runs = runs
    measurement.precision = precision?.ratio
    measurement.hasControl = control
    measurement.images = also
    measurement.inputPath = input
    measurement.timeout = limits.seconds
    measurement.script = try limits.readScript()
    measurement.readiness = limits.readiness(measurement.script)
    measurement.showsOutput = showOutput
    measurement.seed = seed
    measurement.dropsCaches = dropCaches
    measurement.ignoresFailure = ignoreFailure
    measurement.device = device.settings
    measurement.countsMemory = memory
    return measurement
  }

  func run() throws {
    let inputs = [before, after, input, limits.script, random.order].compactMap { $0 } + also
    let outputFile = try destination.open(madeOf: inputs)
    let exportFile = try exportHyperfine.map { path throws(Diagnostic) in
      try Output(path, madeOf: inputs)
    }
    let result = try runWithProgress()
    if let document = result.document {
      let width = destination.width
      try outputFile.finish(
        json ? document.json() : Array(MeasureText(document, width: width).text.utf8))
      try exportFile?.finish(document.hyperfineJSON())
    }
    messages.print(result.warnings)
    if let interruption = result.interruption { throw interruption }
    guard let document = result.document else { return }
    try limited.limits().failures(of: .measure(document), path: after).throwAll()
  }

  private func runWithProgress() throws(Diagnostic) -> BuildMeasurement.Result {
    var bar = ProgressBar(messages, isDrawn: !json && !showOutput)
    defer { bar.clear() }
    let measurement = try measurement()
    if let layouts = random.measurement(measurement) {
      return try layouts.run { layout, progress in
        bar.show(
          "layout \(layout + 1) of \(layouts.layouts)", progress.round, of: progress.mostRounds, "")
      }
    }
    return try measurement.run { progress in
      let reached = progress.precision.map { ", precision \(Decimal.percent($0))" } ?? ""
      bar.show(progress.state.rawValue, progress.round, of: progress.mostRounds, reached)
    }
  }
}

/// `--cold`, `--warm` or `--both`.
enum MeasuredStates: String, EnumerableFlag {
  case cold, warm, both

  /// The default: only warm on systems where a file's pages can't be evicted.
  static var usual: MeasuredStates { isDarwin ? .warm : .both }

  var states: [CacheState] {
    switch self {
    case .cold: [.cold]
    case .warm: [.warm]
    case .both: [.cold, .warm]
    }
  }

  static func help(for value: MeasuredStates) -> ArgumentHelp? {
    switch value {
    case .cold:
      "Evict the images from memory before each launch, and check that nothing of them is left there."
    case .warm: "Launch with everything in memory."
    case .both: "Cold launches, then warm launches. (default)"
    }
  }
}
