import LibC
import ProcessLaunch
import TraceFormat

/// The fields of a trace's header that change while its program, or a child of the program, may run.
package enum TraceState {
  /// Returns the state in the trace; `nil` if the file can't be read.
  package static func read(from path: String) -> TraceHeader.State? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var state: UInt32 = 0
    guard pread(descriptor, &state, 4, off_t(GrowingTrace.stateOffset)) == 4 else { return nil }
    return TraceHeader.State(rawValue: UInt32(littleEndian: state))
  }

  /// Replaces the state `recording` by `state`, in one step, because the program may stop its recording at the same
  /// time. Changes nothing if the recording was stopped before, or if the file can't be written.
  ///
  /// - Returns: whether the state was replaced.
  @discardableResult
  package static func write(_ state: TraceHeader.State, to path: String) -> Bool {
    let recording = TraceHeader.State.recording.rawValue
    return SharedFile.exchange(
      recording, for: state.rawValue, at: GrowingTrace.stateOffset, of: path)
  }

  /// Writes to the trace where child processes that start later put their own traces: beside `outputPath`, which is
  /// absolute.
  package static func write(outputPath: String, to path: String) {
    guard let field = GrowingTrace.move(to: outputPath) else { return }
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    pwrite(descriptor, field.bytes, field.bytes.count, off_t(field.offset))
  }
}
