import ArgumentParser
import Glibc
import ImageModel
import LaunchMeasurement
import Reporting
import Symbolication
import TraceFormat

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Launch an instrumented program and record what it uses first.",
    discussion: """
      EXAMPLES
        $ orderfile record -o app.oftrace -- ./app --help
        $ orderfile record --stop-at "first screen" --timeout 30 -- ./server

      The program must be built with -fsanitize-coverage=func,trace-pc-guard,pc-table and linked with
      orderfile_rt.o. It runs with this command's standard streams, and its exit status becomes this
      command's (128 + N after signal N); 4 if it succeeded and nothing was recorded. Forked children
      and instrumented programs that it starts write TRACE.<pid>.
      """)

  @Option(
    name: .shortAndLong, help: "The trace to write. (default: <program>.oftrace)",
    completion: .file())
  var output: String?
  @Option(help: ArgumentHelp("End the launch at this orderfile_mark().", valueName: "mark"))
  var stopAt: String?
  @Option(
    help: ArgumentHelp("End the launch so many milliseconds after it began.", valueName: "ms"))
  var stopAfter: UInt64?
  @Option(
    help: ArgumentHelp(
      "Send the program and what it started SIGTERM after so many seconds, and SIGKILL 2 s later.",
      valueName: "s"))
  var timeout: Double?
  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The program and its arguments.", valueName: "command"))
  var command: [String]

  func validate() throws {
    if commandLine.isEmpty { throw ValidationError("missing the command to run after '--'") }
    if let timeout, !(timeout > 0 && timeout < 1e9) {
      throw ValidationError("invalid --timeout: expected seconds above 0, found \(timeout)")
    }
  }

  private var commandLine: [String] {
    command.first == "--" ? Array(command.dropFirst()) : command
  }

  func run() throws {
    let program = commandLine[0]
    let outputPath = output ?? "\(program.split(separator: "/").last ?? "trace").oftrace"
    if outputPath == "-" {
      throw Diagnostic(
        "unable to write a trace to stdout: that is the program's", context: ["--output"],
        hint: "name a file")
    }
    let outputFile = try OutputFile(outputPath)
    let folder = try RecordingFolder(beside: outputPath)
    defer { folder.remove() }

    var environment = [
      (name: "ORDERFILE_TRACE", value: folder.tracePath),
      (name: "ORDERFILE_SESSION", value: "\(ClockReading.now().nanoseconds)"),
    ]
    if let stopAt { environment.append(("ORDERFILE_STOP_AT", stopAt)) }
    if let stopAfter { environment.append(("ORDERFILE_STOP_AFTER_MS", "\(stopAfter)")) }
    let launch = ProgramLaunch(command: commandLine, environment: environment, timeout: timeout)
    let result: ProgramLaunch.Result
    do { result = try launch.run() } catch {
      throw Diagnostic("unable to run: \(error)", context: [program])
    }

    var traces: [Trace] = []
    var images = RecordedImages()
    for recording in try folder.recordings() {
      traces.append(
        try recording.finish(
          outputPath: outputPath, outputFile, launch: result, images: &images))
    }
    Console.printWarnings(images.warnings)
    if result.timedOut {
      Console.printWarnings([
        Diagnostic(
          "the program ran longer than \(timeout ?? 0) s and was ended", context: [program])
      ])
    }
    if traces.contains(where: { !$0.hits.isEmpty }) {
      Console.printNote(summary(traces, outputPath, images))
    } else if result.end == .exited(0) {
      throw Diagnostic.nothingRecorded(program, wasSilent: traces.isEmpty)
    }
    if result.end != .exited(0) { throw ExitCode(result.end.exitStatus) }
  }

  /// One line: what was recorded, where it is, and what to type next.
  private func summary(
    _ traces: [Trace], _ path: String, _ images: RecordedImages
  ) -> String {
    let trace = traces[0]
    let groups = trace.imageGroups
    let guards = groups.reduce(0) { $0 + trace.images[$1[0]].guardCount }
    let recorded = images.recordedImages(of: trace)
    var text =
      "recorded \(counted(trace.hits.count, "first hit")) of "
      + "\(counted(guards, "instrumented function")) in \(counted(groups.count, "image"))"
    if let before = trace.hitsBeforeMain(recorded) { text += ", \(before) before main" }
    if let last = trace.hits.last?.nanoseconds { text += ", in \(milliseconds(last))" }
    if trace.lostRecords > 0 { text += ", \(trace.lostRecords) lost" }
    text += ": \(path)"
    if traces.count > 1 { text += " and \(counted(traces.count - 1, "more trace"))" }
    let stem = path.hasSuffix(".oftrace") ? String(path.dropLast(8)) : path
    return text + "; next: orderfile gen \(path) --image RELEASE_IMAGE -o \(stem).order"
  }
}

extension Diagnostic {
  fileprivate static func nothingRecorded(_ program: String, wasSilent: Bool) -> Diagnostic {
    Diagnostic(
      wasSilent
        ? "nothing was recorded: no instrumented image of this program carries the recorder"
        : "nothing was recorded: the recorder is linked, and no instrumented function ran",
      context: [program],
      hint: wasSilent
        ? "compile with -fsanitize-coverage=func,trace-pc-guard,pc-table and link orderfile_rt.o"
        : "compile the program's own sources with -fsanitize-coverage=func,trace-pc-guard,pc-table",
      severity: .nothingRecorded)
  }
}
