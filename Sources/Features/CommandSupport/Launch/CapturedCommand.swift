import ImageModel
import ProcessLaunch

/// Runs a command, and captures its standard output. The command's messages for people go to this process's standard
/// error or, with `isSilent`, between the lines of the output.
package struct CapturedCommand {
  private let environment: LaunchEnvironment
  private let isSilent: Bool

  package init(_ environment: LaunchEnvironment, isSilent: Bool = false) {
    self.environment = environment
    self.isSilent = isSilent
  }

  /// Returns the standard output of the command.
  ///
  /// - Parameter variables: additional environment variables for the command.
  /// - Throws: an error if the command fails. The command itself has printed the reason.
  package func output(
    of command: [String], variables: [(name: String, value: String)] = []
  ) throws -> [UInt8] {
    let folder = try TemporaryFolder(in: environment)
    let path = folder.path("output")
    func launch(_ streams: ProgramLaunch.Streams) throws -> ProgramLaunch.Result {
      var launch = ProgramLaunch(command: command, environment: variables)
      launch.streams = streams
      do { return try launch.run() } catch {
        throw Diagnostic("unable to run: \(error)", context: [command[0]])
      }
    }
    let log = ProgramLog(path)
    let result = try isSilent ? log.streams(launch) : log.outputStream(launch)
    guard result.end == .exited(0) else {
      throw Diagnostic(
        "the command failed (\(result.end))", context: [command.prefix(2).joined(separator: " ")])
    }
    let bytes = try InputFile.bytes(path)
    return bytes.copy(0..<bytes.count)
  }
}
