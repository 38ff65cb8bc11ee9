import ImageModel
import LibC
import ProcessLaunch

/// A file for program output that the user does not see.
package struct ProgramLog {
  package let path: String

  package init(_ path: String) { self.path = path }

  /// Passes streams for a program to `body`. Stdout and stderr go to a new file. Stdin is the file at `input`, or empty
  /// if `input` is `nil`.
  package func streams<Result>(
    input: String? = nil, _ body: (ProgramLaunch.Streams) throws -> Result
  ) throws -> Result {
    let log = try newFile()
    let nothing = open(input ?? "/dev/null", O_RDONLY | O_CLOEXEC)
    defer {
      close(log)
      if nothing >= 0 { close(nothing) }
    }
    guard nothing >= 0 else {
      throw Diagnostic.unable(to: "read", input ?? "/dev/null")
    }
    return try body(ProgramLaunch.Streams(input: nothing, output: log, errors: log))
  }

  /// Passes streams for a program to `body`. Stdout goes to a new file. The program shares the other streams with this
  /// process.
  package func outputStream<Result>(_ body: (ProgramLaunch.Streams) throws -> Result) throws
    -> Result
  {
    let log = try newFile()
    defer { close(log) }
    return try body(ProgramLaunch.Streams(output: log))
  }

  /// Opens the file for writing, without its old contents.
  private func newFile() throws(Diagnostic) -> Int32 {
    let log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard log >= 0 else {
      throw .unable(to: "write", path)
    }
    return log
  }

  /// The contents of the file; only the end of a large file.
  package var text: String {
    (try? InputFile.bytes(path)).map { $0.text(max(0, $0.count - (4 << 20))..<$0.count) } ?? ""
  }

  /// The last line that is not blank; empty if there is none. Reads only the end of the file, which may still be
  /// written.
  package var lastLine: String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let start = max(0, lseek(file, 0, SEEK_END) - off_t(bytes.count))
    let count = pread(file, &bytes, bytes.count, start)
    let lines = bytes.prefix(max(0, count)).split {
      $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
    }
    let line = lines.last { !$0.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }
    return String(decoding: line ?? [], as: UTF8.self)
  }

  /// Returns the last lines of the file, each preceded by a line feed; empty if the file is empty.
  package func lastLines(most: Int = 10) -> String {
    let lines = text.split(separator: "\n").suffix(most)
    return lines.map { "\n  \($0)" }.joined()
  }
}
