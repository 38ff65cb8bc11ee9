import ArgumentParser
import CommandSupport
import ImageModel
import LaunchMeasurement
import Stages
import Symbolication

struct StagesCommand: ParsableCommand, LaunchingCommand {
  static let configuration = CommandConfiguration(
    commandName: "stages",
    abstract: "Divide launches into stages or events, and print the time of each.",
    usage: """
      orderfile stages [OPTIONS] [--base PATH]... FILE...
      orderfile stages [OPTIONS] [--base PATH]... -- COMMAND...
      orderfile stages [OPTIONS] --launches FILE
      """,
    discussion: """
      EXAMPLES
        $ orderfile stages -- ./app --version
        $ orderfile stages --base old/app -- ./app --version
        $ orderfile stages --stop-at "first screen" *.oftrace
        $ orderfile stages --base main/launches --image build/App --json -o stages.json launches

      With a command, stages launches it alternately with and without a tracer, and prints the times of the \
      kernel, the loader, the initializers of each library, and main. This needs Linux with glibc. Nothing is \
      compiled into the program.

      With files, stages prints the times between the events in them. It reads the marks of traces, the output of \
      an old dyld (DYLD_PRINT_STATISTICS and DYLD_PRINT_LIBRARIES), tables of 'event ms delta', life cycles that \
      xctrace exported, and MetricKit's launch histograms. Several files, or a folder of files, are one set of \
      launches. A document of 'stages --json' is a set by itself. Options precede the files or the command.

      --base compares the launches with another set of launches, and prints the change of each stage and task, with \
      its 95% confidence interval.

      With --launches, the launches of a file are divided, one launch after the other. -o then names a folder, which \
      gets a result for each launch.
      """)

  @Option(
    help: ArgumentHelp(
      "The precision of the means: say how many launches it takes to know them to within this share. (default: 3%)",
      valueName: "share"), transform: expecting("a share such as 3% or 0.03"))
  var precision = Share(percent: 3)
  @Option(
    help: ArgumentHelp(
      "For files: let each launch end at this event or mark. Launches without it are left out.",
      valueName: "event"))
  var stopAt: String?
  @Option(
    help: ArgumentHelp(
      "Compare with launches of another build: a file, a folder of files, or a document of 'stages --json'. Repeat the option for several files. With a command, also the program of another build, which is then launched in turn with the same arguments.",
      valueName: "path"), completion: .file())
  var base: [String] = []
  @Option(
    help: ArgumentHelp(
      "The image that was launched, for files that do not state it. Histories and budgets need it.",
      valueName: "file"), completion: .file())
  var image: String?
  @Option(
    help: ArgumentHelp(
      "Launch the command this many times with the tracer, and as often without it. (default: until 5 s have passed, but at least 20 and at most 100 times)",
      valueName: "number"), transform: expecting("a number of launches"))
  var runs: Int?
  @Flag(
    help:
      "Evict the program's file from memory before each launch, so that it is read from the disk. For a script, also evict its interpreter."
  )
  var cold = false
  @OptionGroup var device: DeviceOption
  @Option(
    help: ArgumentHelp(
      "The file that each launch reads as its standard input. (default: empty input)",
      valueName: "file"), completion: .file())
  var input: String?
  @Flag(help: "Measure also launches that fail. Without it, a failed launch is an error.")
  var ignoreFailure = false
  @Flag(help: "Show the program's output on standard error instead of discarding it.")
  var showOutput = false
  @Flag(help: "Print the result as one JSON object instead of text.")
  var json = false
  @OptionGroup var described: LaunchSetOptions
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages
  @OptionGroup var launched: LaunchOptions<StagedKind>
  var programArguments: [String] { Array(command.dropFirst()) }
  private var limits: LaunchEndOptions<StagedKind> { launched.limits }
  /// If the command line has no "--", its words are the names of files.
  private var isCommand: Bool { launched.command.first == "--" }
  private var files: [String] { isCommand ? [] : launched.command }
  private var command: [String] { isCommand ? launched.words : [] }

