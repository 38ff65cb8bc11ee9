import ArgumentParser
import CommandSupport
import ImageModel
import Projects

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract:
      "Check whether a project or an image can be ordered on this machine, and name the obstacles.",
    discussion: """
      EXAMPLES
        $ orderfile doctor
        $ orderfile doctor --json build/app

      doctor tries the compilers and linkers of PATH, ptrace and other permissions. It reads the settings of this \
      machine that decide how page faults are counted. In a project's folder, it also finds out how the project is \
      built. For an image, it checks how the image was built; for a link map, it checks whether functions have \
      sections of their own.

      Each line begins with ok, warning or error. The line below a warning or an error says how to mend it. On \
      terminals, these words are green, yellow and red. NO_COLOR=1 turns colours off; CLICOLOR_FORCE=1 turns them \
      on, also in files.

      The exit status is 2 if 'orderfile auto' can't succeed. Other errors do not change the exit status.
      """)

  @Flag(help: "Print the result as one JSON object instead of text.")
  var json = false
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages
  @Argument(
    help: ArgumentHelp(
      "The project's folder, linked image or link map to check. (default: the current folder, if it has a build system)",
      valueName: "path"), completion: .file())
  var path: String?

  func run() throws {
    let outputFile = try destination.open(madeOf: [path].compactMap { $0 })
    let doctor = Doctor(
      path, architecture: arch?.architecture, command: try Folder.ownCommand(),
      in: .own)
    let (document, warnings) = try doctor.examine()
    if json {
      try outputFile.finish(document.json())
    } else {
      let text = DoctorText(document, isColoured: destination.isColoured).text
      try outputFile.finish(Array(text.utf8))
    }
    messages.print(warnings)
    if let problem = document.problem { throw problem }
  }
}
