import ImageModel
import LibC
import ProcessLaunch

/// Standard streams that discard all output. The input is empty, or a file.
package enum SilentStreams {
  /// Passes the streams to `body`.
  ///
  /// - Parameter input: the path of the file that is the input, read from its start; `nil` for an empty input.
  package static func use<Result>(
    input: String? = nil, _ body: (ProgramLaunch.Streams) throws -> Result
  ) throws -> Result {
    let nothing = SystemFile.openNull()
    guard nothing >= 0 else {
      throw Diagnostic.unable(to: "open it", "/dev/null")
    }
    defer { close(nothing) }
    var streams = ProgramLaunch.Streams(input: nothing, output: nothing, errors: nothing)
    guard let input else { return try body(streams) }
    let file = open(input, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Diagnostic.unable(to: "open it", input) }
    defer { close(file) }
    streams.input = file
    return try body(streams)
  }
}
