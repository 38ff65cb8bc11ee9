import ImageModel
import LibC
import ProcessLaunch

/// Empty standard streams that discard all output.
package enum SilentStreams {
  /// Passes the streams to `body`.
  package static func use<Result>(_ body: (ProgramLaunch.Streams) throws -> Result) throws -> Result
  {
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard nothing >= 0 else {
      throw Diagnostic.unable(to: "open it", "/dev/null")
    }
    defer { close(nothing) }
    return try body(ProgramLaunch.Streams(input: nothing, output: nothing, errors: nothing))
  }
}
