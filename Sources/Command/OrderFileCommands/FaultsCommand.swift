import ArgumentParser
import Counting
import Demangling
import ImageModel
import ProcessLaunch

struct FaultsCommand: ParsableCommand, LaunchingCommand {
  static let configuration = CommandConfiguration(
    commandName: "faults",
    abstract: "Launch a program and list the page faults that it waits for, each with its time.",
    discussion: """
      EXAMPLES
        $ orderfile faults --cold -- ./app --help
        $ orderfile faults --cold --json -o faults.json -- ./app --help

      The faults are the kernel's (perf_event_open); nothing is added to the program, which is launched once before, so \
      that its libraries are in memory. A fault also maps what is in memory of the pages around it: faults are what a \
      launch waits for, and 'orderfile pages' counts what it touches. Standard input is empty, and output is discarded. \
      Forked children and threads count, too. 'report' and 'export perfetto' draw what --json writes. Options come first.
      """)

  @Flag(
    help: "Evict the program's file, and a script's interpreter, from memory before the launch.")
  var cold = false
  @Option(
    help: ArgumentHelp("With --cold, also evict this file. Repeat for more.", valueName: "file"),
    completion: .file())
  var also: [String] = []
  @OptionGroup var device: DeviceOption
  @Flag(help: "Also list the faults one by one.")
  var list = false
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle = DemangleOption.full
  @Option(
    help: ArgumentHelp("Standard input of the program.", valueName: "file"), completion: .file())
  var input: String?
  @Flag(help: "Also list the faults of a launch that fails.")
  var ignoreFailure = false
  @Flag(help: "Let the program write to standard error.")
  var showOutput = false
  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages
  @OptionGroup var launched: LaunchOptions<UnchangedKind>
  var programArguments: [String] { Array(launched.words.dropFirst()) }

  func validate() throws {
    try launched.check(for: self, input: input)
    if !also.isEmpty, !cold { throw ValidationError("--also names a file to evict: give --cold") }
    try device.check(isCold: cold)
  }

  private func launch() throws(Diagnostic) -> FaultLaunch {
    var launch = FaultLaunch(launched.words, in: .own)
    launch.images = also
    launch.isCold = cold
    launch.device = device.settings
    launch.inputPath = input
    launch.timeout = launched.limits.seconds
    launch.script = try launched.limits.readScript()
    launch.readiness = launched.limits.readiness(launch.script)
    launch.showsOutput = showOutput
    launch.ignoresFailure = ignoreFailure
    return launch
  }

  func run() throws {
    let outputFile = try destination.open(
      madeOf: launched.words.prefix(1) + also + [input, launched.limits.script].compactMap { $0 })
    let result = try launch().run()
    try outputFile.finish { sink in
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
