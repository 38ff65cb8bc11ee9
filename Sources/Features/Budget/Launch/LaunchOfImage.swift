import CommandSupport
import Counting
import ImageModel
import LaunchMeasurement
import LibC
import ProcessLaunch
import Recording

/// A launch that is counted and recorded for one image. Its output goes to a file.
struct LaunchOfImage {
  /// The path of the program, and its arguments.
  let command: [String]
  /// The path of the image, as the user gave it.
  let image: String
  /// The path of the image, absolute and without symbolic links.
  var realPath: String
  let log: ProgramLog
  var conditions = LaunchConditions()
  /// The paths of files that the launch reads, for the trace.
  var namedInputs: [String] = []
  /// Whether the image has a map of its basic blocks.
  var hasBlockMap = false
  let environment: LaunchEnvironment

  init(
    _ command: [String], of image: String, log: ProgramLog, in environment: LaunchEnvironment
  ) {
    self.command = command
    self.image = image
    realPath = image
    self.log = log
    self.environment = environment
  }

  /// Counts the pages of the image that the launch touches. The document has only this image, under the path that the
  /// user gave.
  func countPages() throws(Obstacle) -> CountedPages {
    var counted = try count(by: nil)
    func touched(_ counted: CountedPages) -> Bool {
      counted.document.images.contains { $0.path == realPath && !$0.pages.isEmpty }
    }
    // A program from whose environment LD_PRELOAD was removed is not counted by the preloaded library.
    if !touched(counted), counted.document.method == PageMethod.preload.rawValue {
      counted = try count(by: .ptrace)
    }
    guard touched(counted) else {
      throw .ofLaunch(
        Diagnostic(
          "the launch did not touch any page of the image", context: [image],
          hint: "name an image that the launch runs with '--image'"))
    }
    counted.document.images = counted.document.images.filter { $0.path == realPath }.map { found in
      var found = found
      found.image.path = image
      return found
    }
    return counted
  }

  private func count(by method: PageMethod?) throws(Obstacle) -> CountedPages {
    try run { (program) throws in
      var launch = PageLaunch(program, in: environment)
      launch.images = [realPath]
      launch.countsLoading = true
      launch.method = method
      return try launch.run()
    } end: {
      ($0.end, $0.warnings)
    }
  }

  /// Records the image's functions in order of first use, or its basic blocks if the image has a map of them.
  ///
  /// - Parameter path: the path of the trace of the first recorded process. The traces of other processes get a number
  ///   after it.
  /// - Returns: the paths of the traces.
  func record(
    to path: String
  ) throws(Obstacle) -> (paths: [String], warnings: [Diagnostic]) {
    let recorded = try run { (program) throws in
      var options = LaunchRecording.Breakpoints(onlyImages: [realPath])
      options.blocks = hasBlockMap
      var recording = LaunchRecording(
        .breakpoints(.launch(program), options), outputPath: path, in: environment)
      recording.workload = try Workload(
        command: command, inputs: namedInputs, tracePath: path)
      return try recording.run()
    } end: {
      ($0.end ?? .exited(0), $0.warnings)
    }
    if let failure = recorded.failure { throw .ofMethod(failure) }
    do throws(Diagnostic) {
      return (try Self.numbered(recorded.paths, path), recorded.warnings)
    } catch { throw .ofLaunch(error) }
  }

  /// Gives traces names without the numbers of processes, which differ from launch to launch.
  private static func numbered(
    _ paths: [String], _ first: String
  ) throws(Diagnostic) -> [String] {
    try paths.enumerated().map { index, path throws(Diagnostic) in
      let name = index == 0 ? first : "\(first).\(index + 1)"
      guard rename(path, name) == 0 else {
        throw Diagnostic.unable(to: "rename", path)
      }
      return name
    }
  }

  /// Launches the program by calling `body`.
  ///
  /// - Parameter end: returns how the program ended, and warnings about this.
  private func run<Result>(
    _ body: (ProgramLaunch) throws -> Result,
    end: (Result) -> (ProgramLaunch.End, [Diagnostic])
  ) throws(Obstacle) -> Result {
    var program = conditions.launch(of: command)
    if Interruption.hasCome { throw .ofLaunch(Diagnostic("interrupted")) }
    let result: Result
    do {
      result = try log.streams(input: conditions.inputPath) { streams in
        program.streams = streams
        return try body(program)
      }
    } catch {
      if Interruption.hasCome { throw .ofLaunch(Diagnostic("interrupted")) }
      let problem =
        error as? Diagnostic ?? Diagnostic("unable to run: \(error)", context: [command[0]])
      throw problem.kind == .failedLaunch ? .ofLaunch(problem) : .ofMethod(problem)
    }
    if Interruption.hasCome { throw .ofLaunch(Diagnostic("interrupted")) }
    let (status, warnings) = end(result)
    // A program that was ended after its timeout may exit with status 0, too.
    if let failure = warnings.first(where: { $0.kind == .failedLaunch }) {
      throw .ofLaunch(failure)
    }
    guard status == .exited(0) else {
      throw .ofLaunch(
        Diagnostic(
          "the launch failed: \(status)\(log.lastLines())", context: [command[0]],
          hint:
            "if it is meant to fail: --launch \"sh -c 'COMMAND || true'\" --image \(image); its output: \(log.path)"
        ))
    }
    return result
  }
}
