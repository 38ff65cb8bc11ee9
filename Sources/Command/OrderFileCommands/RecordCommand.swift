import ArgumentParser
import CommandSupport
import ImageModel
import ProcessLaunch
import Recording

struct RecordCommand: ParsableCommand, LaunchingCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Launch a program and record its functions in order of first use.",
    discussion: """
      EXAMPLES
        $ orderfile record -o app.oftrace -- ./app --help
        $ orderfile record --breakpoints -- ./app --help

      There are three ways to record. With --breakpoints, the program is the release build: each of its functions \
      gets a breakpoint, which is removed when it is first hit. With --qemu, the program is any unmodified build, \
      also for another architecture, and QEMU's user-mode emulator runs it (Debian 12's package qemu-user). \
      Without these two options, the program must be instrumented: compiled with \
      -fsanitize-coverage=func,trace-pc-guard,pc-table, and linked with orderfile_rt.o.

      The program uses this command's standard streams unless --input is given. Its exit status becomes the exit \
      status of this command: 128 + N after signal N, and 4 if the program succeeded but nothing was recorded. With \
      --launches, each launch of a file is recorded to a trace of its own: NAME.oftrace in the folder of --output. \
      Forked children, and instrumented programs that the program starts, write traces of their own: TRACE.<pid>.
      """)

  @Option(
    name: .shortAndLong,
    help:
      "The trace to write; with --launches, the folder for the traces. (default: <program>.oftrace; with --launches, orderfile-traces)",
    completion: .file())
  var output: String?
  @Option(
    help: ArgumentHelp(
      "Stop recording when the program calls orderfile_mark() with this name. (default: record until the program ends)",
      valueName: "mark"))
  var stopAt: String?
  @Option(
    help: ArgumentHelp(
      "With --breakpoints or --qemu: stop recording when the function with this symbol is first called.",
      valueName: "name"))
  var stopAtSymbol: String?
  @Option(
    help: ArgumentHelp(
      "Stop recording this many milliseconds after the launch has begun.", valueName: "ms"),
    transform: expecting("milliseconds, such as 500"))
  var stopAfter: UInt64?
  @Flag(help: "Record by breakpoints on all functions, for a program that is not instrumented.")
  var breakpoints = false
  @Option(
    help: ArgumentHelp(
      "With --breakpoints or --qemu: also record this file: a library or, with --breakpoints, a program that the launched program "
        + "starts. Repeat for more.", valueName: "file"), completion: .file())
  var also: [String] = []
  @Flag(
    help:
      "With --breakpoints: also record the basic blocks of code that was compiled with -fbasic-block-address-map. --qemu always records blocks."
  )
  var blocks = false
  @Flag(
    help: "With --breakpoints or --qemu: record all images of all processes, not only the program.")
  var allImages = false
  @Option(
    help: ArgumentHelp(
      "With --breakpoints: record this running process instead of launching a program. Recording stops when the process "
        + "ends, when a --stop-... option applies, or at Ctrl-C.",
      valueName: "number"), transform: expecting("the number of a process"))
  var pid: Int32?
  @Flag(
    help: "Record by running the program in QEMU's emulator of its architecture.")
  var qemu = false
  @Option(
    help: ArgumentHelp(
      "With --qemu: the name that QEMU has for the emulated processor. (default: max, which has all features that QEMU can emulate)",
      valueName: "name"))
  var cpu: String?
  @Option(
    help: ArgumentHelp(
      "With --qemu: the folder with the loader and libraries of a program for another architecture.",
      valueName: "folder"), completion: .directory)
  var sysroot: String?
  @Option(
    help: ArgumentHelp(
      "Run the launch on another machine, by the command ssh, and fetch the traces. The program and the files of --also and --reads are "
        + "on that machine, and so is orderfile for --breakpoints, --until-ready and --reads.",
      valueName: "ssh:host"), transform: Self.host)
  var on: RemoteHost?
  @Flag(help: .hidden) var omitSummary = false
  @Option(
    help: ArgumentHelp(
      "A file that the launch reads. The trace stores a hash of the file, so that 'gen --previous' can warn if the file has "
        + "changed. Repeat for more files. The file of --input is hashed, too.", valueName: "file"),
    completion: .file())
  var reads: [String] = []
  @OptionGroup var standardInput: StandardInput
  @OptionGroup var described: LaunchSetOptions
  @OptionGroup var messages: Messages
  @OptionGroup var launched: LaunchOptions<RecordedKind>
  var programArguments: [String] { Array(launched.words.dropFirst()) }

  func validate() throws {
    try launched.check(
      for: self, isRequired: pid == nil && described.launches == nil, input: standardInput.input)
    try described.check(
      others: [
        ("a command", !launched.words.isEmpty), ("--pid", pid != nil),
        ("--input", standardInput.input != nil),
      ] + launched.limits.given)
    if pid != nil, !launched.words.isEmpty || launched.limits.given.contains(where: \.isGiven) {
      throw ValidationError(
        "--pid records a running process: it can't be used with a command, --timeout, --until-ready or --script"
      )
    }
    if stopAt != nil, launched.limits.untilReady?.mark != nil {
      throw ValidationError("--stop-at and --until-ready mark=NAME can't be used together")
    }
    if breakpoints && qemu {
      throw ValidationError("--breakpoints and --qemu can't be used together")
    }
    if !breakpoints && !qemu && (allImages || !also.isEmpty || stopAtSymbol != nil || blocks) {
      throw ValidationError(
        "--blocks, --also, --all-images and --stop-at-symbol need --breakpoints or --qemu")
    }
    if pid != nil && (!reads.isEmpty || standardInput.input != nil) {
      throw ValidationError("--reads and --input belong to a launch: they can't be used with --pid")
    }
    if !breakpoints && pid != nil { throw ValidationError("--pid needs --breakpoints") }
    if !qemu && (cpu != nil || sysroot != nil) {
      throw ValidationError("--cpu and --sysroot need --qemu")
    }
    try checkRemote()
    if qemu && (stopAt != nil || launched.limits.untilReady?.mark != nil) {
      throw ValidationError(
        "--qemu sees no marks: use --stop-at-symbol, or --until-ready with a port or a line")
    }
  }

  private func method(reading input: OpenedInput?) throws(Diagnostic) -> LaunchRecording.Means {
    if let pid, breakpoints { return .breakpoints(.process(pid), breakpointOptions) }
    return method(of: try launched.launch(reading: input))
  }

  private func method(of launch: ProgramLaunch) -> LaunchRecording.Means {
    if let on { return .remote(remote(launch, on: on)) }
    if qemu {
      return .emulation(
        launch,
        LaunchRecording.Emulation(
          images: allImages ? nil : also, stopAtSymbol: stopAtSymbol, processor: cpu,
          root: sysroot))
    }
    return breakpoints ? .breakpoints(.launch(launch), breakpointOptions) : .recorder(launch)
  }

  private var breakpointOptions: LaunchRecording.Breakpoints {
    LaunchRecording.Breakpoints(
      images: allImages ? nil : also, blocks: blocks, stopAtSymbol: stopAtSymbol)
  }

  func run() throws {
    if let launches = try described.read(RecordedKind.self) { return try record(launches) }
    let name = pid.map { "\($0)" } ?? launched.words[0].split(separator: "/").last ?? "trace"
    let outputPath = output ?? "\(name).oftrace"
    if outputPath == "-" {
      throw Diagnostic(
        "unable to write the trace to stdout: the program writes its output there",
        context: ["--output"],
        hint: "name a file")
    }
    let opened = try standardInput.open()
    defer { withExtendedLifetime(opened) {} }
    var recording = LaunchRecording(
      try method(reading: opened), outputPath: outputPath, in: .own)
    recording.stopAt = stopAt
    recording.stopAfter = stopAfter
    if pid == nil {
      recording.workload = try Workload(
        command: launched.words,
        inputs: localReads + [standardInput.input, launched.limits.script].compactMap { $0 },
        tracePath: outputPath)
    }
    let recorded = try recording.run()
    print(recorded)
    if let failure = recorded.failure { throw failure }
    if let end = recorded.end, end != .exited(0) { throw ExitCode(end.exitStatus) }
  }

  private func print(_ recorded: RecordedLaunch) {
    if !recorded.traces.isEmpty, !omitSummary {
      let summary = RecordSummary(
        recorded.traces, paths: recorded.paths, beginsWithProgram: recorded.beginsWithProgram,
        firstHits: recorded.firstHits, instrumented: recorded.instrumented,
        hitsBeforeMain: recorded.hitsBeforeMain, functions: recorded.functions,
        emulator: recorded.emulator, lacksNames: recorded.lacksNames)
      messages.print(note: summary.text)
    }
    messages.print(recorded.warnings)
  }

  private func record(_ described: [DescribedLaunch]) throws {
    let launches = try on == nil ? described : described.map(remote)
    if let launch = launches.first(where: { $0.readiness?.mark != nil }) {
      guard !qemu, stopAt == nil else {
        throw Diagnostic(
          "--\(qemu ? "qemu" : "stop-at") can't be used with a mark as the sign of readiness",
          context: launch.place + ["untilReady"], severity: .usage)
      }
    }
    var recording = LaunchSetRecording(
      launches, to: output ?? "orderfile-traces", in: .own, by: method(of:))
    recording.stopAt = stopAt
    recording.stopAfter = stopAfter
    recording.reads = localReads
    for note in try recording.run(print) { messages.print(note: note.description) }
  }
}
