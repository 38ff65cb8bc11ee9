import CommandSupport
import ImageModel
import LibC
import PagesFormat
import ProcessLaunch
import Recording
import Rendering

/// The launches that a project is ordered for.
struct ProjectLaunches {
  private(set) var launches: [AutoLaunch]
  private let images: [ProjectImage]
  let shell: AutoShell
  private let goal: AutoGoal
  private let toolchain: Toolchain

  /// - Parameter images: all images that the build has linked.
  init(
    _ launches: [AutoLaunch], images: [ProjectImage], for plan: BuildPlan, _ shell: AutoShell
  ) {
    goal = plan.goal
    toolchain = plan.system.toolchain
    self.launches = launches
    self.images = images
    self.shell = shell
  }

  /// Runs each launch as it is, to see whether it works. If a launch ends on its own, with exit status 0, before it is
  /// ready, it awaits no sign from now on: `--until-ready` ends the other launches. A launch that is not required, and
  /// fails, is left out.
  ///
  /// - Returns: warnings about the launches.
  /// - Throws: if a launch fails or does not end, or if none of the launches that await a sign becomes ready.
  mutating func tryOut(_ steps: ProjectSteps) throws(Diagnostic) -> [Diagnostic] {
    var made = MadeLaunches()
    var unready: (launch: AutoLaunch, readiness: Readiness)?
    var kept: [AutoLaunch] = []
    for launch in launches {
      var launch = launch
      let result = try made.make(isRequired: launch.isRequired) { try tryOut(launch, steps) }
      guard let result else { continue }
      if let readiness = launch.readiness, !result.value.isReady {
        unready = unready ?? (launch, readiness)
        launch.readiness = nil
      }
      kept.append(launch)
      guard result.left > 0, launch.readiness == nil else { continue }
      made.notes.append(
        Diagnostic(
          "killed \(counted(result.left, "process", "processes")) that the launch left running: what would have run there later is not recorded",
          context: [launch.command],
          hint:
            "let the program stay in the foreground, and end the launch with --until-ready port=NUMBER or line=TEXT"
        ))
    }
    try made.check()
    launches = kept
    if let unready, launches.allSatisfy({ $0.readiness == nil }) {
      throw .notReady(unready.launch.command, unready.readiness, within: nil, .exited(0))
    }
    return made.notes
  }

  private func tryOut(
    _ launch: AutoLaunch, _ steps: ProjectSteps
  ) throws(Diagnostic) -> (value: ProgramLaunch.Result, left: Int) {
    let result = try steps.timed("launch", launch.command, log: log.path) {
      () throws(Diagnostic) in
      try run(launch) {
        try $0.run()
      } result: {
        $0
      }
    }
    if launch.hasToBecomeReady, let readiness = launch.readiness, !result.value.isReady {
      throw .notReady(launch.command, readiness, within: nil, .exited(0))
    }
    return result
  }

  /// The traces of the launches, and the images that they used.
  struct Recorded {
    /// The images that were used, in the order of their first use. Of several images with the same file name, only the
    /// first one is in this list, because order files and results are named after the file.
    var images: [ProjectImage] = []
    /// The paths of the traces in which each image was used, in the order of the launches.
    var traces: [ProjectImage: [String]] = [:]
    /// The images that each launch used.
    var imagesOfLaunches: [Set<ProjectImage>] = []
    var warnings: [Diagnostic] = []

    fileprivate mutating func add(_ used: [ProjectImage], inTraceAt path: String) {
      for image in used {
        if traces[image] == nil {
          if let other = images.first(where: {
            $0.orderName == image.orderName || $0.name == image.name
          }) {
            traces[image] = []
            warnings.append(
              Diagnostic(
                "not ordered: \(other.path) has the same file name, and was used first",
                context: [image.path],
                hint: "order this image by hand: record, gen, link (docs/how-to/BUILD-SYSTEMS.md)"))
          } else {
            images.append(image)
          }
        }
        guard images.contains(image) else { continue }
        traces[image, default: []].append(path)
        imagesOfLaunches[imagesOfLaunches.count - 1].insert(image)
      }
    }
  }

