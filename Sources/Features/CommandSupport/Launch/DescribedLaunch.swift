import ImageModel
import ProcessLaunch

/// A launch that a file of launches describes.
package struct DescribedLaunch: Hashable, Sendable {
  /// The name of the launch: unique in its file, and a part of the names of files.
  package var name: String
  /// The program and its arguments.
  package var command: [String]
  /// Variables to set in the program's environment, each once, in the order of the file.
  package var environment: [Variable] = []
  /// The path of the working directory; `nil` for the current folder of this process.
  package var folder: String?
  /// The path of the file that is the standard input; `nil` for an empty input.
  package var input: String?
  /// The path of the script that types into the program's terminal, and the script; `nil` if there is no terminal.
  package var script: TerminalScript?
  /// How many times the launch is recorded.
  package var count = 1
  /// Whether a failure of the launch is an error.
  package var isRequired = true
  /// The time limit in seconds; `nil` for the usual limit, `limit`.
  package var timeout: Double?
  /// The sign at which the launch is over; `nil` if the program ends on its own.
  package var readiness: Readiness?
  /// Whether another machine makes the launch: then the paths of the program and the folder are paths there.
  package var isRemote = false
  /// The path of the file of launches, and the line of the launch from 1, for messages.
  package var path: String
  package var line: Int

  package struct Variable: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package init(name: String, command: [String], path: String = "", line: Int = 1) {
    self.name = name
    self.command = command
    self.path = path
    self.line = line
  }

  /// The time limit of a launch: `timeout`, or 60 s if the launch awaits a sign.
  package var limit: Double? { timeout ?? (readiness == nil || readiness == .script ? nil : 60) }

  /// The place of the launch, for messages.
  package var place: [String] { [path, "line \(line)", "launch '\(name)'"] }

  /// The paths of the files that the launch reads.
  package var inputs: [String] { [input, script?.path].compactMap { $0 } }

  /// Whether the path of the program is relative, and the launch changes the folder. Paths in a file of launches count
  /// from the current folder of this process, but the kernel would count the path from the folder of the launch.
  package var hasMisplacedProgram: Bool {
    folder != nil && command[0].contains("/") && !command[0].hasPrefix("/")
  }

  /// Returns the words of the launch, with a path of the program that is right in the folder of the launch.
  ///
  /// - Parameter current: the path of the current folder of this process.
  package func words(in current: String) -> [String] {
    hasMisplacedProgram ? ["\(current)/\(command[0])"] + command.dropFirst() : command
  }

  /// Returns the launch of the program. The caller sets its streams.
  ///
  /// - Throws: if the folder does not exist.
  package func program() throws(Diagnostic) -> ProgramLaunch {
    var launch = LaunchConditions(of: self).launch(of: try words())
    launch.title = command[0]
    return launch
  }

  /// Returns the words of the launch, as `words(in:)`.
  ///
  /// - Throws: if the folder of the launch does not exist.
  package func words() throws(Diagnostic) -> [String] {
    guard let folder, !isRemote else { return command }
    guard Folder.isFolder(folder) else {
      throw Diagnostic(
        "expected a folder, found \(Folder.exists(folder) ? "a file" : "nothing")",
        context: place + ["folder", folder])
    }
    return words(in: try Folder.current())
  }
}
