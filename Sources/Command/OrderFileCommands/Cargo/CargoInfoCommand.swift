import ArgumentParser
import CommandSupport
import Projects

struct CargoInfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Check whether this machine can order the project, and name the obstacles.",
    discussion: """
      EXAMPLES
        $ cargo orderfile info
        $ cargo orderfile info --manifest-path app/Cargo.toml

      'info' prints what 'orderfile doctor' finds for the workspace. 'info' warns if RUSTFLAGS or the table [build] of .cargo/config.toml has flags: they apply to all crates.
      """)
  @OptionGroup var options: CargoOptions

  func validate() throws { try options.check(for: self) }

  func run() throws {
    let doctor = Doctor(
      try CargoWorkspace.path(options.words, in: .own),
      command: try Folder.ownCommand(), in: .own)
    let (document, warnings) = try doctor.examine()
    try Console.print(DoctorText(document, isColoured: Console.outputIsColoured).text)
    options.messages.print(warnings + (try options.flagWarnings))
    if let problem = document.problem { throw problem }
  }
}
