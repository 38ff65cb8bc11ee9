import ArgumentParser
import CommandSupport
import ImageModel
import Projects

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check what keeps a project or an image from being ordered here.",
    discussion: """
      EXAMPLES
        $ orderfile doctor
        $ orderfile doctor --json build/app

      It tries the compilers and linkers of PATH, ptrace and other permissions, reads the settings of this machine that \
      decide how faults are counted and, in a project's folder, how the project is built. Of an image it checks how that \
      was built; of a link map, whether functions have sections of their own. A line is ok, warning or error, on \
      terminals in green, yellow or red; the next line says how to mend it. NO_COLOR=1 turns colours off, \
      CLICOLOR_FORCE=1 turns them on, also in files.

      The exit status is 2 if 'orderfile auto' can't succeed, whatever else was found.
      """)

  @Flag(help: "Print one JSON object.")
  var json = false
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages
  @Argument(
    help: ArgumentHelp(
      "A project's folder, a linked image or a link map. (default: the current folder, if it has a build system)",
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
