import ArgumentParser
import ImageModel
import LaunchMeasurement
import ProcessLaunch
import ProcessTracing
import Workflows

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

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

  func run() throws {
    let program = pid.map { "process \($0)" } ?? launched.words[0]
    let name = pid.map { "\($0)" } ?? launched.words[0].split(separator: "/").last ?? "trace"
    let outputPath = output ?? "\(name).oftrace"
    if outputPath == "-" {
      throw Diagnostic(
        "unable to write a trace to stdout: that is the program's", context: ["--output"],
        hint: "name a file")
    }
    let outputFile = try OutputFile(outputPath)
    let folder = try RecordingFolder(beside: outputPath)
    defer { folder.remove() }
    let result: ProgramLaunch.Result?
    let leftAlone: [Diagnostic]
    do { (result, leftAlone) = try launch(folder) } catch let error as ProgramLaunch.LaunchError {
      throw Diagnostic.unableToRun(program, error, isTraced: breakpoints)
    }

    var traces: [Trace] = []
    var images = RecordedImages()
    let (recordings, unreadable) = folder.recordings()
    for recording in recordings {
      traces.append(
        try recording.finish(
          outputPath: outputPath, outputFile, launch: result, images: &images))
    }
    var warnings = leftAlone + unreadable + images.warnings
    for image in distinctImages(of: traces) { warnings += [.weakID(image)].compactMap { $0 } }
    if result?.timedOut ?? false {
      warnings.append(
        Diagnostic(
          "the program ran longer than \(launched.timeout ?? 0) s and was ended", context: [program]
        ))
    }
    let nothing =
      breakpoints
      ? Diagnostic.nothingUsed(program, wasLeftAlone: !leftAlone.isEmpty)
      : Diagnostic.nothingRecorded(program, wasSilent: traces.isEmpty)
    if traces.contains(where: { !$0.isEmpty }) {
      let paths = recordings.map { outputPath + $0.suffix }
      let before = traces[0].hitsBeforeMain(images.recordedImages(of: traces[0]))
      Console.printNote(RecordSummary(traces, paths: paths, hitsBeforeMain: before).text)
    } else if result?.end ?? .exited(0) == .exited(0) {
      Console.printWarnings(warnings)
      throw nothing
    } else {
      warnings.append(nothing)
    }
    Console.printWarnings(warnings)
    if let end = result?.end, end != .exited(0) { throw ExitCode(end.exitStatus) }
  }

  /// Runs the program to its end, or follows the process; traces are left in `folder`.
  ///
  /// - Returns: how the program ended, `nil` of a process that was not launched here; and what could not be
  ///   given breakpoints.
  private func launch(
    _ folder: RecordingFolder
  ) throws -> (ProgramLaunch.Result?, leftAlone: [Diagnostic]) {
    guard breakpoints else {
      var environment = [
        (name: "ORDERFILE_TRACE", value: folder.tracePath),
        (name: "ORDERFILE_SESSION", value: "\(ClockReading.now().nanoseconds)"),
      ]
      if let stopAt { environment.append(("ORDERFILE_STOP_AT", stopAt)) }
      if let stopAfter { environment.append(("ORDERFILE_STOP_AFTER_MS", "\(stopAfter)")) }
      var launch = launched.launch
      launch.environment = environment
      return (try launch.run(), [])
    }
    let recording = try BreakpointRecording(
      folder, images: allImages ? nil : image, blocks: blocks, end: stopAtSymbol)
    var result: ProgramLaunch.Result?
    if let pid {
      let attachment = BreakpointAttachment(
        processNumber: pid, stopAfter: stopAfter, stopAt: stopAt)
      if let obstacle = attachment.obstacle { throw Diagnostic.unableToTrace(pid, obstacle) }
      try attachment.run(recording)
    } else {
      let launch = BreakpointLaunch(
        launched.launch, stopAfter: stopAfter, stopAt: stopAt)
      result = try launch.run(recording)
    }
    if recording.lacksBlocks {
      Console.printWarnings(recording.warnings)
      throw Diagnostic.noBlockMap(pid.map { "process \($0)" } ?? launched.words[0])
    }
    return (result, recording.warnings)
  }
}

extension Diagnostic {
  fileprivate static func unableToRun(
    _ program: String, _ error: ProgramLaunch.LaunchError, isTraced: Bool
  ) -> Diagnostic {
    Diagnostic(
      isTraced && error.errno == EPERM
        ? "unable to trace: ptrace is not permitted here" : "unable to run: \(error)",
      context: [program],
      hint: isTraced && error.errno == EPERM
        ? "allow it: sysctl kernel.yama.ptrace_scope=1, or docker run --cap-add=SYS_PTRACE" : nil)
  }

  fileprivate static func unableToTrace(
    _ pid: Int32, _ obstacle: BreakpointAttachment.Obstacle
  ) -> Diagnostic {
    let reason =
      switch obstacle {
      case .tracedBy(let tracer): "process \(tracer) traces it already"
      case .ended: "it has ended"
      case .kernelThread: "it is the kernel's"
      }
    return Diagnostic("unable to trace: \(reason)", context: ["process \(pid)"])
  }

  fileprivate static func nothingUsed(_ program: String, wasLeftAlone: Bool) -> Diagnostic {
    Diagnostic(
      "nothing was recorded: no function with a breakpoint was used", context: [program],
      hint: wasLeftAlone
        ? nil : "a library, or a program that this one starts, is recorded if --image names it",
      severity: .nothingRecorded)
  }

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
