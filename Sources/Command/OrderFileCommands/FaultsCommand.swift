import ArgumentParser
import CommandSupport
import Counting
import Demangling
import ImageModel
import LaunchMeasurement
import ProcessLaunch

struct FaultsCommand: ParsableCommand, LaunchingCommand {
  static let configuration = CommandConfiguration(
    commandName: "faults",
    abstract: "Launch a program and list the page faults that it waits for, each with its time.",
    discussion: """
      EXAMPLES
        $ orderfile faults --cold -- ./app --help
        $ orderfile faults --cold --json -o faults.json -- ./app --help

      The kernel reports the page faults (perf_event_open); nothing is added to the program. The program is \
      launched once before counting, so that its libraries are in memory. When the kernel handles a fault, it also \
      maps the pages around it that are in memory. So faults are what a launch waits for; 'orderfile pages' counts \
      all pages that a launch touches.

      The program's standard input is empty unless --input is given, and its output is discarded unless \
      --show-output is given. Faults of forked children and of threads are listed, too. 'orderfile report' and \
      'orderfile export perfetto' draw the output of --json. Options of faults precede the command.

      With --launches, the faults of the launches of a file are listed, one launch after the other. -o then names a \
      folder, which gets a result for each launch. A summary of all launches is printed.
      """)

  @Flag(
    help:
      "Evict the program's file from memory before the launch, so that it is read from the disk. For a script, also evict its interpreter."
  )
  var cold = false
  @Option(
    help: ArgumentHelp(
      "With --cold: also evict this file from memory, such as a library. Repeat for more files.",
      valueName: "file"),
    completion: .file())
  var also: [String] = []
  @OptionGroup var device: DeviceOption
  @Flag(help: "Also list each page fault on a line of its own.")
  var list = false
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle = DemangleOption.full
  @Option(
    help: ArgumentHelp(
      "The file that the program reads as its standard input. (default: empty input)",
      valueName: "file"), completion: .file())
  var input: String?
  @Flag(help: "List the faults even if the launch fails.")
  var ignoreFailure = false
  @Flag(help: "Show the program's output on standard error instead of discarding it.")
  var showOutput = false
  @Flag(help: "Print the result as one JSON object instead of text.")
  var json = false
  @OptionGroup var described: LaunchSetOptions
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages
  @OptionGroup var launched: LaunchOptions<UnchangedKind>
  var programArguments: [String] { Array(launched.words.dropFirst()) }

  func validate() throws {
    try launched.check(for: self, isRequired: described.launches == nil, input: input)
    try described.check(
      others: [("a command", !launched.words.isEmpty), ("--input", input != nil)]
        + launched.limits.given)
    try LaunchOutputs.check(described, destination, json: json)
    if !also.isEmpty, !cold {
      throw ValidationError("--also needs --cold: it names a file to evict before a cold launch")
    }
    try device.check(isCold: cold)
  }

  private func launch(_ described: DescribedLaunch? = nil) throws(Diagnostic) -> FaultLaunch {
    var launch: FaultLaunch
    if let described {
      launch = try FaultLaunch(described, in: .own)
    } else {
      launch = FaultLaunch(launched.words, in: .own)
      launch.conditions = try launched.limits.conditions(input: input)
    }
    launch.images = also
    launch.isCold = cold
    launch.device = device.settings
    launch.showsOutput = showOutput
    launch.ignoresFailure = ignoreFailure
    return launch
  }

  func run() throws {
    if let launches = try described.read(UnchangedKind.self) { return try listFaults(of: launches) }
    let outputFile = try destination.open(
      madeOf: launched.words.prefix(1) + also + [input, launched.limits.script].compactMap { $0 })
    try write(try launch().run(), to: outputFile)
  }

  private func listFaults(of launches: [DescribedLaunch]) throws {
    let outputs = try LaunchOutputs(
      destination, launches, json: json, madeOf: launches.flatMap(\.inputs) + also)
    var made = MadeLaunches()
    var summary = LaunchSummary(.faults, of: launches)
    for launch in launches {
      let result = try made.make(launch) { try self.launch(launch).run() }
      if MeasuredProgram.wasInterrupted { throw Diagnostic("interrupted") }
      guard let result else { continue }
      try write(result, to: outputs.output(of: launch))
      summary.add(launch, result.document)
    }
    if made.hasSucceeded { try outputs.finish(summary) }
    for note in made.notes { messages.print(note: note.description) }
    try made.check()
  }

  private func write(_ result: FaultLaunch.Result, to output: Output) throws(Diagnostic) {
    try output.finish { sink in
      if json {
        result.document.json(to: sink)
      } else {
        let text = FaultsText(
          result.document, width: destination.width, names: Demangler(demangle.mode).demangle,
          listsFaults: list)
        sink(Array(text.text.utf8))
      }
    }
    messages.print(result.warnings)
  }
}
