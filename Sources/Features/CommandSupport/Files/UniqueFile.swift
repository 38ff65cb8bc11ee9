import ByteReading
import LibC

/// A file that was created under a new name. Only its owner may read and write it.
struct UniqueFile {
  let path: String
  /// A descriptor for reading and writing, which programs started by this process do not inherit. The creator of the file
  /// closes it.
  let descriptor: Int32

  /// - Parameter beginning: the beginning of the path, to which six characters are added.
  init(_ beginning: String) throws(SystemError) {
    var template = Array("\(beginning)XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemError("mkstemp") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
