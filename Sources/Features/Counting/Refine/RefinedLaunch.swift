import Addresses
import CommandSupport
import FunctionOrder
import ImageModel
import LaunchMeasurement
import PagesFormat
import ProcessLaunch
import ProcessTracing
import Recording

/// A launch for which an order is refined. It launches the image as it is currently linked.
struct RefinedLaunch {
  /// The name of the launch; `nil` if the launch is of the command line.
  let name: String?
  /// The place of the launch in a file of launches, for messages.
  let place: [String]
  /// Whether a failure of the launch is an error.
  private(set) var isRequired: Bool
  let program: ProgramLaunch
  /// The path of the file that is the program's standard input; `nil` for an empty input.
  let inputPath: String?
  let folder: TemporaryFolder
  let environment: LaunchEnvironment

  /// This launch, with a failure as an error.
  var required: Self {
    var launch = self
    launch.isRequired = true
    return launch
  }

  /// Returns the pages of the image at `path` that a launch touches.
  ///
  /// - Throws: if the pages can't be counted exactly, or if the program fails.
  func pages(ofImage path: String) throws -> PagesDocument.Image {
    try program.checkReadiness()
    let found = try LaunchedProgram(named: program.command[0], in: environment)
    let request = PageRequest(images: [path])
    let choice = try PageMethodChoice(nil, for: found, request, in: environment)
    let result = try run {
      try choice.run($0, request)
    } end: {
      $0.program
    }
    if let problem = result.problem {
      throw Diagnostic.inexact(program.command[0], problem, remedy: nil)
    }
    var names = PageNames()
    let images = try names.images(of: result.touches, wanted: [path])
    guard let image = images.first(where: { $0.path == path }), !image.pages.isEmpty else {
      throw Diagnostic(
        "no page of this image was touched: the launch does not use it", context: [path])
    }
    return image
  }

  /// Returns the functions of the image that a launch ran, in the order of first uses. Breakpoints record the functions
  /// that were entered at their first instruction; `pages` shows the functions that were entered elsewhere. If the
  /// image has a map of its basic blocks, the launch also records blocks, because the cold part of a split function can
  /// be entered anywhere. `blocks` are the first addresses of the blocks that ran.
  func uses(
    of release: ReleaseLayout, _ pages: PagesDocument.Image
  ) throws -> (uses: [Part], blocks: Set<StatedAddress>, warnings: [Diagnostic]) {
    let layout = release.layout
    let recording = try RecordingFolder(beside: folder.path("uses"))
    defer { recording.remove() }
    try LaunchedProgram(named: program.command[0], in: environment).checkTraceable(in: environment)
    let hasBlocks = (try? release.blockMap()) ?? nil != nil
    let observer = try BreakpointRecording(
      recording, images: [release.path], blocks: hasBlocks, end: nil, in: environment)
    _ = try run {
      try BreakpointLaunch($0).run(observer)
    } end: {
      $0
    }
    var blocks: Set<StatedAddress> = []
    var steps: [Int: UInt64] = [:]
    try recording.forEachTrace { trace in
      let entered = trace.hits.map { hit in
        (hit.step, hit.image, hit.entry.flatMap { layout.functions(at: $0).first })
      }
      let ran = trace.blockHits.map { hit in
        (hit.step, hit.image, layout.functions(containing: hit.block.start).first)
      }
      for hit in trace.blockHits where trace.images[hit.image].path == release.path {
        blocks.insert(hit.block.start)
      }
      // A function hit and a block hit never have the same step.
      for (_, image, function) in (entered + ran).sorted(by: { $0.0 < $1.0 })
      where trace.images[image].path == release.path {
        guard let function, steps[function] == nil else { continue }
        steps[function] = UInt64(steps.count)
      }
    }
    // A function that only `pages` shows ran after the function of the page before.
    var step: UInt64 = 0
    for page in pages.pages where page.access == .execute {
      guard let instruction = page.instruction,
        let containing = layout.functions(containing: instruction).first,
        let function = layout.functions(at: layout.functions[containing].address).first
      else { continue }
      if let known = steps[function] {
        step = known
        continue
      }
      steps[function] = step
    }
    let uses = steps.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map { Part($0.key) }
    return (uses, blocks, observer.warnings)
  }

  private func run<Result>(
    _ body: (ProgramLaunch) throws -> Result, end: (Result) -> ProgramLaunch.Result
  ) throws -> Result {
    let log = ProgramLog(folder.path("launch.log"))
    let result: Result
    do {
      result = try log.streams(input: inputPath) { streams in
        var program = program
        program.streams = streams
        return try body(program)
      }
    } catch let error as ProgramLaunch.LaunchError {
      throw Diagnostic.unableToRun(program.command[0], error)
    }
    try program.checkReadiness(end(result))
    if end(result).timedOut {
      throw Diagnostic.ranTooLong(program.command[0], program.timeout)
    }
    switch end(result).end {
    case .exited(0): break
    case .killed:
      throw Diagnostic(
        "the launch was \(end(result).end)\(log.lastLines())",
        context: [program.command[0]])
    case .exited:
      throw Diagnostic(
        "the launch failed: \(end(result).end)\(log.lastLines())",
        context: [program.command[0]],
        hint: "if it is meant to fail: -- sh -c 'COMMAND || true'")
    }
    return result
  }
}
