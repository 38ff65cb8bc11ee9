import ArgumentParser
import Projects

struct CargoCleanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clean",
    abstract: "Remove all recorded launches and order files of the workspace.",
    discussion: """
      EXAMPLES
        $ cargo orderfile clean
        $ cargo orderfile clean --target-dir /tmp/target

      'clean' does not remove programs and libraries.
      """)
  @OptionGroup var options: CargoOptions

  func validate() throws { try options.check(for: self) }

  func run() throws {
    let removed = try CargoWorkspace.clean(options.words, in: .own)
    options.messages.print(
      note: removed.isEmpty ? "nothing to remove" : "removed \(removed.joined(separator: ", "))")
  }
}
