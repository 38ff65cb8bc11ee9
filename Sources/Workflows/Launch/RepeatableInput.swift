#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The standard input of a program that may have to be launched a second time.
///
/// A file is read again from where the first launch began. What is left of a pipe after that is unknown, and to keep what a
/// pipe brings would change the program's launch: it may be a dialogue.
struct RepeatableInput {
  private let descriptor: Int32
  /// The offset in the file at which the first launch began to read; `nil` for what has no offset.
  private let start: off_t?
  private let kind: mode_t

  /// Looks at the input before the first launch.
  ///
  /// - Parameter descriptor: the descriptor that the program gets as its standard input.
  init(_ descriptor: Int32 = STDIN_FILENO) {
    self.descriptor = descriptor
    var status = stat()
    kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
    let offset = lseek(descriptor, 0, SEEK_CUR)
    start = kind == S_IFREG && offset >= 0 ? offset : nil
  }

  /// Sets a file back to where the first launch began to read it.
  ///
  /// - Returns: false for a pipe or a socket, and if the file can't be set back.
  func rewind() -> Bool {
    if let start { return lseek(descriptor, start, SEEK_SET) == start }
    return kind != S_IFIFO && kind != S_IFSOCK
  }
}
