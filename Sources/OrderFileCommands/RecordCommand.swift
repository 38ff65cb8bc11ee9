import ArgumentParser
import ImageModel
import ProcessLaunch
import Workflows

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Launch a program and record what it uses first.",
    discussion: """
      EXAMPLES
        $ orderfile record -o app.oftrace -- ./app --help
        $ orderfile record --breakpoints -- ./app --help

      With --breakpoints the program is the one you ship: each of its functions gets a breakpoint, which \
      is taken away at its first use. Without, it must be built with \
      -fsanitize-coverage=func,trace-pc-guard,pc-table and linked with orderfile_rt.o. It runs with this \
      command's standard streams, and its exit status becomes this command's (128 + N after signal N); 4 if it succeeded and nothing was recorded. Forked children \
      and instrumented programs that it starts write TRACE.<pid>.
      """)

  @Option(
    name: .shortAndLong, help: "The trace to write. (default: <program>.oftrace)",
    completion: .file())
  var output: String?
  @Option(help: ArgumentHelp("End the launch at this orderfile_mark().", valueName: "mark"))
  var stopAt: String?
  @Option(
    help: ArgumentHelp(
      "With --breakpoints: end the launch where this function is first called, by its symbol.",
      valueName: "name"))
  var stopAtSymbol: String?
  @Option(
    help: ArgumentHelp("End the launch so many milliseconds after it began.", valueName: "ms"))
  var stopAfter: UInt64?
  @Flag(help: "Put a breakpoint on each function of a program that is not instrumented.")
  var breakpoints = false
  @Option(
    help: ArgumentHelp(
      "With --breakpoints: a library, or a program that the launched one starts, to record too. "
        + "Repeat for more.", valueName: "file"), completion: .file())
  var image: [String] = []
  @Flag(
    help: "With --breakpoints: record each basic block, of code compiled with a map of them, too.")
  var blocks = false
  @Flag(help: "With --breakpoints: record every image of every process.")
  var allImages = false
  @Option(
    help: ArgumentHelp(
      "With --breakpoints: record this running process, until it ends, --stop-..., or Ctrl-C.",
      valueName: "number"))
  var pid: Int32?
  @OptionGroup var launched: LaunchOptions

  func validate() throws {
    try launched.check(for: self, isRequired: pid == nil)
    if pid != nil, !launched.words.isEmpty || launched.timeout != nil {
      throw ValidationError("--pid records a process that runs: no command, and no --timeout")
    }
    if !breakpoints
      && (allImages || !image.isEmpty || pid != nil || stopAtSymbol != nil || blocks)
    {
      throw ValidationError(
        "--blocks, --image, --all-images, --pid and --stop-at-symbol need --breakpoints")
    }
  }

  private var method: LaunchRecording.Method {
    guard breakpoints else { return .recorder(launched.launch) }
    return .breakpoints(
      pid.map { .process($0) } ?? .launch(launched.launch),
      LaunchRecording.Breakpoints(
        images: allImages ? nil : image, blocks: blocks, stopAtSymbol: stopAtSymbol))
  }

  func run() throws {
    let name = pid.map { "\($0)" } ?? launched.words[0].split(separator: "/").last ?? "trace"
    let outputPath = output ?? "\(name).oftrace"
    if outputPath == "-" {
      throw Diagnostic(
        "unable to write a trace to stdout: that is the program's", context: ["--output"],
        hint: "name a file")
    }
    var recording = LaunchRecording(method, outputPath: outputPath)
    recording.stopAt = stopAt
    recording.stopAfter = stopAfter
    let recorded = try recording.run()
    if !recorded.traces.isEmpty {
      let summary = RecordSummary(
        recorded.traces, paths: recorded.paths, hitsBeforeMain: recorded.hitsBeforeMain,
        functions: recorded.functions)
      Console.printNote(summary.text)
    }
    Console.printWarnings(recorded.warnings)
    if let failure = recorded.failure { throw failure }
    if let end = recorded.end, end != .exited(0) { throw ExitCode(end.exitStatus) }
  }
}
