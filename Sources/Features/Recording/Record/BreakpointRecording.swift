import Addresses
import ByteReading
import CommandSupport
import ImageModel
import LaunchMeasurement
import LibC
import ProcessLaunch
import ProcessTracing
import Rendering
import Symbolication
import TraceFormat

/// Writes the traces of a launch with breakpoints, one for each process with hits.
package final class BreakpointRecording: BreakpointObserver {
  private let folder: RecordingFolder
  /// Real paths of the images to record in addition to the launched program; `nil` for all.
  private let wanted: Set<String>?
  /// Whether the launched program is recorded only if it is in `wanted`, and need not use all images of `wanted`.
  private let recordsOnlyImages: Bool
  private let recordsBlocks: Bool
  /// The function whose first call ends the recording.
  private let end: String?
  private var sawEnd = false
  /// Whether the launch has reached the mark that ends the recording.
  private(set) var isMarked = false
  private var program: String?
  /// The process that was launched or attached to.
  private var first: pid_t?
  /// The beginning of the recording, in nanoseconds since boot, if the process began earlier.
  private let begin: UInt64?
  private var processes: [pid_t: Process] = [:]
  private let traceFiles = OpenFiles()
  private var usedNames: Set<String> = []
  private var builds: BreakpointBuilds
  /// The paths of images whose file was not the file in memory.
  private var others: Set<String> = []
  /// Whether a process translated the code of another program, whose images are unknown.
  private var sawTranslator = false

  /// Warnings about images without breakpoints, and about traces that could not be written.
  package var warnings: [Diagnostic] {
    var warnings = builds.problems + [withoutBlocks].compactMap { $0 }
    warnings += processes.keys.sorted().compactMap { processes[$0]?.file?.failure }
    let missing = recordsOnlyImages || sawTranslator ? [] : wanted ?? []
    warnings += missing.subtracting(recorded.all).subtracting(others)
      .filter { !builds.isKnown($0) }.sorted().map {
        Diagnostic("no process loaded this image, so nothing of it is recorded", context: [$0])
      }
    if let end, !sawEnd {
      warnings.append(
        Diagnostic(
          "missing function: no recorded image has a symbol of this name", context: [end],
          remedies: .missingFunction))
    }
    return warnings
  }

  /// The paths of the recorded images, and of the recorded images without a map of their basic blocks.
  private var recorded: (all: Set<String>, withoutBlocks: Set<String>) = ([], [])

  /// Whether blocks were requested, but no image has a map of them.
  var lacksBlocks: Bool {
    recordsBlocks && !recorded.all.isEmpty && recorded.all == recorded.withoutBlocks
  }

  private var withoutBlocks: Diagnostic? {
    guard !recorded.withoutBlocks.isEmpty, !lacksBlocks else { return nil }
    return Diagnostic(
      "no basic block address map: only functions are recorded",
      context: [recorded.withoutBlocks.sorted().joined(separator: ", ")],
      hint: Diagnostic.blockMapHint)
  }

  /// A process from the exec of one program to the exec of the next program.
  private struct Process {
    var program: String
    /// The time at which the process started; `nil` if the process ended before this was read.
    var startTime: UInt64?
    var parent: pid_t?
    var images: [(image: LoadedImage, number: UInt64?)] = []
    var file: GrowingTraceFile?
    var hasFailed = false
  }

  /// - Parameters:
  ///   - images: the images that the user names; `nil` records every image.
  ///   - begin: now, in nanoseconds since boot, for a process that is already running.
  ///   - blocks: whether to record the basic blocks of images that have a map of them.
  package init(
    _ folder: RecordingFolder, images: [String]?, blocks: Bool, end: String?,
    attachingAt begin: UInt64? = nil, recordsOnlyImages: Bool = false,
    in environment: LaunchEnvironment
  ) throws(Diagnostic) {
    self.recordsOnlyImages = recordsOnlyImages
    self.folder = folder
    self.end = end
    self.begin = begin
    recordsBlocks = blocks
    builds = BreakpointBuilds(
      withBlocks: blocks, end: end, looksForLeaks: environment.looksForLeaks)
    guard let images else {
      wanted = nil
      return
    }
    var paths: Set<String> = []
    for path in images { paths.insert(try Folder.absolutePath(ofLater: path)) }
    wanted = paths
  }

  package func image(at path: String) -> BreakpointImage? {
    guard wanted?.contains(path) ?? true || path == program && !recordsOnlyImages else {
      return builds.cLibrary(at: path)
    }
    guard let (image, places) = builds.image(at: path) else { return nil }
    recorded.all.insert(path)
    if recordsBlocks, places.blocks == nil { recorded.withoutBlocks.insert(path) }
    if image.end != nil { sawEnd = true }
    return image
  }

  package func loader(at path: String) -> BreakpointImage? { builds.loader(at: path) }

  package func isOther(_ path: String, isLoader: Bool) {
    if !isLoader { others.insert(path) }
    builds.note(isLoader ? .otherLoader(path) : .otherImage(path))
  }

  package func isTranslator(_ program: String) {
    sawTranslator = true
    builds.note(.translator(program))
  }

  package func isWithoutRights(_ program: String) { builds.note(.ranWithoutRights(program)) }

  package func isDebugger(_ program: String) { builds.note(.debugger(program)) }

  package func isInaccessible(_ pid: pid_t, hasBreakpoints: Bool) {
    builds.note(.inaccessible(pid, hasBreakpoints: hasBreakpoints))
  }

  package func processBegan(_ process: TracedProcess, program path: String) {
    if program == nil { (program, first) = (path, process.pid) }
    processEnded(process.pid)  // the program that the process ran before this exec
    processes[process.pid] = Process(program: path, startTime: process.startTime)
  }

  package func processEnded(_ pid: pid_t) {
    if let failure = processes.removeValue(forKey: pid)?.file?.failure { builds.note(failure) }
  }

  package func processForked(_ child: TracedProcess, by parent: pid_t) {
    guard var process = processes[parent] else { return }
    process.parent = parent
    process.startTime = child.startTime
    process.file = nil
    for index in process.images.indices { process.images[index].number = nil }
    processes[child.pid] = process
  }

  package func loaded(_ image: LoadedImage, in pid: pid_t) {
    processes[pid]?.images.append((image, nil))
    if let index = processes[pid]?.images.indices.last, processes[pid]?.file != nil {
      writeLoad(index, of: pid)
    }
  }

  package func unloaded(_ image: LoadedImage, in pid: pid_t) {
    guard let process = processes[pid],
      let index = process.images.firstIndex(where: { $0.image.text == image.text })
    else { return }
    processes[pid]?.images.remove(at: index)
    guard let number = process.images[index].number else { return }
    process.file?.add { $0.unload(number, ticks: ClockReading.now().ticks) }
  }

  package func firstHit(_ place: LoadedAddress, of image: LoadedImage, by thread: TracedThread) {
    let pid = thread.pid
    if processes[pid]?.file == nil { begin(pid) }
    let stated = place.stated(slide: image.slide)
    let uses = builds.places(of: image)?.uses(at: stated) ?? (isFunction: true, blocks: [])
    processes[pid]?.file?.add {
      $0.use(
        function: uses.isFunction ? place : nil,
        blocks: uses.blocks.map { ($0.start.loaded(slide: image.slide), $0.size) },
        ticks: thread.ticks, thread: UInt32(bitPattern: thread.tid))
    }
  }

  package func mark(_ name: [UInt8], by thread: TracedThread) {
    if processes[thread.pid]?.file == nil { begin(thread.pid) }
    processes[thread.pid]?.file?.add {
      $0.mark(name, ticks: thread.ticks, thread: UInt32(bitPattern: thread.tid))
    }
  }

  package func breakpointsLeft(_ count: Int, in pid: pid_t) {
    builds.note(
      Diagnostic("unable to remove \(counted(count, "breakpoint"))", context: ["process \(pid)"]))
  }

  package func tracerWasKilled() {
    builds.note(
      Diagnostic("the tracer was killed: later first uses are not recorded"))
  }

  package func launchEnded(by reason: StopReason) {
    if reason == .mark { isMarked = true }
    for pid in processes.keys.sorted() { processes[pid]?.file?.end(by: reason.state) }
  }

  /// Creates the trace of a process, at its first hit, and adds the images that are loaded.
  private func begin(_ pid: pid_t) {
    guard let process = processes[pid], !process.hasFailed else { return }
    let machine = builds.machine(ofImageAt: process.program) ?? BreakpointPlaces.ownMachine
    let now = ClockReading.now()
    let trace = GrowingTrace(
      machine: machine, pid: UInt32(bitPattern: pid),
      parent: process.parent.map(UInt32.init(bitPattern:)),
      startTime: process.startTime, begin: pid == first ? begin : nil,
      program: process.program.utf8,
      now: TraceHeader.ClockPair(ticks: now.ticks, nanoseconds: now.nanoseconds))
    do {
      processes[pid]?.file = try GrowingTraceFile(
        folder.path(forNewTraceOf: name(for: pid)), trace, in: traceFiles)
      for index in process.images.indices { writeLoad(index, of: pid) }
    } catch {
      processes[pid]?.hasFailed = true
      builds.note(error)
    }
  }

  /// Returns the name of the trace of a process: `trace` for the first process, else `trace.<pid>` or `trace.<pid>.1`,
  /// as the recorder names traces.
  private func name(for pid: pid_t) -> String {
    var candidates = ["trace.\(pid)"] + (1..<1000).map { "trace.\(pid).\($0)" }
    if pid == first { candidates.insert("trace", at: 0) }
    let name = candidates.first { !usedNames.contains($0) } ?? "trace.\(pid)"
    usedNames.insert(name)
    return name
  }

  private func writeLoad(_ index: Int, of pid: pid_t) {
    guard let image = processes[pid]?.images[index].image, let places = builds.places(of: image)
    else { return }
    var record = TraceImageRecord(
      slide: image.slide, textStart: image.text.lowerBound,
      textSize: image.text.size,
      id: TraceImageRecord.ID(kind: UInt32(places.id.kind.rawValue), bytes: places.id.bytes),
      path: Array(image.path.utf8))
    record.guardSize = 4 * UInt64(places.functions.count)
    record.blocks = .listed(UInt32(clamping: places.blocks?.ranges.count ?? 0))
    var number: UInt64 = 0
    processes[pid]?.file?.add {
      let load = $0.load(record, ticks: ClockReading.now().ticks)
      number = load.number
      return load.1
    }
    processes[pid]?.images[index].number = number
  }
}

extension Diagnostic {
  fileprivate static let blockMapHint =
    "compile with clang and -fbasic-block-address-map; for Swift see docs/how-to/BLOCKS.md"

  /// `--blocks` was given, and no image has a map of its basic blocks.
  static func noBlockMap(_ program: String) -> Diagnostic {
    Diagnostic(
      "no recorded image has a basic block address map", context: [program], hint: blockMapHint)
  }
}

extension [Remedy] {
  /// The remedies for the name of a function that no image has.
  package static let missingFunction = [
    Remedy("list the names of symbols with nm"),
    Remedy("record the library that has the function with --also", option: "--also"),
  ]
}

extension StopReason {
  fileprivate var state: TraceHeader.State {
    switch self {
    case .mark: .stoppedByMark
    case .function: .stoppedByFunction
    case .time: .stoppedByTime
    case .readiness: .stoppedWhenReady
    }
  }
}
