#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What shows that a regular file is still the same, and was not written. A number of a file may come again.
package struct FileStamp: Equatable, Sendable {
  private let numbers: [Int]
  /// When the file was last written, renamed or replaced: seconds and nanoseconds since 1970.
  private let changed: [Int]

  /// - Returns: `nil` if there is no regular file at `path`.
  package init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else {
      return nil
    }
    #if canImport(Darwin)
      let (modification, change) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (modification, change) = (status.st_mtim, status.st_ctim)
    #endif
    changed = [change.tv_sec, change.tv_nsec]
    numbers = [
      Int(truncatingIfNeeded: status.st_dev), Int(truncatingIfNeeded: status.st_ino),
      Int(status.st_size), modification.tv_sec, modification.tv_nsec, change.tv_sec, change.tv_nsec,
    ]
  }

  /// Whether the file has changed after `moment`, a value of `now`.
  package func isChanged(since moment: [Int]) -> Bool { moment.lexicographicallyPrecedes(changed) }

  /// The time, in seconds and nanoseconds since 1970.
  package static var now: [Int] {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return [time.tv_sec, time.tv_nsec]
  }
}
