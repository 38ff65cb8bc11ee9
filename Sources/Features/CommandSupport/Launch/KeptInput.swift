import ImageModel
import LibC
import ProcessLaunch

/// The standard input of a program that is launched several times: each launch reads it from the start.
///
/// A pipe can be read only once, so it is read to its end and kept in a temporary file. The file is removed when this
/// object is released, and on Linux also if this process is killed.
package final class KeptInput {
  /// The path by which each launch opens the input; `nil` for an empty input.
  package let path: String?
  /// The descriptor of the temporary file; `nil` if the input was not a pipe.
  private let descriptor: Int32?

  /// The largest number of bytes that are read from a pipe.
  package static let limit = 1 << 30

  /// - Parameters:
  ///   - path: the file or pipe to read; `nil` for an empty input.
  ///   - timeout: the seconds within which a pipe has to end; `nil` for no limit.
  /// - Throws: if the input can't be read, if it is a folder or a terminal, or if a pipe does not end in
  ///   time or has more than 1 GiB.
  package init(
    _ path: String?, timeout: Double?, in environment: LaunchEnvironment
  ) throws(Diagnostic) {
    guard let path else {
      (self.path, descriptor) = (nil, nil)
      return
    }
    func failure(_ message: String, hint: String? = nil) -> Diagnostic {
      Diagnostic(message, context: [path], hint: hint)
    }
    // Without O_NONBLOCK, open(2) waits until somebody writes to a FIFO.
    let input = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard input >= 0 else { throw failure(errorText()) }
    defer { close(input) }
    var status = stat()
    guard fstat(input, &status) == 0 else { throw failure(errorText()) }
    switch status.st_mode & S_IFMT {
    case S_IFIFO: break
    case S_IFDIR: throw failure("unable to use this as input: expected a file, found a folder")
    default:
      guard isatty(input) == 0 else {
        throw failure(
          "unable to use a terminal as input: several launches read the input, and a terminal can be read only once",
          hint: "save the input to a file, and give the file")
      }
      (self.path, descriptor) = (path, nil)
      return
    }
    let folder = environment.temporaryFolder ?? "/tmp"
    let file: UniqueFile
    do { file = try UniqueFile("\(folder)/orderfile.") } catch {
      throw Diagnostic("unable to make a file: \(error)", context: [folder])
    }
    #if os(Linux)
      unlink(file.path)
      self.path = "/proc/self/fd/\(file.descriptor)"
    #else
      self.path = file.path
    #endif
    descriptor = file.descriptor
    try Self.copy(pipe: input, path, to: file.descriptor, timeout)
  }

  /// Returns the absolute path of an input file, for launches in another folder and in later runs.
  ///
  /// - Throws: if `path` is a pipe or a folder, or can't be read.
  package static func file(_ path: String) throws(Diagnostic) -> String {
    var status = stat()
    guard stat(path, &status) == 0, access(path, R_OK) == 0 else {
      throw Diagnostic(errorText(), context: [path])
    }
    let kind = status.st_mode & S_IFMT
    guard kind != S_IFIFO, kind != S_IFSOCK, kind != S_IFDIR else {
      throw Diagnostic(
        "unable to use this as input: expected a file, found a \(kind == S_IFDIR ? "folder" : "pipe")",
        context: [path], hint: "save the input to a file, and give the file")
    }
    return try Folder.absolutePath(path)
  }

  deinit {
    guard let descriptor else { return }
    close(descriptor)
    #if !os(Linux)
      if let path { unlink(path) }
    #endif
  }

  /// Copies a pipe to a file. Waits for the first writer, and then until the last writer has closed it.
  private static func copy(
    pipe: Int32, _ path: String, to file: Int32, _ timeout: Double?
  ) throws(Diagnostic) {
    let end = timeout.map { ClockReading.now().nanoseconds + UInt64($0 * 1e9) }
    var part = [UInt8](repeating: 0, count: 1 << 16)
    var size = 0
    while true {
      var milliseconds: Int32 = -1
      if let end {
        let now = ClockReading.now().nanoseconds
        guard now < end else {
          throw Diagnostic(
            "the input did not end within \(timeout ?? 0) s: the whole input is read before the first launch",
            context: [path], hint: "save the input to a file, and give the file")
        }
        milliseconds = Int32(clamping: min((end - now) / 1_000_000 + 1, 3_600_000))
      }
      var poller = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
      let ready = poll(&poller, 1, milliseconds)
      guard !Interruption.hasCome else { throw Diagnostic("interrupted") }
      guard ready > 0 else { continue }
      let count = read(pipe, &part, part.count)
      if count == 0 { return }
      guard count > 0 else {
        if errno == EINTR || errno == EAGAIN { continue }
        throw Diagnostic(errorText(), context: [path])
      }
      size += count
      guard size <= limit else {
        throw Diagnostic(
          "too much input: expected at most 1 GiB from a pipe", context: [path],
          hint: "save the input to a file, and give the file")
      }
      do { try writeAll(Array(part[..<count]), to: file) } catch {
        throw Diagnostic("unable to store the input in a temporary file: \(error)", context: [path])
      }
    }
  }
}

/// An open file that a launched program gets as its standard input. The file is closed when this object is released.
package final class OpenedInput {
  package let descriptor: Int32

  /// - Throws: if the file at `path` is a pipe or a folder, or can't be read.
  package init(_ path: String) throws(Diagnostic) {
    descriptor = open(try KeptInput.file(path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Diagnostic(errorText(), context: [path])
    }
  }

  deinit { close(descriptor) }
}