  /// Records each launch as often as it is to be recorded.
  func record(by method: AutoDocument.RecordingMethod) throws(Diagnostic) -> Recorded {
    // The file `building` makes the next run start with a new copy if this run is killed: it would leave scripts at the
    // paths of programs.
    if method.replacesPrograms { try OutputFile(shell.folder.building).finish([]) }
    defer { if method.replacesPrograms { Folder.remove(Array(shell.folder.building.utf8)) } }
    let projectImages = Dictionary(images.map { ($0.path, $0) }) { first, _ in first }
    var recorded = Recorded()
    for (number, launch) in launches.enumerated() {
      recorded.imagesOfLaunches.append([])
      var traces = 0
      for _ in 0..<launch.count {
        let output = traceName(of: number + 1, traces)
        let recording = try run(launch) { program in
          try LaunchRecording(way(of: program, method), outputPath: output, in: shell.environment)
            .run()
        } result: { recording in
          ProgramLaunch.Result(processNumber: 0, end: recording.end ?? .exited(0))
        }.value
        if recording.lacksBlockMap { throw try unableToSplit() }
        recorded.warnings += recording.warnings
        let paths = try named(recording.paths, number + 1, after: traces)
        traces += paths.count
        for (path, trace) in zip(paths, recording.traces) {
          recorded.add(Self.images(of: trace, projectImages), inTraceAt: path)
        }
      }
    }
    return recorded
  }

  /// Returns the images of the project that a trace has, in the order of their first use.
  private static func images(
    of trace: Trace, _ projectImages: [String: ProjectImage]
  ) -> [ProjectImage] {
    // A recorder has the path by which the loader opened a library, such as the link libapp.so.1.
    let ofTrace = trace.images.map { image in
      projectImages[image.path]
        ?? (try? Folder.absolutePath(image.path)).flatMap { projectImages[$0] }
    }
    var used: [ProjectImage] = []
    var isUsed = ofTrace.map { _ in false }
    for number in trace.hits.map(\.image) + trace.blockHits.map(\.image)
    where !isUsed[number] {
      isUsed[number] = true
      if let image = ofTrace[number] { used.append(image) }
    }
    return used
  }

  private func way(
    of program: ProgramLaunch, _ method: AutoDocument.RecordingMethod
  ) -> LaunchRecording.Means {
    switch method {
    case .breakpoints:
      var options = LaunchRecording.Breakpoints(onlyImages: images.map(\.path))
      options.blocks = goal == .split
      return .breakpoints(.launch(program), options)
    case .qemu:
      return .emulatedPrograms(
        program, of: images.filter { !$0.isLibrary }.map(\.path), images: images.map(\.path))
    case .instrument: return .recorder(program)
    }
  }

  private func unableToSplit() throws(Diagnostic) -> Diagnostic {
    // The file `building` marks the copy as unusable, because another compiler needs a newly configured copy.
    try OutputFile(shell.folder.building).finish([])
    return Diagnostic(
      "unable to split: no image that the launches ran has a map of its basic blocks",
      context: ["--split"],
      hint: Self.remedyForMissingMap(toolchain))
  }

  private static func remedyForMissingMap(_ toolchain: Toolchain) -> String {
    switch toolchain {
    case .c:
      "compile with clang 19 or later, and link by lld: CC=clang CXX=clang++ orderfile auto --split ..., or, if a makefile sets CC, orderfile auto --split ... -- make CC=clang"
    case .rust:
      "let cargo call rustc through RUSTC_WRAPPER, and let LLVM generate the code: remove codegen-backend from the profile of Cargo.toml"
    case .swift:
      "let SwiftPM link by lld with link-time optimization: remove -lto and -use-ld from unsafeFlags of Package.swift"
    }
  }

