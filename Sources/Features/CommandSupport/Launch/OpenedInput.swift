import ImageModel
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An open file that a launched program gets as its standard input. It is closed with this value.
package final class OpenedInput {
  package let descriptor: Int32

  /// - Throws: if the file at `path` is a pipe or a folder, or can't be read.
  package init(_ path: String) throws(Diagnostic) {
    descriptor = open(try LaunchInput.file(path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Diagnostic("\(String(cString: strerror(errno)))", context: [path])
    }
  }

  deinit { close(descriptor) }
}
