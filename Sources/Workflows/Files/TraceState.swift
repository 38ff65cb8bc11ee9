import TraceFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What changes in the header of a trace whose program, or a child of it, may be running.
enum TraceState {
  /// `nil` if the file can't be read.
  static func read(from path: String) -> TraceHeader.State? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var state: UInt32 = 0
    let offset = GrowingTrace.end(by: .recording).offset
    guard pread(descriptor, &state, 4, off_t(offset)) == 4 else { return nil }
    return TraceHeader.State(rawValue: UInt32(littleEndian: state))
  }

  /// Changes nothing if the recording was stopped before, or if the file can't be written.
  static func write(_ state: TraceHeader.State, to path: String) {
    guard read(from: path) == .recording else { return }
    store(GrowingTrace.end(by: state), in: path)
  }

  /// Tells children that begin their traces later where to put them: beside `outputPath`, which is absolute.
  static func write(outputPath: String, to path: String) {
    if let move = GrowingTrace.move(to: outputPath) { store(move, in: path) }
  }

  private static func store(_ field: (offset: Int, bytes: [UInt8]), in path: String) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    pwrite(descriptor, field.bytes, field.bytes.count, off_t(field.offset))
  }
}
