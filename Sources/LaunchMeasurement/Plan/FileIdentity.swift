import ImageModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Which file is at a path, and when it was written: another build at the same path has another identity.
///
/// A file that was renamed or linked keeps its identity, so that builds can be put to a path in turn (`ImagePlacement`).
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let file: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// - Returns: `nil` if there is no file at `path`, or if this process may not know.
  package init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    file = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int64(status.st_size)
    (seconds, nanoseconds) = (status.modification.tv_sec, status.modification.tv_nsec)
  }

  /// Whether both are one file, perhaps written in between.
  package func isSameFile(as other: Self) -> Bool { device == other.device && file == other.file }

  /// - Throws: if another file is at `path`, or if the file was written since.
  package func check(_ path: String) throws(Diagnostic) {
    guard Self(of: path) != self else { return }
    throw .replaced(path)
  }
}

/// A moment, to which the changes of files are compared.
package struct FileTime: Comparable, Sendable {
  private let seconds: Int
  private let nanoseconds: Int

  private init(_ time: timespec) { (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec) }

  package static func now() -> FileTime {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return FileTime(now)
  }

  package static func < (a: Self, b: Self) -> Bool {
    (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds)
  }

  /// Checks a file that a launch has mapped. What the launch itself has made may be new.
  ///
  /// - Parameter launch: when the launch began.
  /// - Throws: if the file at `path` was made, written or renamed between this moment and the launch. The clock of files is
  ///   a few milliseconds late, so a change right after this moment may be missed.
  package func checkUnchanged(_ path: String, until launch: FileTime) throws(Diagnostic) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    let change = FileTime(status.change)
    if self < change, change < launch { throw .replaced(path) }
  }
}

extension Diagnostic {
  static func replaced(_ path: String) -> Diagnostic {
    Diagnostic(
      "the image was replaced or changed while it was measured: the launches are not of one build",
      context: [path], hint: "measure again when nothing builds it, or measure a copy")
  }
}

extension stat {
  #if canImport(Darwin)
    fileprivate var modification: timespec { st_mtimespec }
    fileprivate var change: timespec { st_ctimespec }
  #else
    fileprivate var modification: timespec { st_mtim }
    fileprivate var change: timespec { st_ctim }
  #endif
}
