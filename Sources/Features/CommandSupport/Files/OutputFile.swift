import ImageModel
import LibC

/// A file that appears under its name only when it is complete.
///
/// The initializer checks that the folder can be written to, before any work is done. The bytes go to a temporary file
/// in the same folder. This file then replaces the target in one step, so that a crash leaves the old file unchanged.
/// Anything but a regular file (a pipe, a device) is written to directly.
package final class OutputFile {
  /// The path as the user gave it.
  package let path: String
  private let target: Target

  private enum Target {
    /// A descriptor that is open for writing.
    case stream(Int32)
    /// An open temporary file, its path, and the path that the file will get.
    case file(Int32, temporary: String, final: String)
  }
  private var isFinished = false

  package init(_ path: String) throws(Diagnostic) {
    self.path = path
    var status = stat()
    let exists = stat(path, &status) == 0
    if !exists, errno != ENOENT { throw Self.error(path, errno) }
    if exists, status.st_mode & S_IFMT == S_IFDIR { throw Self.error(path, EISDIR) }
    if exists, status.st_mode & S_IFMT != S_IFREG {
      let descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Self.error(path, errno) }
      target = .stream(descriptor)
      return
    }
    if exists, access(path, W_OK) != 0 { throw Self.error(path, errno) }
    let final = Self.behindLinks(path)
    let folder = final.lastIndex(of: "/").map { final[...$0] } ?? ""
    let new: UniqueFile
    do { new = try UniqueFile("\(folder).orderfile.") } catch {
      throw Self.error(path, error.errno)
    }
    // The output file gets the mode that any new file of this process gets.
    let mask = umask(0)
    umask(mask)
    fchmod(new.descriptor, exists ? status.st_mode & 0o7777 : 0o666 & ~mask)
    target = .file(new.descriptor, temporary: new.path, final: final)
  }

  /// Writes a result into a sink, piece by piece.
  package typealias Document = (_ sink: @escaping ([UInt8]) -> Void) -> Void

  /// Writes all of `document` to the temporary file, and moves the file to its path.
  package func finish(_ document: Document) throws(Diagnostic) {
    var failure: Diagnostic?
    document { piece in
      guard failure == nil else { return }
      do throws(Diagnostic) { try self.append(piece) } catch { failure = error }
    }
    if let failure { throw failure }
    try finish([])
  }

  /// Writes all of `bytes` to the temporary file, and moves the file to its path.
  package func finish(_ bytes: [UInt8]) throws(Diagnostic) {
    try append(bytes)
    if case .file(_, let temporary, let final) = target, rename(temporary, final) != 0 {
      throw Self.error(path, errno)
    }
    isFinished = true
  }

  /// Copies the file at `source`, without its mode, and moves the copy to this file's path.
  ///
  /// - Throws: an error also if `source` can't be read.
  package func finish(copyOf source: String) throws(Diagnostic) {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else {
      throw .unable(to: "read", source)
    }
    defer { close(input) }
    do { try copyContents(of: input, to: descriptor) } catch {
      throw Self.error(path, error.errno)
    }
    try finish([])
  }

  private var descriptor: Int32 {
    switch target {
    case .stream(let stream): stream
    case .file(let file, _, _): file
    }
  }

  private func append(_ bytes: [UInt8]) throws(Diagnostic) {
    do { try writeAll(bytes, to: descriptor) } catch { throw Self.error(path, error.errno) }
  }

  /// Whether both files get the same path, so that only the file that is finished later would be left.
  package func isSameFile(as other: OutputFile) -> Bool {
    guard case .file(_, _, let a) = target, case .file(_, _, let b) = other.target else {
      return false
    }
    func place(_ path: String) -> (name: Substring, device: dev_t, number: ino_t) {
      let end = path.lastIndex(of: "/")
      var status = stat()
      _ = stat(end.map { String(path[...$0]) } ?? ".", &status)
      return (end.map { path[path.index(after: $0)...] } ?? path[...], status.st_dev, status.st_ino)
    }
    return place(a) == place(b)
  }

  /// Checks that the output does not replace one of its own inputs.
  ///
  /// - Throws: an error if the file at `path` is one of `inputs`.
  package static func check(
    _ path: String, isNoneOf inputs: [String], hint: String = "name another file with '-o'"
  ) throws(Diagnostic) {
    var output = stat()
    guard path != "-", stat(path, &output) == 0, output.st_mode & S_IFMT == S_IFREG else { return }
    for input in inputs {
      var status = stat()
      guard stat(input, &status) == 0, status.st_dev == output.st_dev,
        status.st_ino == output.st_ino
      else { continue }
      throw Diagnostic(
        "unable to write the output to this file: it is also an input", context: [path],
        hint: hint)
    }
  }

  /// Returns the path to which all symbolic links lead, even if no file exists there yet. The output replaces or
  /// creates the file at this path, not the link.
  private static func behindLinks(_ path: String) -> String {
    var path = path
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    for _ in 0..<40 {  // the kernel follows as many symbolic links
      let size = readlink(path, &buffer, buffer.count)
      guard size > 0, size < buffer.count else { break }
      let target = String(decoding: buffer[..<size].map(UInt8.init(bitPattern:)), as: UTF8.self)
      let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
      path = target.hasPrefix("/") ? target : folder + target
    }
    return path
  }

  deinit {
    switch target {
    case .stream(let descriptor): close(descriptor)
    case .file(let descriptor, let temporary, _):
      close(descriptor)
      if !isFinished { unlink(temporary) }
    }
  }

  private static func error(_ path: String, _ errno: Int32) -> Diagnostic {
    .unable(to: "write", path, errno)
  }
}
