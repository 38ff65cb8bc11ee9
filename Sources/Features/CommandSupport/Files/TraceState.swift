import LibC
import ProcessLaunch
import TraceFormat

/// What changes in the header of a trace whose program, or a child of it, may be running.
package enum TraceState {
  /// `nil` if the file can't be read.
  package static func read(from path: String) -> TraceHeader.State? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var state: UInt32 = 0
    guard pread(descriptor, &state, 4, off_t(GrowingTrace.stateOffset)) == 4 else { return nil }
    return TraceHeader.State(rawValue: UInt32(littleEndian: state))
  }

  /// Changes nothing if the recording was stopped before, or if the file can't be written. In one step: the program may
  /// stop its recording at the same time.
  ///
  /// - Returns: whether it did.
  @discardableResult
  package static func write(_ state: TraceHeader.State, to path: String) -> Bool {
    let recording = TraceHeader.State.recording.rawValue
    return SharedFile.exchange(
      recording, for: state.rawValue, at: GrowingTrace.stateOffset, of: path)
  }

  /// Tells children that begin their traces later where to put them: beside `outputPath`, which is absolute.
  package static func write(outputPath: String, to path: String) {
    guard let field = GrowingTrace.move(to: outputPath) else { return }
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    pwrite(descriptor, field.bytes, field.bytes.count, off_t(field.offset))
  }
}