  /// Gives the traces of a launch names without the numbers of processes, which differ from run to run.
  ///
  /// - Parameters:
  ///   - launch: the number of the launch, from 1.
  ///   - earlier: the number of traces of this launch that have such names already.
  private func named(
    _ paths: [String], _ launch: Int, after earlier: Int
  ) throws(Diagnostic) -> [String] {
    var names: [String] = []
    for (index, path) in paths.enumerated() {
      let name = traceName(of: launch, earlier + index)
      guard rename(path, name) == 0 else {
        throw .unable(to: "rename", path)
      }
      names.append(name)
    }
    return names
  }

  /// - Parameters:
  ///   - launch: the number of the launch, from 1.
  ///   - index: the index of the trace among the traces of this launch.
  private func traceName(of launch: Int, _ index: Int) -> String {
    "\(shell.folder.traces)/launch-\(launch)\(index == 0 ? "" : ".\(index + 1)").oftrace"
  }

  /// The output of the last launch.
  var log: ProgramLog { ProgramLog("\(shell.folder.logs)/launch.log") }

  /// Runs a launch with `body`, and ends the processes that it leaves running.
  func run<R>(
    _ launch: AutoLaunch, _ body: (ProgramLaunch) throws -> R, result: (R) -> ProgramLaunch.Result
  ) throws(Diagnostic) -> (value: R, left: Int) {
    var program = shell.launch(launch, images: images)
    let value: R
    do {
      value = try log.streams(input: launch.input) { streams in
        program.streams = streams
        return try body(program)
      }
    } catch {
      if shell.endsOrphans { _ = Orphans.end() }
      if Interruption.hasCome { throw Diagnostic("interrupted") }
      throw error as? Diagnostic ?? Diagnostic("unable to run: \(error)", context: [launch.command])
    }
    let left = shell.endsOrphans ? Orphans.end() : 0
    if Interruption.hasCome { throw Diagnostic("interrupted") }
    let result = result(value)
    if let failure = result.scriptFailure { throw .scriptFailed(failure, result.end) }
    let time = program.timeout ?? AutoLaunch.usualTimeout
    if let readiness = launch.readiness {
      if result.timedOut || result.end != .exited(0) {
        throw notReady(launch, readiness, within: result.timedOut ? time : nil, result.end)
      }
    } else if result.timedOut {
      throw Diagnostic(
        "the launch did not end within \(Int(time)) s\(log.lastLines())", context: [launch.command],
        hint:
          "for a server, give --until-ready port=NUMBER or line=TEXT; for a long launch, give --timeout"
      )
    }
    guard result.end == .exited(0) else {
      if result.end == Self.commandNotFound { try shell.folder.configureAgain() }
      throw failed(launch, result.end)
    }
    return (value, left)
  }

  private func notReady(
    _ launch: AutoLaunch, _ readiness: Readiness, within timeout: Double?, _ end: ProgramLaunch.End
  ) -> Diagnostic {
    var error = Diagnostic.notReady(launch.command, readiness, within: timeout, end)
    error.message += log.lastLines()
    if launches.count > 1, !launch.hasToBecomeReady {
      error.hint =
        "--until-ready applies to each launch: each launch has to become ready, or to end with status 0"
    }
    return error
  }

  private func failed(_ launch: AutoLaunch, _ end: ProgramLaunch.End) -> Diagnostic {
    let input = launch.input == nil ? ", with empty input" : ""
    let hint =
      end == Self.commandNotFound
      ? LaunchCandidates(images, in: shell.folder.tree).hintForMissingProgram(shell.folder.logs)
      : "the launch runs in a copy of the project's folder\(input); if it is meant to fail: --launch 'COMMAND || true'"
    return Diagnostic(
      "the launch failed: \(end)\(log.lastLines())", context: [launch.command], hint: hint)
  }

  /// The end of a shell that does not find the program of its last command.
  private static let commandNotFound = ProgramLaunch.End.exited(127)
}
