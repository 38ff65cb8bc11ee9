import Addresses
import ByteReading
import CommandSupport
import ImageModel
import ProcessLaunch
import Symbolication
import TraceFormat
import TraceSymbolication

/// Completes the traces that QEMU's plugin leaves in a folder: see `EmulatedTrace`.
struct EmulatedRecording {
  private let folder: RecordingFolder
  /// Real paths of the images to record; `nil` for all.
  private let wanted: Set<String>?
  /// Whether a launch need not use all images of `wanted`.
  private let recordsOnlyUsed: Bool
  /// The paths of programs, by the paths under which they ran.
  private let renamed: [String: String]
  /// The function whose first call ends the recording.
  private let end: String?
  private var places: [String: BreakpointPlaces?] = [:]
  private let begin = FileTime.now()
  private(set) var warnings: [Diagnostic] = []
  /// Whether the emulator has translated any code of the program, so that recording has begun.
  private(set) var hasBegun = false

  /// - Parameters:
  ///   - program: the real path of the launched program.
  ///   - images: the images that the user names in addition; `nil` records every image.
  init(
    _ folder: RecordingFolder, of program: String, images: [String]?, end: String?
  ) throws(Diagnostic) {
    self.folder = folder
    self.end = end
    recordsOnlyUsed = false
    renamed = [:]
    guard let images else {
      wanted = nil
      return
    }
    var paths: Set<String> = [program]
    for path in images { paths.insert(try Folder.absolutePath(ofLater: path)) }
    wanted = paths
  }

  /// Records the images of `programs` that a launch uses.
  init(_ folder: RecordingFolder, of programs: EmulatedPrograms) {
    self.folder = folder
    end = nil
    recordsOnlyUsed = true
    renamed = programs.renamed
    wanted = Set(programs.images)
  }

  /// Replaces each trace in the folder by a complete trace, and removes the traces of children without a first use.
  ///
  /// - Parameter stop: the time after which nothing counts, in nanoseconds since boot; `nil` if everything counts.
  mutating func complete(stop: UInt64?) throws(Diagnostic) {
    var files: [(path: String, file: TraceFile)] = []
    for path in folder.traceNames.map(folder.path(forNewTraceOf:)) {
      do { files.append((path, try InputFile.trace(path))) } catch { warnings.append(error) }
    }
    hasBegun = files.contains { $0.file.slotCount > 0 }
    let end = lastMoment(of: files.map(\.file), stop: stop)
    var programs: Set<String> = []
    var others: Set<String> = []
    for (path, file) in files {
      let trace = EmulatedTrace(file, until: end, renamed: renamed) { self.places(at: $0) }
      others.formUnion(trace.others)
      // Programs that scripts have replaced are emulated, too.
      programs.formUnion(trace.programs.filter { program in !isEmulated(program) })
      if trace.isEmpty, file.header.flags.contains(.forked) {
        folder.removeTrace(at: path)
      } else {
        try OutputFile(path).finish(trace.bytes)
      }
    }
    warnings += others.sorted().map { .otherImage($0) }
    warnings += programs.sorted().map {
      Diagnostic(
        "this program is not recorded: a process executed it, and then ran outside of the emulator",
        context: [$0],
        hint: "record the program in a launch of its own")
    }
    for path in (wanted ?? []).subtracting(places.keys).sorted() where !recordsOnlyUsed {
      warnings.append(
        Diagnostic("no process loaded this image, so nothing of it is recorded", context: [path]))
    }
    if let name = self.end, !places.values.contains(where: { $0?.named[name] != nil }) {
      warnings.append(
        Diagnostic(
          "missing function: no recorded image has a symbol of this name", context: [name],
          remedies: .missingFunction))
    }
  }

  /// - Parameter path: the path that a program has given to the kernel.
  private func isEmulated(_ path: String) -> Bool {
    guard !renamed.isEmpty, let path = try? Folder.absolutePath(path) else { return false }
    return renamed.values.contains(path)
  }

  /// The earliest time that ends the recording of all processes; `nil` if nothing ends it.
  private mutating func lastMoment(of files: [TraceFile], stop: UInt64?) -> EmulatedTrace.End? {
    var ends: [EmulatedTrace.End] = []
    if let stop { ends.append(EmulatedTrace.End(ticks: stop, state: .stoppedByTime)) }
    if let end {
      for file in files {
        guard let call = EmulatedTrace.ticks(ofFirst: end, in: file, { self.places(at: $0) }) else {
          continue
        }
        // The recording ends just before the call, so that the called function is not recorded.
        ends.append(EmulatedTrace.End(ticks: call - min(call, 1), state: .stoppedByFunction))
      }
    }
    return ends.min { $0.ticks < $1.ticks }
  }

  /// The functions and blocks of the image at `path`; `nil` if it is not to be recorded.
  private mutating func places(at path: String) -> BreakpointPlaces? {
    guard wanted?.contains(path) ?? true else { return nil }
    if let known = places[path] { return known }
    var found: BreakpointPlaces?
    do {
      let read = try BreakpointPlaces(
        of: FileBytes(path: path), at: path, withBlocks: true,
        lookingFor: [end].compactMap { $0 })
      warnings += read.problems.map {
        Diagnostic("some functions are not recorded: \($0)", context: [path])
      }
      if let problem = read.blockMapProblem {
        warnings.append(Diagnostic("\(problem)", context: [path]))
      }
      if read.id.kind == .weak, let file = FileStamp(path: path), begin < file.changed {
        warnings.append(
          Diagnostic(
            "this file was written during the launch, and has no build ID: another build of it may have run",
            context: [path], hint: "link it with -Wl,--build-id"))
      }
      found = read
    } catch {
      warnings.append(Diagnostic("nothing of this image is recorded: \(error)", context: [path]))
    }
    places[path] = .some(found)
    return found
  }
}
