import ByteReading
import CommandSupport
import ImageModel
import LaunchMeasurement
import LibC
import ProcessLaunch
import TraceFormat
import TraceSymbolication

/// A temporary folder beside the output, in which the processes of one launch leave their traces.
package struct RecordingFolder {
  let path: String
  /// The suffix of a trace file that has no header yet. The recorder uses the same suffix.
  static let unfinishedSuffix = ".new"

  package init(beside output: String) throws(Diagnostic) {
    let absolute = try Self.absolutePath(ofOutput: output)
    var template = Array("\(absolute).recording.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .unable(to: "make a folder beside it", output)
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private init(path: String) { self.path = path }

  /// The folders in this folder, one for each emulator that a launch has started.
  var folders: [RecordingFolder] {
    Folder.names(in: path).map { RecordingFolder(path: "\(path)/\($0)") }
      .filter { Folder.isFolder($0.path) }
  }

  /// Moves the traces of the inner folders into this folder, under the names that one process and its children would
  /// give them. The trace that began first gets the name of the process's trace.
  func gatherTraces() throws(Diagnostic) {
    var found: [(begin: UInt64, path: String, process: UInt32)] = []
    for folder in folders {
      for path in folder.traceNames.map(folder.path(forNewTraceOf:)) {
        let header = try InputFile.trace(path).header
        found.append((header.firstPair.nanoseconds, path, header.pid))
      }
    }
    found.sort { ($0.begin, $0.path) < ($1.begin, $1.path) }
    var known: Set<String> = []
    for (_, path, process) in found {
      let names = ["trace.\(process)"] + (1...found.count).map { "trace.\(process).\($0)" }
      let name = known.isEmpty ? "trace" : names.first { !known.contains($0) } ?? "trace"
      known.insert(name)
      guard rename(path, self.path(forNewTraceOf: name)) == 0 else {
        throw .unable(to: "rename", path)
      }
    }
  }

  /// Writes traces that were fetched from another machine.
  func add(_ traces: [FetchedTraces.Trace]) throws(Diagnostic) {
    for trace in traces {
      try OutputFile(path(forNewTraceOf: "trace\(trace.suffix)")).finish(trace.bytes)
    }
  }

  /// The value for `ORDERFILE_TRACE`; percent signs in the folder's name are escaped.
  var tracePath: String {
    path.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%") + "/trace"
  }

  /// The path for a trace called `name` that this process writes.
  func path(forNewTraceOf name: String) -> String { "\(path)/\(name)" }

  /// Returns the absolute path of a trace's file, which may not exist yet.
  static func absolutePath(ofOutput output: String) throws(Diagnostic) -> String {
    output.hasPrefix("/") ? output : "\(try Folder.current())/\(output)"
  }

  /// The traces in the folder, the launched program's first, then by process number; and errors for traces that can't
  /// be read.
  ///
  /// - Parameter known: the names of traces that are left out; the names of all found traces are added.
  func recordings(except known: inout Set<String>) -> ([Recording], unreadable: [Diagnostic]) {
    var recordings: [Recording] = []
    var unreadable: [Diagnostic] = []
    for name in traceNames where known.insert(name).inserted {
      do {
        let file = try InputFile.trace("\(path)/\(name)")
        recordings.append(
          Recording(
            path: "\(path)/\(name)", suffix: String(name.dropFirst("trace".count)), file: file,
            trace: Trace(file, path: "\(path)/\(name)")))
      } catch { unreadable.append(error) }
    }
    return (recordings, unreadable)
  }

  /// Calls `body` with each trace in the order of `recordings`; only one trace is in memory at a time.
  ///
  /// - Throws: an error if a trace can't be read.
  package func forEachTrace(_ body: (Trace) -> Void) throws(Diagnostic) {
    for name in traceNames {
      body(Trace(try InputFile.trace("\(path)/\(name)"), path: "\(path)/\(name)"))
    }
  }

  /// Whether a process has ended its recording at the requested mark.
  var isMarked: Bool {
    traceNames.contains { TraceState.read(from: "\(path)/\($0)") == .stoppedByMark }
  }

  /// Makes the recorders in all processes stop, because the program is ready; what they have recorded stays.
  func stopRecorders() {
    for name in traceNames { TraceState.write(.stoppedWhenReady, to: "\(path)/\(name)") }
  }

  /// The names of the traces: `trace`, and then `trace.<pid>` and `trace.<pid>.<number>`, ascending.
  var traceNames: [String] {
    func numbers(_ name: String) -> [Int] {
      name.split(separator: ".").dropFirst().map { Int($0) ?? 0 }
    }
    return Folder.names(in: path)
      .filter { $0 == "trace" || $0.hasPrefix("trace.") && !$0.hasSuffix(Self.unfinishedSuffix) }
      .sorted { a, b in
        numbers(a) == numbers(b) ? a < b : numbers(a).lexicographicallyPrecedes(numbers(b))
      }
  }

  /// Removes one of the traces.
  func removeTrace(at path: String) { unlink(path) }

  /// Removes the folder and its contents.
  package func remove() {
    Folder.remove(Array(path.utf8))
  }
}
