import ImageModel
import LaunchMeasurement
import ProcessLaunch

/// What a launch gets in addition to its command, and how to end a launch that does not end on its own.
package struct LaunchConditions: Sendable {
  /// The environment variables of the program; they replace variables of this process that have the same names.
  package var variables: [(name: String, value: String)] = []
  /// The working directory of the program; `nil` for the folder of this process. With a working directory, the path of
  /// the program has to be absolute.
  package var folder: String?
  /// The path of the file or pipe that is the standard input; `nil` for an empty input.
  package var inputPath: String?
  /// The number of seconds after which the launch fails; `nil` for no limit.
  package var timeout: Double?
  /// The sign at which the launch is over; `nil` if the program ends on its own.
  package var readiness: Readiness?
  /// The script that types into the program's terminal; `nil` if the program has no terminal.
  package var script: TerminalScript?

  package init() {}

  package init(of launch: DescribedLaunch) {
    variables = launch.environment.map { ($0.name, $0.value) }
    folder = launch.folder
    inputPath = launch.input
    timeout = launch.limit
    readiness = launch.readiness
    script = launch.script
  }

  /// Opens the standard input for several launches.
  ///
  /// - Throws: as the initializer of `KeptInput`.
  package func keptInput(in environment: LaunchEnvironment) throws(Diagnostic) -> KeptInput {
    try KeptInput(inputPath, timeout: timeout, in: environment)
  }

  /// Returns a launch of `command`. The caller sets its streams.
  package func launch(of command: [String]) -> ProgramLaunch {
    var launch = ProgramLaunch(command: command, environment: variables, timeout: timeout)
    launch.folder = folder
    launch.script = script
    launch.readiness = readiness
    return launch
  }

  /// Returns the program at `path` for launches that are measured.
  ///
  /// - Parameters:
  ///   - arguments: the program's name and its arguments.
  ///   - input: the kept input of `inputPath`.
  package func program(
    _ path: String, arguments: [String], input: KeptInput, showsOutput: Bool
  ) -> MeasuredProgram {
    var program = MeasuredProgram(
      path: path, arguments: arguments, inputPath: input.path, showsOutput: showsOutput,
      timeout: timeout, readiness: readiness)
    program.script = script
    program.variables = variables.map { "\($0.name)=\($0.value)" }
    program.folder = folder
    return program
  }
}
