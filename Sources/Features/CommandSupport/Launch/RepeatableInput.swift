import LibC

/// The standard input of a program that may have to be launched a second time.
///
/// The second launch reads a file from the same place as the first launch. A pipe can be read only once. orderfile does not
/// read a pipe to its end before the first launch: the other end may wait for output of the program.
package struct RepeatableInput {
  private let descriptor: Int32
  /// The offset in the file at which the first launch began to read; `nil` if the input is not a file.
  private let start: off_t?
  private let kind: mode_t

  /// Finds out what kind of file the input is, before the first launch.
  ///
  /// - Parameter descriptor: the descriptor that the program gets as its standard input.
  package init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var status = stat()
    kind = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
    let offset = lseek(descriptor, 0, SEEK_CUR)
    start = kind == S_IFREG && offset >= 0 ? offset : nil
  }

  /// Whether a second launch can read the same input as the first launch: false for a pipe and a socket.
  package var canBeReadAgain: Bool { kind != S_IFIFO && kind != S_IFSOCK }

  /// Sets a file back to the offset at which the first launch began to read.
  package func rewind() {
    if let start { lseek(descriptor, start, SEEK_SET) }
  }
}
