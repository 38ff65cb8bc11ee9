import ArgumentParser
import Budget
import CommandSupport
import ImageModel
import LaunchMeasurement
import LibC
import Measuring
import Rendering

struct MeasureCommand: ParsableCommand, LaunchingCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract:
      "Launch two builds alternately, and say which build starts faster and how certain this is.",
    discussion: """
      EXAMPLES
        $ orderfile measure --before app-before --after build/app -- --version
        $ orderfile measure --cold --precision 2% --before 'a -x' --after 'b -x'

      A and B are either images or commands. An image is launched with the arguments after '--'. A command is \
      words separated by blanks and quoted as in a shell, but no shell runs it. Before each cold launch, the \
      images are evicted from memory, which does not need root. Libraries stay in memory unless --also names them.

      Standard input is empty unless --input is given, and output is discarded unless --show-output is given. \
      Processes that a launch leaves running are killed before the next launch. With --launches, the builds get the \
      arguments of each launch of a file, in place of the arguments after '--'. -o then names a folder, which gets \
      NAME.txt or, with --json, NAME.json for each launch. A summary of all launches is printed.
      """)

  @Option(
    help: ArgumentHelp(
      "The build with which the other build is compared: an image or a command.", valueName: "A"))
  var before: String
  @Option(
    help: ArgumentHelp("The build that is compared with A: an image or a command.", valueName: "B"))
  var after: String
  @Option(
    help: ArgumentHelp(
      "Launch each build this many times; with --precision, at most this many times. (default: until 20 s have passed, "
        + "but at least 30 and at most 100 times; with --precision, at most 500 times; with --layouts, 10 times in each layout)",
      valueName: "number"), transform: expecting("a number of launches"))
  var runs: Int?
  @Option(
    help: ArgumentHelp(
      "Launch until the mean time of each build is known to within this share, such as 3%.",
      valueName: "share"),
    transform: Share.limit)
  var precision: Share?
  @Flag(help: "The state of the page cache. (default: --both)")
  var state: MeasuredStates?
  @Flag(
    help:
      "Also measure A a second time, as if it were another build: the difference between its two measurements is noise."
  )
  var control = false
  @Option(
    help: ArgumentHelp(
      "Also evict this file from memory before cold launches, and examine it: a library, or a program that a script runs. Repeat for more files.",
      valueName: "file"), completion: .file())
  var also: [String] = []
  @OptionGroup var device: DeviceOption
  @Flag(
    help:
      "Also measure resident memory when the programs end or are ready, in extra launches: 20 of each build, or as many as --runs."
  )
  var memory = false
  @OptionGroup var random: LayoutOptions
  @OptionGroup var limited: LimitOptions<MeasureResult>
  @Flag(help: "Drop the whole page cache before each cold launch, not only the images. Needs root.")
  var dropCaches = false
  @Option(
    help: ArgumentHelp(
      "The file that each launch reads as its standard input. (default: empty input)",
      valueName: "file"),
    completion: .file())
  var input: String?
  @Flag(help: "Measure also launches that fail. Without it, a failed launch is an error.")
  var ignoreFailure = false
  @Flag(help: "Show the programs' output on standard error instead of discarding it.")
  var showOutput = false
  @Option(
    help: ArgumentHelp(
      "The seed of the random order in which the builds are launched, and of the layouts of --layouts. (default: 1)",
      valueName: "n"),
    transform: expecting("a whole number"))
  var seed: UInt64 = 1
  @Flag(help: "Print the result as one JSON object instead of text.")
  var json = false
  @Option(
    help: ArgumentHelp(
      "Also write all times to this file, in hyperfine's JSON format.", valueName: "file"),
    completion: .file())
  var exportHyperfine: String?
  @OptionGroup var described: LaunchSetOptions
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages
  @OptionGroup var limits: LaunchEndOptions<UnchangedKind>
  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp(
      "The arguments with which the images A and B are launched.", valueName: "arguments"))
  var arguments: [String] = []
  var programArguments: [String] { arguments }

  func validate() throws {
    if let runs, !(2...1_000_000).contains(runs) {
      throw ValidationError("invalid --runs: expected 2 to 1000000, found \(runs)")
    }
    try limits.check(input: input)
    try described.check(
      others: [
        ("arguments after '--'", !arguments.isEmpty), ("--input", input != nil),
        ("--layouts", random.layouts != nil), ("--export-hyperfine", exportHyperfine != nil),
      ] + limits.given)
    try LaunchOutputs.check(described, destination, json: json)
    let figures = try limited.limits().limits.map(\.figure)
    try random.check(others: [
      ("--control", control), ("--precision", precision != nil), ("--memory", memory),
      ("--export-hyperfine", exportHyperfine != nil), ("--limit", !figures.isEmpty),
    ])
    if !memory, let figure = figures.first(where: \.isMemory) {
      throw ValidationError("--limit \(figure.id) is about resident memory: give --memory, too")
    }
    if device.settings == nil, let figure = figures.first(where: \.countsRequests) {
      throw ValidationError(
        "--limit \(figure.id) is about requests to a device: give --device, too")
    }
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

  private func measurement(_ launch: DescribedLaunch?) throws(Diagnostic) -> BuildMeasurement {
    var measurement = BuildMeasurement(before: before, after: after, in: .own)
    measurement.arguments = arguments
    measurement.states = states
    measurement.runs = runs
    measurement.precision = precision?.ratio
    measurement.hasControl = control
    measurement.images = also
    if let launch {
      try measurement.launch(as: launch)
    } else {
      measurement.conditions = try limits.conditions(input: input)
    }
    measurement.showsOutput = showOutput
    measurement.seed = seed
    measurement.dropsCaches = dropCaches
    measurement.ignoresFailure = ignoreFailure
    measurement.device = device.settings
    measurement.countsMemory = memory
    return measurement
  }

  func run() throws {
    if let launches = try described.read(UnchangedKind.self) { return try measure(launches) }
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

  private func measure(_ launches: [DescribedLaunch]) throws {
    let outputs = try LaunchOutputs(
      destination, launches, json: json,
      madeOf: [before, after] + launches.flatMap(\.inputs) + also)
    var made = MadeLaunches()
    var failures: [Diagnostic] = []
    var summary = LaunchSummary(.measure, of: launches)
    for launch in launches {
      guard let result = try made.make(launch, { try runWithProgress(launch) }) else { continue }
      if let document = result.document {
        summary.add(launch, document)
        let text = { MeasureText(document, width: destination.width).text }
        try outputs.output(of: launch).finish(json ? document.json() : Array(text().utf8))
        failures += try limited.limits().failures(of: .measure(document), path: after).map {
          var failure = $0
          failure.context.insert("launch '\(launch.name)'", at: 0)
          return failure
        }
      }
      messages.print(result.warnings)
      if let interruption = result.interruption { throw interruption }
    }
    if made.hasSucceeded { try outputs.finish(summary) }
    for note in made.notes { messages.print(note: note.description) }
    try made.check()
    try failures.throwAll()
  }

  private func runWithProgress(_ launch: DescribedLaunch? = nil) throws(Diagnostic)
    -> BuildMeasurement.Result
  {
    var bar = ProgressBar(messages, isDrawn: !json && !showOutput)
    defer { bar.clear() }
    let measurement = try measurement(launch)
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

/// The states of the page cache to measure: `--cold`, `--warm` or `--both`.
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
      "Measure only cold launches: evict the images from memory before each launch, and check that no page of them is left."
    case .warm: "Measure only warm launches: everything is in memory."
    case .both: "Measure cold launches, then warm launches. (default)"
    }
  }
}
