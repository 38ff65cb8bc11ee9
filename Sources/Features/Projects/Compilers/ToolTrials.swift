import CommandSupport
import ImageModel
import ProcessLaunch

/// Runs tools to see what they do, in a temporary folder. Their output is not shown.
struct ToolTrials {
  private let folder: TemporaryFolder
  let environment: LaunchEnvironment
  /// The time, in seconds, after which a tool is ended.
  private static let timeout = 20.0

  /// - Throws: if no file can be written to the temporary folder.
  init(in environment: LaunchEnvironment) throws(Diagnostic) {
    self.environment = environment
    folder = try TemporaryFolder(in: environment)
    try write("file\n", to: "file")
  }

  /// Returns the path of the file `name` in the temporary folder.
  func path(_ name: String) -> String { folder.path(name) }

  /// Makes a folder `name` in the temporary folder.
  func makeFolder(_ name: String) throws(Diagnostic) { try Folder.make(path(name)) }

  func write(_ text: String, to name: String) throws(Diagnostic) {
    try OutputFile(path(name)).finish(Array(text.utf8))
  }

  struct Run {
    var succeeded: Bool
    var output: String
    /// The first line of the output that is not empty; `nil` if the output has no such line.
    var firstLine: String? { output.split(separator: "\n").first.map(String.init) }
    /// The first line of the output of `--version`; `nil` if the command failed.
    var version: String? { succeeded ? firstLine : nil }
  }

  /// Runs a command to its end, or to the timeout; returns `nil` if it can't be started.
  func run(_ command: [String]) -> Run? {
    let log = ProgramLog(path("output"))
    var launch = ProgramLaunch(
      command: command, environment: [("LC_ALL", "C")], timeout: Self.timeout)
    guard
      let result = try? log.streams({ streams in
        launch.streams = streams
        return try launch.run()
      })
    else { return nil }
    return Run(succeeded: result.end == .exited(0) && !result.timedOut, output: log.text)
  }

  /// The path of a tool; `nil` if `PATH` has none of that name.
  func tool(_ name: String) -> String? { try? environment.program(named: name) }
}
