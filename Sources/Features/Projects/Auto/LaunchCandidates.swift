import ImageModel
import Rendering

/// The programs of a project, and errors for launches that run none of them.
struct LaunchCandidates {
  /// The paths of the programs, relative to the project's folder.
  private let programs: [String]
  private let libraryCount: Int

  /// - Parameter tree: the path of the folder with the project.
  init(_ images: [ProjectImage], in tree: String) {
    programs = images.filter { !$0.isLibrary }.map { String($0.path.dropFirst(tree.count + 1)) }
    libraryCount = images.count - programs.count
  }

  var missingLaunch: Diagnostic {
    Diagnostic(
      "missing a launch: the build made \(list)", context: ["--launch"],
      hint: "give a command as you would type it in the project's folder: \(example)",
      severity: .usage)
  }

  var unusedImages: Diagnostic {
    Diagnostic(
      "the launches ran no image of the project: the build made \(list)", context: ["--launch"],
      hint: "name one of these programs: \(example)", severity: .usage)
  }

  /// Returns the hint for a launch in which the shell does not find a program.
  ///
  /// - Parameter logs: the path of the folder with the output of the build.
  func hintForMissingProgram(_ logs: String) -> String {
    "the build made \(list): name one of these, such as \(example). If the build has left out the program, install what the build did not find (its output: \(logs)), and run this command again"
  }

  private var list: String {
    programs.isEmpty
      ? "no program, only \(counted(libraryCount, "shared library", "shared libraries"))"
      : programs.prefix(20).joined(separator: ", ") + (programs.count > 20 ? ", ..." : "")
  }

  private var example: String {
    "--launch '\(programs.first.map(shellWord) ?? "PROGRAM") --help'"
  }
}
