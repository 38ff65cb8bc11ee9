import CommandSupport
import ImageModel
import ProcessLaunch
import Rendering

/// A launch that a program is ordered for.
package struct AutoLaunch: Hashable, Sendable {
  /// The command line for `/bin/sh -c`, which runs in the copy of the project.
  package var command: String
  /// The path of the file that is the launch's standard input; `nil` for no input.
  package var input: String?
  /// The time limit in seconds; `nil` for `usualTimeout`.
  package var timeout: Double?
  package var readiness: Readiness?
  /// The script that types into the launch's terminal; `nil` if the launch has no terminal.
  package var script: TerminalScript?

  /// How many times the launch is recorded.
  package var count = 1
  /// Whether a failure of the launch is an error. If not, a launch that fails in its trial is left out.
  package var isRequired = true
  /// Whether the launch is ready before it ends. If not, a launch may also end on its own, with status 0, before the sign
  /// comes.
  package var hasToBecomeReady = false

  package init(_ command: String) { self.command = command }

  /// Makes a launch from a launch that a file of launches describes.
  ///
  /// - Throws: if the input can't be read.
  package init(_ launch: DescribedLaunch) throws(Diagnostic) {
    var words = launch.command.map(shellWord)
    if launch.hasMisplacedProgram { words[0] = "\"$OLDPWD\"/\(words[0])" }
    let variables = launch.environment.map { "\($0.name)=\(shellWord($0.value))" }
    let folder = launch.folder.map { "cd -- \(shellWord($0)) && " } ?? ""
    command = folder + (variables + words).joined(separator: " ")
    input = try launch.input.map { path throws(Diagnostic) in try KeptInput.file(path) }
    timeout = launch.timeout
    readiness = launch.readiness
    script = launch.script
    count = launch.count
    isRequired = launch.isRequired
    hasToBecomeReady = true
  }

  /// The usual time limit, in seconds. Launches that end on their own take less time.
  package static let usualTimeout = 60.0
}
