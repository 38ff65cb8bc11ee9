import ByteReading
import CommandSupport
import ImageModel
import LibC
import ProcessLaunch
import ProcessTracing
import Symbolication

/// Records a launch, or a running process for a while, into a trace: `orderfile record`.
package struct LaunchRecording {
  package var means: Means
  /// The path of the program's trace; the traces of other processes are beside it.
  package var outputPath: String
  /// The name of the mark, set by `orderfile_mark()`, that ends the recording.
  package var stopAt: String?
  /// The number of milliseconds after which the recording ends.
  package var stopAfter: UInt64?
  package var environment: LaunchEnvironment
  /// The command line and inputs of the launch, for the trace; `nil` if the trace is not to state them.
  package var workload: Workload?

  package enum Means {
    /// An instrumented program records itself.
    case recorder(ProgramLaunch)
    /// Each function of the program gets a breakpoint.
    case breakpoints(Target, Breakpoints)
    /// An emulator runs the unmodified program.
    case emulation(ProgramLaunch, Emulation)
    /// An emulator runs programs that the launched program starts.
    case emulatedPrograms(ProgramLaunch, of: [String], images: [String])
    /// Another machine runs the launch.
    case remote(RemoteLaunch)
  }

  package enum Target {
    case launch(ProgramLaunch)
    /// A running process with this number.
    case process(Int32)
  }

  package struct Breakpoints {
    /// Images to record in addition to the program; `nil` for all.
    package var images: [String]?
    /// Whether to record basic blocks too, where an image has a map of them.
    package var blocks: Bool
    /// The function whose first call ends the recording.
    package var stopAtSymbol: String?
    /// Whether the launched program is recorded only if it is in `images`, and need not use all of `images`.
    package var recordsOnlyImages = false

    package init(images: [String]? = [], blocks: Bool = false, stopAtSymbol: String? = nil) {
      self.images = images
      self.blocks = blocks
      self.stopAtSymbol = stopAtSymbol
    }

    /// Records only members of `images`, if a launch uses them.
    package init(onlyImages images: [String]) {
      self.init(images: images)
      recordsOnlyImages = true
    }
  }

  package struct Emulation {
    /// Images to record in addition to the program; `nil` for all.
    package var images: [String]?
    /// The function whose first call ends the recording.
    package var stopAtSymbol: String?
    /// The name that QEMU has for the processor to emulate; `nil` for the processor with all features that QEMU can
    /// emulate.
    package var processor: String?
    /// The folder in which the program finds its loader and libraries; `nil` for the system's.
    package var root: String?

    package init(
      images: [String]? = [], stopAtSymbol: String? = nil, processor: String? = nil,
      root: String? = nil
    ) {
      self.images = images
      self.stopAtSymbol = stopAtSymbol
      self.processor = processor
      self.root = root
    }
  }

  package init(
    _ means: Means, outputPath: String, in environment: LaunchEnvironment
  ) {
    self.means = means
    self.outputPath = outputPath
    self.environment = environment
  }

  /// Records, and moves the traces to their paths.
  ///
  /// - Throws: if the program can't be launched or traced, or if a trace can't be written.
  package func run() throws -> RecordedLaunch {
    guard !isRemote, let (launch, note) = launch?.ofWrappedProgram(in: environment) else {
      return try record()
    }
    var recording = self
    switch means {
    case .recorder: recording.means = .recorder(launch)
    case .breakpoints(_, let options): recording.means = .breakpoints(.launch(launch), options)
    case .emulation(_, let options): recording.means = .emulation(launch, options)
    case .emulatedPrograms(_, let programs, let images):
      recording.means = .emulatedPrograms(launch, of: programs, images: images)
    case .remote: break
    }
    var recorded = try recording.record()
    recorded.warnings.insert(note, at: 0)
    return recorded
  }

  private func record() throws -> RecordedLaunch {
    let outputFile = try OutputFile(outputPath)
    try launch?.checkReadiness()
    let folder = try RecordingFolder(beside: outputPath)
    defer { folder.remove() }
    let watched: Watched
    do { watched = try watch(folder) } catch let error as ProgramLaunch.LaunchError {
      throw isTraced && error.isNotPermitted
        ? Diagnostic.notTraceable(name) : Diagnostic.unableToRun(name, error)
    }
    if let result = watched.result { try launch?.checkReadiness(result) }
    if watched.lacksBlocks {
      return RecordedLaunch(
        traces: [], beginsWithProgram: false, paths: [], firstHits: 0, instrumented: 0,
        hitsBeforeMain: nil, recordable: [],
        emulator: nil, end: watched.result?.end,
        warnings: watched.leftAlone, failure: .noBlockMap(name), lacksBlockMap: true)
    }
    var traces: [Trace] = []
    var images = RecordedImages()
    var recordings: [Recording] = []
    var unreadable: [Diagnostic] = []
    var known: Set<String> = []
    // A process that still runs may begin a trace while other traces are finished, so the folder is searched several
    // times. The number of searches is limited, because a process may begin traces again and again.
    for _ in 0..<10 {
      let (found, problems) = folder.recordings(except: &known)
      if found.isEmpty, problems.isEmpty { break }
      recordings += found
      unreadable += problems
      for recording in found {
        traces.append(
          isRemote
            ? try recording.finishFetched(
              outputPath: outputPath, outputFile, workload: workload, images: &images)
            : try recording.finish(
              outputPath: outputPath, outputFile, launch: watched.result, workload: workload,
              images: &images))
      }
    }
    var warnings = watched.leftAlone + unreadable + images.warnings
    warnings += distinctImages(of: traces).compactMap { .weakID($0) }
    if watched.result?.timedOut ?? false { warnings.append(.ranTooLong(name, launch?.timeout)) }
    if let problem = watched.result?.unsettled(name) { warnings.append(problem) }

    let recordable = distinctImages(of: traces).map { image in
      RecordedLaunch.RecordableImage(
        image: image,
        code: images.recordableCode(of: image, recordedBy: Set(traces.map(\.method))))
    }
    warnings += recordable.compactMap {
      .partlyRecordable($0.code, path: $0.image.path, format: $0.image.id?.imageFormat)
    }

    let uses = FunctionUses(of: traces, in: images)
    let hasHits = traces.contains { !$0.isEmpty }
    let end = watched.result?.end
    var failure: Diagnostic?
    if !hasHits, !watched.hasSaidWhy {
      let nothing = nothingRecorded(watched, wasSilent: traces.isEmpty)
      // A program that failed has printed the reason itself, so the missing trace is only a warning.
      if end ?? .exited(0) == .exited(0) { failure = nothing } else { warnings.append(nothing) }
    }
    return RecordedLaunch(
      traces: hasHits ? traces : [], beginsWithProgram: recordings.first?.suffix.isEmpty ?? false,
      paths: hasHits ? recordings.map { outputPath + $0.suffix } : [],
      firstHits: uses.hits, instrumented: uses.instrumented,
      hitsBeforeMain: hasHits ? uses.hitsBeforeMain : nil,
      recordable: hasHits ? recordable : [], emulator: watched.emulator, end: end,
      warnings: warnings, failure: failure,
      lacksNames: isRemote && traces.contains { !$0.isSealed })
  }

  private var isRemote: Bool {
    if case .remote = means { true } else { false }
  }

  /// The program to launch; `nil` for a process that was already running.
  private var launch: ProgramLaunch? {
    switch means {
    case .recorder(let launch), .breakpoints(.launch(let launch), _), .emulation(let launch, _),
      .emulatedPrograms(let launch, _, _):
      launch
    case .remote(let remote): remote.program
    case .breakpoints(.process, _): nil
    }
  }

  /// The mark that ends the recording, or the launch.
  private var lastMark: String? { stopAt ?? launch?.readiness?.mark }

  /// The name of the program in messages.
  private var name: String {
    if case .breakpoints(.process(let number), _) = means { return "process \(number)" }
    return launch?.title ?? ""
  }

  private var isTraced: Bool {
    if case .breakpoints = means { true } else { false }
  }

  /// A finished recording whose traces are still in the temporary folder.
  private struct Watched {
    /// How the program ended; `nil` for a process that was not launched here.
    var result: ProgramLaunch.Result?
    /// Notes about images that got no breakpoints.
    var leftAlone: [Diagnostic] = []
    /// Whether basic blocks were requested, but no image has a map of them.
    var lacksBlocks = false
    /// The emulator that ran the program, if one did.
    var emulator: String?
    /// Whether a command on another machine has printed why nothing was recorded.
    var hasSaidWhy = false
  }

  /// Runs the program to its end, or follows the process.
  private func watch(_ folder: RecordingFolder) throws -> Watched {
    switch means {
    case .recorder(var launch):
      launch.environment += [(name: "ORDERFILE_TRACE", value: folder.tracePath)] + settings
      return Watched(
        result: try launch.run(isMarked: { folder.isMarked }, whenReady: folder.stopRecorders))
    case .emulation(let launch, let options): return try watch(launch, options, folder)
    case .emulatedPrograms(let launch, let programs, let images):
      let programs = try EmulatedPrograms(programs, images: images, in: environment)
      return try watch(launch, programs, folder)
    case .remote(let remote):
      let (result, traces) = try remote.run(
        traceName: fileName(ofPath: outputPath), settings: settings, in: environment)
      try folder.add(traces)
      return Watched(
        result: result, hasSaidWhy: remote.options != nil && result.end != .exited(0))
    case .breakpoints(let target, let options):
      let begin: UInt64? = if case .process = target { ClockReading.now().nanoseconds } else { nil }
      let recording = try BreakpointRecording(
        folder, images: options.images, blocks: options.blocks, end: options.stopAtSymbol,
        attachingAt: begin, recordsOnlyImages: options.recordsOnlyImages, in: environment)
      var result: ProgramLaunch.Result?
      switch target {
      case .process(let number):
        let attachment = BreakpointAttachment(
          processNumber: number, stopAfter: stopAfter, stopAt: stopAt)
        if let obstacle = attachment.obstacle { throw Diagnostic.unableToTrace(name, obstacle) }
        if looksForLeaks(number) { throw Diagnostic.looksForLeaks(name) }
        try attachment.run(recording)
      case .launch(let launch):
        try LaunchedProgram(named: launch.command[0], in: environment)
          .checkTraceable(in: environment)
        result = try BreakpointLaunch(launch, stopAfter: stopAfter, stopAt: lastMark)
          .run(recording, isMarked: { recording.isMarked })
      }
      return Watched(
        result: result, leftAlone: recording.warnings, lacksBlocks: recording.lacksBlocks)
    }
  }

  /// Runs the program in an emulator to its end.
  private func watch(
    _ launch: ProgramLaunch, _ options: Emulation, _ folder: RecordingFolder
  ) throws -> Watched {
    let emulator = try Emulator(of: launch.command[0], options, in: environment)
    var recording = try EmulatedRecording(
      folder, of: emulator.program, images: options.images, end: options.stopAtSymbol)
    let result = try emulator.running(launch, into: folder).run(whenReady: folder.stopRecorders)
    let stop = stopAfter.map { result.start &+ $0 &* 1_000_000 }
    try recording.complete(
      stop: stop.flatMap { $0 < result.start &+ result.nanoseconds ? $0 : nil })
    guard recording.hasBegun else {
      throw Diagnostic(
        "unable to emulate: the emulator ended before the program began (\(emulator.description))",
        context: [launch.command[0]], hint: "the messages of the emulator are above")
    }
    return Watched(
      result: result, leftAlone: recording.warnings, emulator: emulator.description)
  }

  /// Runs a launch whose programs an emulator runs.
  private func watch(
    _ launch: ProgramLaunch, _ programs: EmulatedPrograms, _ folder: RecordingFolder
  ) throws -> Watched {
    let result = try programs.whileReplaced(tracesIn: folder) {
      try launch.run(whenReady: { for folder in folder.folders { folder.stopRecorders() } })
    }
    try folder.gatherTraces()
    var recording = EmulatedRecording(folder, of: programs)
    try recording.complete(stop: nil)
    return Watched(
      result: result, leftAlone: recording.warnings, emulator: programs.description)
  }

  /// Whether a running process has LeakSanitizer, and its own environment does not turn it off.
  private func looksForLeaks(_ number: Int32) -> Bool {
    let variables = SystemFile.text(of: "/proc/\(number)/environ").split(separator: 0)
      .map { String(decoding: $0, as: UTF8.self) }
    guard let bytes = try? FileBytes(path: "/proc/\(number)/exe"),
      (try? ImagePages(of: bytes))?.hasLeakSanitizer ?? false
    else { return false }
    let options = LaunchEnvironment.sanitizerVariables.compactMap { name in
      variables.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
    return LaunchEnvironment(searchPath: nil, sanitizerOptions: options).looksForLeaks
  }

  /// The variables that tell the recorder when to stop, and that distinguish this launch from other launches.
  private var settings: [(name: String, value: String)] {
    var variables = [(name: "ORDERFILE_SESSION", value: "\(ClockReading.now().nanoseconds)")]
    if let stopAt = lastMark { variables.append(("ORDERFILE_STOP_AT", stopAt)) }
    if let stopAfter { variables.append(("ORDERFILE_STOP_AFTER_MS", "\(stopAfter)")) }
    return variables
  }

  private func nothingRecorded(_ watched: Watched, wasSilent: Bool) -> Diagnostic {
    switch means {
    case .emulation, .emulatedPrograms: return .nothingExecuted(name)
    case .recorder, .breakpoints, .remote: break
    }
    return isTraced
      ? .nothingUsed(name, wasLeftAlone: !watched.leftAlone.isEmpty)
      : .nothingRecorded(name, wasSilent: wasSilent)
  }
}

extension Diagnostic {
  fileprivate static func unableToTrace(
    _ process: String, _ obstacle: BreakpointAttachment.Obstacle
  ) -> Diagnostic {
    let reason =
      switch obstacle {
      case .tracedBy(let tracer): "process \(tracer) already traces this process"
      case .ended: "the process has ended"
      case .kernelThread: "the process is a kernel thread"
      }
    return Diagnostic("unable to trace: \(reason)", context: [process])
  }

  private static let anotherImage = Remedy(
    "to record a library, or a program that this program starts, give --also", option: "--also")

  fileprivate static func nothingUsed(_ program: String, wasLeftAlone: Bool) -> Diagnostic {
    Diagnostic(
      "nothing was recorded: no function with a breakpoint was used", context: [program],
      remedies: wasLeftAlone ? [] : [anotherImage], severity: .nothingRecorded)
  }

  fileprivate static func nothingExecuted(_ program: String) -> Diagnostic {
    Diagnostic(
      "nothing was recorded: no code of the recorded images ran", context: [program],
      remedies: [anotherImage], severity: .nothingRecorded)
  }

  fileprivate static func nothingRecorded(_ program: String, wasSilent: Bool) -> Diagnostic {
    let compile = "-fsanitize-coverage=func,trace-pc-guard,pc-table"
    var remedies = [
      Remedy(
        wasSilent
          ? "compile with \(compile) and link orderfile_rt.o"
          : "compile the program's own sources with \(compile)")
    ]
    if !isDarwin {
      remedies.insert(
        Remedy("add --breakpoints to record this build as it is", option: "--breakpoints"), at: 0)
    }
    return Diagnostic(
      wasSilent
        ? "nothing was recorded: neither the program nor its libraries have a recorder"
        : "nothing was recorded: the recorder is linked, but no instrumented function ran",
      context: [program], remedies: remedies, severity: .nothingRecorded)
  }
}