  func validate() throws {
    try launched.check(for: self, isRequired: false, input: input)
    try described.check(
      others: [
        ("a command or a file", !launched.words.isEmpty), ("--input", input != nil),
        ("--base", !base.isEmpty), ("--image", image != nil),
      ]
        + limits.given)
    try LaunchOutputs.check(described, destination, json: json)
    guard !launched.words.isEmpty || described.launches != nil else {
      throw ValidationError("missing files or a command: name files, or give a command after '--'")
    }
    if let option = files.first(where: { $0.hasPrefix("-") && $0 != "-" }) {
      throw ValidationError(
        option == "--"
          ? "give files or a command, not both"
          : "options must precede the files: found '\(option)' after a file")
    }
    guard precision.ratio > 0, precision.ratio < 1 else {
      throw ValidationError(
        "invalid --precision: expected above 0% and below 100%, found \(precision)")
    }
    if let runs, !(1...1_000_000).contains(runs) {
      throw ValidationError("invalid --runs: expected 1 to 1000000, found \(runs)")
    }
    let ofLaunches = [
      ("--runs", runs != nil), ("--cold", cold), ("--device", device.settings != nil),
      ("--input", input != nil),
      ("--ignore-failure", ignoreFailure), ("--show-output", showOutput),
      ("--timeout", limits.timeout != nil), ("--until-ready", limits.untilReady != nil),
      ("--script", limits.script != nil),
    ]
    if command.isEmpty, described.launches == nil, let option = ofLaunches.first(where: { $0.1 })?.0
    {
      throw ValidationError("\(option) affects launches: give a command after '--'")
    }
    try device.check(isCold: cold)
    if !command.isEmpty || described.launches != nil, stopAt != nil {
      throw ValidationError(
        "--stop-at applies to files; to end a launch of a command early, give --until-ready")
    }
  }

  func run() throws {
    if let launches = try described.read(StagedKind.self) { return try measure(launches) }
    let outputFile = try destination.open(
      madeOf: files + base + [image, input, limits.script].compactMap { $0 })
    let (document, interruption) = try command.isEmpty ? (readFiles(), nil) : measure()
    try write(document, to: outputFile)
    if let interruption { throw interruption }
  }

  private func measure(_ launches: [DescribedLaunch]) throws {
    let outputs = try LaunchOutputs(
      destination, launches, json: json, madeOf: launches.flatMap(\.inputs))
    var made = MadeLaunches()
    for launch in launches {
      let result = try made.make(launch) { try measure(launch) }
      if MeasuredProgram.wasInterrupted, result == nil { throw Diagnostic("interrupted") }
      guard let (document, interruption) = result else { continue }
      try write(document, to: outputs.output(of: launch))
      if let interruption { throw interruption }
    }
    for note in made.notes { messages.print(note: note.description) }
    try made.check()
  }

  private func write(_ document: StagesDocument, to output: Output) throws(Diagnostic) {
    if json {
      try output.finish { document.json(to: $0) }
    } else {
      try output.finish(Array(StagesText(document, width: destination.width).text.utf8))
    }
    messages.print(document.warnings)
  }

  private func readFiles() throws(Diagnostic) -> StagesDocument {
    var document = try read(files)
    if let imageReference = try imageReference() { document.image = imageReference }
    if !base.isEmpty { try document.compare(with: read(base)) }
    return document
  }

  private func read(_ paths: [String]) throws(Diagnostic) -> StagesDocument {
    try StageFiles(paths, precision: precision.ratio, end: stopAt).read()
  }

  private func imageReference() throws(Diagnostic) -> ImageReference? {
    guard let image else { return nil }
    return ImageReference(path: image, try InputFile.bytes(image))
  }

  private func measure(
    _ launch: DescribedLaunch? = nil
  ) throws(Diagnostic) -> (StagesDocument, Diagnostic?) {
    // Documents and logs can't be executed; a program of another build is launched in turn.
    let other = base.count == 1 && Folder.isProgram(base[0]) ? base[0] : nil
    let launches = base.isEmpty || other != nil ? nil : try read(base)
    let image = try imageReference()
    var measurement: StageMeasurement
    if let launch {
      measurement = try StageMeasurement(launch, in: .own)
    } else {
      measurement = StageMeasurement(command, in: .own)
      measurement.conditions = try limits.conditions(input: input)
    }
    measurement.base = other
    measurement.runs = runs
    measurement.showsOutput = showOutput
    measurement.ignoresFailure = ignoreFailure
    measurement.isCold = cold
    measurement.device = device.settings
    var bar = ProgressBar(messages, isDrawn: !json && !showOutput)
    defer { bar.clear() }
    let result = try measurement.run { round in
      bar.show("launch", round, of: runs ?? StageMeasurement.usualRuns.upperBound, "")
    }
    var document = try result.document(precision: precision.ratio, image: image)
    if let launches { try document.compare(with: launches) }
    return (document, result.interruption)
  }
}
