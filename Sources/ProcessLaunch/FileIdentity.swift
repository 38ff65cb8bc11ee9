// What shows that the file at a path is still the same file, with the same contents.

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Which file is at a path, and when the file was written. Another build at the same path has another identity.
///
/// A file keeps its identity when it is renamed or linked. A new file may get the number of a removed one: see `FileStamp`.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let file: UInt64
  private let size: Int64
  private let modification: FileTime

  /// - Returns: `nil` if there is no file at `path`, or if this process may not look at it.
  package init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  fileprivate init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    file = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int64(status.st_size)
    modification = FileTime(status.modification)
  }

  /// Whether both are one file, which may have been written in between.
  package func isSameFile(as other: Self) -> Bool { device == other.device && file == other.file }
}

/// The identity of a regular file, and when the file was last written, renamed, linked or replaced.
package struct FileStamp: Hashable, Sendable {
  private let identity: FileIdentity
  package let changed: FileTime

  /// - Returns: `nil` if there is no regular file at `path`.
  package init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else {
      return nil
    }
    identity = FileIdentity(status)
    changed = FileTime(status.change)
  }
}

/// A moment, to which the changes of files are compared.
///
/// The kernel's clock for files is a few milliseconds late, so that a file may be changed right after a moment and seem
/// unchanged since.
package struct FileTime: Hashable, Comparable, Sendable {
  private let seconds: Int
  private let nanoseconds: Int

  fileprivate init(_ time: timespec) { (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec) }

  package static func now() -> FileTime {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return FileTime(now)
  }

  package static func < (a: Self, b: Self) -> Bool {
    (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds)
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
