import LibC

/// A file with words for a command.
package enum OptionFile {
  /// Returns the contents of the file at `path`; `nil` if it is not a readable regular file of at most 16 MiB.
  package static func bytes(_ path: Word) -> [UInt8]? {
    let descriptor = open(
      path.map { CChar(bitPattern: $0) } + [0], O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= 16 << 20
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    // One call of read(2) reads all of a regular file, unless another process truncates the file meanwhile.
    guard read(descriptor, &bytes, bytes.count) == bytes.count else { return nil }
    return bytes
  }

  /// Opens the file at `path`, so that programs that replace this one can read it.
  ///
  /// - Returns: a path of the open file, which has no blank; `path` if the file can't be opened.
  package static func inheritedPath(_ path: Word) -> Word {
    let descriptor = open(path.map { CChar(bitPattern: $0) } + [0], O_RDONLY)
    return descriptor < 0 ? path : Array("/proc/self/fd/\(descriptor)".utf8)
  }

  /// Whether there is a readable file at `path`.
  package static func exists(_ path: Word) -> Bool {
    access(path.map { CChar(bitPattern: $0) } + [0], R_OK) == 0
  }
}
