import ImageModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Redirects this process's standard streams while programs run whose output goes to a file.
enum StandardStreams {
  /// Runs `body` with stdout and stderr written to a new file at `path`, and with an empty stdin.
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

  /// The last lines of the file at `path`, each preceded by a line feed; empty if the file is.
  static func lastLines(of path: String, most: Int = 10) -> String {
    let text = (try? InputFile.bytes(path)).map { $0.text(0..<$0.count) } ?? ""
    let lines = text.split(separator: "\n").suffix(most)
    return lines.map { "\n  \($0)" }.joined()
  }
}
