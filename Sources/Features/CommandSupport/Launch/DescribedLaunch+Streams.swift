import ImageModel
import ProcessLaunch

extension DescribedLaunch {
  /// Makes the launch once, with the input that the file describes. The program's output is discarded.
  ///
  /// - Parameters:
  ///   - verb: what the command does with a launch, for the hint of a failure: `count`.
  ///   - command: the command that makes the launch alone: `orderfile pages -- COMMAND`.
  ///   - launch: launches the program, and returns the result and how the program ended; `nil` if the end does not
  ///     count.
  /// - Throws: if the program did not end with status 0; also an interrupt, and what `launch` throws.
  package func make<Result>(
    toShowOutput command: String, by verb: String,
    _ launch: (ProgramLaunch) throws -> (result: Result, end: ProgramLaunch.End?)
  ) throws -> Result {
    let program = try program()
    let (result, end) = try SilentStreams.use(input: input) { streams in
      var program = program
      program.streams = streams
      return try launch(program)
    }
    if Interruption.hasCome { throw Diagnostic("interrupted") }
    guard let end, end != .exited(0) else { return result }
    throw Diagnostic(
      "the launch failed: \(end)", context: [self.command[0]],
      hint: "to see its output, \(verb) the launch alone: \(command)")
  }
}
