import LibC

/// Opening files that may change while they are read.
extension FileBytes {
  /// Opens the file at `path` once, and maps or reads it as `init(path:)` or `init(regularFileAt:)` does. If the file
  /// may change, copies its present contents.
  ///
  /// - Parameters:
  ///   - isRegular: whether another file named the path, so that it must be a regular file.
  ///   - limit: the most bytes to copy.
  ///   - changes: whether the file with these bytes may change or be truncated while it is read.
  /// - Throws: `EFBIG` for more than `limit` bytes to copy.
  public static func opening(
    _ path: String, isRegular: Bool = false, limit: UInt64, copyingIf changes: (FileBytes) -> Bool
  ) throws(SystemError) -> FileBytes {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | (isRegular ? O_NONBLOCK : 0))
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { close(descriptor) }
    if isRegular { try checkRegular(descriptor) }
    return try reading(descriptor, limit: limit, copyingIf: changes)
  }

  /// Maps or reads the file that `descriptor` refers to, as `init(descriptor:)` does, or copies it, as `opening` does.
  public static func reading(
    _ descriptor: Int32, limit: UInt64, copyingIf changes: (FileBytes) -> Bool
  ) throws(SystemError) -> FileBytes {
    let bytes = try FileBytes(descriptor: descriptor)
    guard bytes.isMapped, changes(bytes) else { return bytes }
    lseek(descriptor, 0, SEEK_SET)  // A part of stdin may have been read before.
    return try FileBytes(copyOf: descriptor, limit: limit)
  }

  /// Copies the present contents of the file at `path`, which may change or be truncated while it is read. If the holes
  /// of a sparse file have at least `leastHoles` bytes, they are not read and take no memory.
  ///
  /// - Throws: as `init(path:)`; `EFBIG` for more than `limit` bytes.
  public convenience init(copyOf path: String, limit: UInt64) throws(SystemError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { close(descriptor) }
    try self.init(copyOf: descriptor, limit: limit)
  }
}
