import ImageModel
import LaunchMeasurement
import ProcessLaunch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An image that a command links again and again, each time in another order.
///
/// The image of the best order is kept beside the one that is tried, and put back in the end.
final class RelinkedImage {
  let path: String
  private let command: String
  private let folder: TemporaryFolder
  private let kept: String

  /// - Parameters:
  ///   - command: for `sh -c`; it reads the order file that `ORDERFILE_ORDER` names.
  /// - Throws: if there is no file at `path`.
  init(path: String, command: String, in folder: TemporaryFolder) throws(Diagnostic) {
    self.path = try Folder.absolutePath(path)
    self.command = command
    self.folder = folder
    kept = self.path + ".orderfile-kept"
  }

  /// Links the image with the order file `bytes`. What was there is removed first: build systems don't link
  /// again when only the order has changed.
  ///
  /// - Throws: with the last lines that the command printed, if it fails or leaves no image.
  func link(_ bytes: [UInt8]) throws(Diagnostic) {
    let order = folder.path("image.order")
    try OutputFile(order).finish(bytes)
    guard access(kept, F_OK) == 0 ? unlink(path) == 0 || errno == ENOENT : rename(path, kept) == 0
    else {
      throw Diagnostic(
        "unable to move it aside: \(String(cString: strerror(errno)))", context: [path])
    }
    let log = folder.path("relink.log")
    let launch = ProgramLaunch(
      command: ["/bin/sh", "-c", command], environment: [(name: "ORDERFILE_ORDER", value: order)])
    let end: ProgramLaunch.End
    do {
      end = try StandardStreams.redirected(to: log) { try launch.run().end }
    } catch let error as Diagnostic { throw error } catch {
      throw Diagnostic("unable to run: \(error)", context: ["--relink"])
    }
    guard end == .exited(0) else {
      throw Diagnostic(
        "the command failed: \(end)\(StandardStreams.lastLines(of: log))", context: ["--relink"])
    }
    guard access(path, F_OK) == 0 else {
      throw Diagnostic(
        "the command made no image: expected \(path)\(StandardStreams.lastLines(of: log))",
        context: ["--relink"])
    }
  }

  /// What is there now is the best so far.
  func keep() { unlink(kept) }

  /// Puts the best back, if another one was tried since.
  func restore() { if access(kept, F_OK) == 0 { rename(kept, path) } }
}

/// A folder that is removed with what is in it.
final class TemporaryFolder {
  private let folder: String

  init() throws(Diagnostic) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/orderfile.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Diagnostic(
        "unable to make a folder: \(String(cString: strerror(errno)))", context: [parent])
    }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  deinit {
    for name in Folder.names(in: folder) { unlink(path(name)) }
    rmdir(folder)
  }
}

/// This process's standard streams while programs run that print into a file.
enum StandardStreams {
  /// Runs `body` with stdout and stderr written to a new file at `path`, and nothing to read from stdin.
  static func redirected<Result>(
    to path: String, _ body: () throws -> Result
  ) throws -> Result {
    let log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard log >= 0, nothing >= 0 else {
      throw Diagnostic("unable to write: \(String(cString: strerror(errno)))", context: [path])
    }
    let saved = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].map {
      ($0, fcntl($0, F_DUPFD_CLOEXEC, 3))
    }
    defer {
      for (stream, copy) in saved where copy >= 0 {
        dup2(copy, stream)
        close(copy)
      }
    }
    dup2(nothing, STDIN_FILENO)
    for stream in [STDOUT_FILENO, STDERR_FILENO] { dup2(log, stream) }
    close(log)
    close(nothing)
    return try body()
  }

  /// The last lines of the file at `path`, each on a line of its own behind a line feed; empty if it is.
  static func lastLines(of path: String, most: Int = 10) -> String {
    let text = (try? InputFile.bytes(path)).map { $0.text(0..<$0.count) } ?? ""
    let lines = text.split(separator: "\n").suffix(most)
    return lines.map { "\n  \($0)" }.joined()
  }
}
