import ByteReading
import ImageModel
import LibC

/// A regular file that one process at a time appends to. While this object exists, other processes that append wait.
///
/// The file gets all bytes of an append or none of them, even if the disk is full.
package final class AppendedFile {
  package let path: String
  private let descriptor: Int32

  /// Creates the file unless it exists. A new file is kept even if nothing is appended to it, because other processes
  /// may wait for it.
  package init(_ path: String) throws(Diagnostic) {
    self.path = path
    descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.error(path, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Diagnostic("unable to append: expected a regular file", context: [path])
    }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw Self.error(path, errno) }
    }
  }

  /// Returns a copy of the file's contents.
  package func contents() throws(Diagnostic) -> FileBytes {
    do { return try FileBytes(copyOf: path, limit: .max) } catch {
      throw Diagnostic(opening: path, error)
    }
  }

  /// Appends lines. If the file's last line has no line feed, adds one first.
  ///
  /// - Throws: an error if the lines can't be written as a whole. The file is then unchanged.
  package func append(lines: [UInt8]) throws(Diagnostic) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.error(path, errno) }
    let size = status.st_size
    var last: UInt8 = UInt8(ascii: "\n")
    if size > 0, pread(descriptor, &last, 1, size - 1) != 1 { throw Self.error(path, errno) }
    let separator = last == UInt8(ascii: "\n") ? [] : [UInt8(ascii: "\n")]
    do { try writeAll(separator + lines, to: descriptor) } catch {
      ftruncate(descriptor, size)
      throw Self.error(path, error.errno)
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  private static func error(_ path: String, _ errno: Int32) -> Diagnostic {
    .unable(to: "append", path, errno)
  }
}
