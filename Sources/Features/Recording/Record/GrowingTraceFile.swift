import ImageModel
import LibC
import ProcessTracing
import TraceFormat

/// A trace file that grows while a launch runs. The file is valid from the moment it has its name, even if this process
/// is killed.
final class GrowingTraceFile {
  private let path: String
  private let files: OpenFiles
  private var trace: GrowingTrace
  private var size: Int
  /// The reason why the file could not be written; `nil` if it could. After a failure nothing more is written.
  private(set) var failure: Diagnostic?

  /// - Parameter files: the open files of all traces of a launch.
  init(_ path: String, _ trace: GrowingTrace, in files: OpenFiles) throws(Diagnostic) {
    self.path = path
    self.trace = trace
    self.files = files
    size = trace.header.count
    let unfinished = path + RecordingFolder.unfinishedSuffix
    let descriptor = files.descriptor(of: self) {
      open(unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    }
    guard descriptor >= 0 else { throw Self.error(path) }
    store(trace.header, at: 0)
    if let failure { throw failure }
    guard rename(unfinished, path) == 0 else { throw Self.error(path) }
  }

  private static func error(_ path: String) -> Diagnostic {
    .unable(to: "write the trace", path)
  }

  deinit { files.close(of: self) }

  /// Appends the records that `record` makes.
  func add(_ record: (inout GrowingTrace) -> GrowingTrace.Addition) {
    guard failure == nil else { return }
    let addition = record(&trace)
    store(addition.records, at: size)
    size += addition.records.count
    store(addition.count.bytes, at: addition.count.offset)
  }

  /// Marks the launch as over, although the program continues.
  func end(by state: TraceHeader.State) {
    let end = GrowingTrace.end(by: state)
    store(end.bytes, at: end.offset)
  }

  private func store(_ bytes: [UInt8], at offset: Int) {
    guard failure == nil else { return }
    let descriptor = files.descriptor(of: self) { open(path, O_RDWR | O_CLOEXEC) }
    let count = descriptor < 0 ? -1 : pwrite(descriptor, bytes, bytes.count, off_t(offset))
    guard count != bytes.count else { return }
    let reason =
      count < 0 ? errorText() : "\(count) of \(bytes.count) bytes written"
    failure = Diagnostic(
      "unable to write all of the trace: \(reason)", context: [path],
      hint: "later first uses are not in the trace")
  }
}
