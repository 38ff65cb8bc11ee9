import ImageModel
import PagesFormat
import ProcessLaunch
import Reporting

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The launches that a project is ordered for.
struct ProjectLaunches {
  private let launches: [AutoLaunch]
  private let images: [ProjectImage]
  private let shell: AutoShell

  /// - Parameter images: all that the build has made.
  init(_ launches: [AutoLaunch], images: [ProjectImage], _ shell: AutoShell) {
    self.launches = launches
    self.images = images
    self.shell = shell
  }

  /// Runs the launch as it is, to see whether it works.
  ///
  /// - Throws: if it fails or does not end.
  /// - Returns: warnings.
  func tryOut(_ launch: AutoLaunch) throws(Diagnostic) -> [Diagnostic] {
    let result = try run(launch) {
      try $0.run()
    } result: {
      $0
    }
    guard result.left > 0, launch.readiness == nil else { return [] }
    return [
      Diagnostic(
        "the launch left \(counted(result.left, "process", "processes")) running; they were killed, and what they would have run later is not recorded",
        context: [launch.command],
        hint:
          "let it stay in the foreground, and end the launch with --until-ready port=NUMBER or line=TEXT"
      )
    ]
  }

  /// What the launches ran.
  struct Recorded {
    /// The paths of the traces, those of the first launch first.
    var traces: [String] = []
    /// The images that were used, in the order of their first use.
    var images: [ProjectImage] = []
    var method = AutoDocument.Method.breakpoints
    var warnings: [Diagnostic] = []
  }

  /// Records each launch with breakpoints. Not in an emulator, which would run the shell, and not what that starts.
  func record() throws(Diagnostic) -> Recorded {
    var recorded = Recorded()
    for (number, launch) in launches.enumerated() {
      let output = "\(shell.folder.traces)/launch-\(number + 1).oftrace"
      let recording = try run(launch) { program in
        let recording = LaunchRecording(
          .breakpoints(
            .launch(program), LaunchRecording.Breakpoints(onlyImages: images.map(\.path))),
          outputPath: output, in: shell.environment)
        return try recording.run()
      } result: { recording in
        ProgramLaunch.Result(processNumber: 0, end: recording.end ?? .exited(0))
      }.value
      recorded.traces += try named(recording.paths, number + 1)
      recorded.warnings += recording.warnings
      for trace in recording.traces {
        for number in trace.hits.map(\.image) + trace.blockHits.map(\.image) {
          let path = trace.images[number].path
          guard let image = images.first(where: { $0.path == path }),
            !recorded.images.contains(image)
          else { continue }
          recorded.images.append(image)
        }
      }
    }
    return recorded
  }

  /// Gives the traces of a launch names without the numbers of processes, which differ from run to run.
  private func named(_ paths: [String], _ launch: Int) throws(Diagnostic) -> [String] {
    var names: [String] = []
    for (index, path) in paths.enumerated() {
      let name =
        "\(shell.folder.traces)/launch-\(launch)\(index == 0 ? "" : ".\(index + 1)").oftrace"
      guard rename(path, name) == 0 else {
        throw Diagnostic("unable to rename: \(String(cString: strerror(errno)))", context: [path])
      }
      names.append(name)
    }
    return names
  }

  /// The pages of code that the launches execute, added up, by page size; parallel to `used`.
  func pages(of used: [ProjectImage]) throws(Diagnostic) -> [(pages: Int, pages16k: Int)] {
    var counts = used.map { _ in (pages: 0, pages16k: 0) }
    for launch in launches {
      let counted = try run(launch) { program in
        var pages = PageLaunch(program, in: shell.environment)
        pages.images = used.map(\.path)
        // A program without a loader, which the shell starts, can be seen only from outside.
        pages.method = used.contains { $0.isStatic } ? .ptrace : nil
        return try pages.run()
      } result: {
        ProgramLaunch.Result(processNumber: 0, end: $0.end)
      }.value
      for (index, image) in used.enumerated() {
        guard let touched = counted.document.images.first(where: { $0.path == image.path }) else {
          continue
        }
        counts[index].pages += touched.textCount(executed: true)
        counts[index].pages16k += touched.textCount(executed: true, .sixteenKibibytes)
      }
    }
    return counts
  }

  /// Runs a launch by `body`, and ends what it leaves behind.
  private func run<R>(
    _ launch: AutoLaunch, _ body: (ProgramLaunch) throws -> R, result: (R) -> ProgramLaunch.Result
  ) throws(Diagnostic) -> (value: R, left: Int) {
    let log = LaunchLog("\(shell.folder.logs)/launch.log")
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
    let time = program.timeout ?? AutoLaunch.usualTimeout
    if launch.readiness != nil {
      if result.timedOut || result.end != .exited(0) {
        throw Diagnostic.notReady(
          launch.command, launch.readiness ?? .port(0), within: result.timedOut ? time : nil,
          result.end)
      }
    } else if result.timedOut {
      throw Diagnostic(
        "the launch did not end within \(Int(time)) s\(log.lastLines())", context: [launch.command],
        hint:
          "for a server give --until-ready port=NUMBER or line=TEXT; for a long launch --timeout")
    }
    guard result.end == .exited(0) else {
      throw Diagnostic(
        "the launch failed: \(result.end)\(log.lastLines())", context: [launch.command],
        hint:
          "it runs in a copy of the project's folder\(launch.input == nil ? ", with empty input" : ""); if it is meant to fail: --launch 'COMMAND || true'"
      )
    }
    return (value, left)
  }
}
