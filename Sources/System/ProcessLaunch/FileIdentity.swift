// The properties that show that the file at a path is still the same file, with the same contents.

import LibC

/// The file at a path and the time of its last write: another build at the path has another identity.
///
/// A file keeps its identity when it is renamed or linked. A new file may get the number of a removed one: see `FileStamp`.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let file: UInt64
  private let size: Int64
  private let modification: FileTime

  /// - Returns: `nil` if there is no file at `path`, or if this process may not examine it.
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

  /// Whether both are the same file, even if it was written in between.
  package func isSameFile(as other: Self) -> Bool { device == other.device && file == other.file }
}

/// The identity of a regular file, and when its inode last changed. The time is needed because inode numbers are reused.
package struct FileStamp: Hashable, Sendable {
  private let identity: FileIdentity
  /// When the inode last changed (`st_ctim`): the file was written, renamed or linked, or its mode was changed.
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

/// A moment to compare with the change times of files.
///
/// The change times of files lag by a few milliseconds, so a change right after a moment may be missed.
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
