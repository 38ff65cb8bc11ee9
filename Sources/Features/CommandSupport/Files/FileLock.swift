import ImageModel
import LibC

/// A locked file. While this object exists, only one process uses the resource that the file represents.
package final class FileLock {
  private let descriptor: Int32

  /// Locks the file, and creates it unless it exists.
  ///
  /// - Returns: `nil` if another process has locked it.
  package init?(_ path: String) throws(Diagnostic) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw .unable(to: "write", path)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
