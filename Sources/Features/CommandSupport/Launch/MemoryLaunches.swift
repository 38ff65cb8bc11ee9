// Launches in which only memory is read
//
// Other launches count pages or times. Access to pages is removed in launches that count pages, and reading memory
// would delay launches that are timed. So memory is read in launches of its own. These launches are warm: a page that
// is not in the page cache can't be mapped around a fault, so a cold launch has less resident memory than the same
// launch a second later.
//
// PSS divides a page by the number of processes that have mapped it. So this command maps none of the images meanwhile.

import ImageModel
import LaunchMeasurement
import PagesFormat
import ProcessLaunch
import ProcessTracing

/// Launches of one program in which the memory of some images is read.
package struct MemoryLaunches {
  private var program: ProgramLaunch
  /// The file that each launch reads as its standard input; `nil` for an empty input.
  private let inputPath: String?
  /// The paths of the images, absolute and without symbolic links.
  private let images: [String]
  private let ignoresFailure: Bool
  private let environment: LaunchEnvironment
  /// The memory of each image in the launches so far.
  private var found: [[MemoryFigures.Launch]]

  package init(
    _ program: ProgramLaunch, inputPath: String?, images: [String], ignoresFailure: Bool = false,
    in environment: LaunchEnvironment
  ) {
    self.program = program
    self.program.leadsGroup = true
    self.inputPath = inputPath
    self.images = images
    self.ignoresFailure = ignoresFailure
    self.environment = environment
    found = images.map { _ in [] }
  }

  private var moment: MemoryFigures.Moment { program.readiness == nil ? .end : .ready }

  /// Launches the program once more.
  ///
  /// - Throws: if the program can't be launched or traced, if it fails, if it ends before it is ready, or if the kernel
  ///   does not show its memory.
  package mutating func launch() throws(Diagnostic) {
    let title = program.title
    let result: MemoryLaunch.Result
    do { result = try run() } catch let error as Diagnostic { throw error } catch let error
      as ProgramLaunch.LaunchError
    {
      throw error.isNotPermitted && moment == .end
        ? Diagnostic.notTraceable(title) : Diagnostic.unableToRun(title, error)
    } catch { throw Diagnostic("unable to run: \(error)", context: [title]) }
    if Interruption.hasCome { return }
    try program.checkReadiness(result.program)
    if result.program.timedOut { throw .ranTooLong(title, program.timeout) }
    if result.program.end != .exited(0), !ignoresFailure {
      throw .failed(title, result.program.end, showsOutput: true)
    }
    guard result.processes.contains(where: { !$0.mappings.isEmpty }) else {
      throw Diagnostic(
        "unable to read the memory of the program: expected its mappings in /proc/PID/smaps, found none",
        context: [title],
        hint: "run this command as the user of the program, with /proc mounted without hidepid, "
          + "on a kernel with CONFIG_PROC_PAGE_MONITOR")
    }
    for (index, image) in images.enumerated() {
      if let launch = Self.memory(of: image, in: result.processes) { found[index].append(launch) }
    }
  }

  private func run() throws -> MemoryLaunch.Result {
    try SilentStreams.use(input: inputPath) { streams in
      var program = program
      program.streams = streams
      guard let mark = program.readiness?.mark else { return try MemoryLaunch(program).run() }
      let library = try OwnLibrary.path("liborderfile-pages.so", product: "orderfile-pages")
      let listener = try MarkListener(mark, stopsProcess: true)
      let others = environment.preload
      program.environment += [
        ("LD_PRELOAD", others.isEmpty ? library : "\(others) \(library)"),
        environment.sanitizerVariable, listener.variable,
      ]
      return try MemoryLaunch(program).run(at: listener)
    }
  }

  /// Returns the memory of the process with the largest RSS among those that have mapped the image; `nil` if none has.
  private static func memory(
    of image: String, in processes: [ProcessResidency]
  ) -> MemoryFigures.Launch? {
    var largest: MemoryFigures.Launch?
    for process in processes {
      guard let mapped = ImageResidency(of: image, in: process.mappings),
        largest.map({ $0.rss < process.bytes }) ?? true
      else { continue }
      largest = MemoryFigures.Launch(
        rss: process.bytes, pss: process.sharedOutBytes, peak: process.peakBytes,
        imageRSS: mapped.bytes, imagePSS: mapped.sharedOutBytes,
        mappings: zip(MemoryFigures.Kind.allCases, mapped.amounts).compactMap { kind, amount in
          amount.bytes == 0
            ? nil
            : MemoryFigures.Mapping(kind: kind, rss: amount.bytes, pss: amount.sharedOutBytes)
        })
    }
    return largest
  }

  /// Returns the memory of the image at `path`, which is one of the given images, in all launches.
  ///
  /// - Throws: if one of the launches had not mapped the image at the moment of reading.
  package func figures(of path: String) throws(Diagnostic) -> MemoryFigures {
    let launches = images.firstIndex(of: path).map { found[$0] } ?? []
    guard !launches.isEmpty else {
      throw Diagnostic(
        "no process of the launch had mapped the image \(moment == .end ? "at its end" : "when the program was ready")",
        context: [path], hint: "name the image that the launch runs")
    }
    return MemoryFigures(
      moment: moment, fileSystem: ImageStorage(of: path).fileSystem, launches: launches)
  }
}
