import ArgumentParser

struct CargoBuildCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build",
    abstract: "Build the program or library, with its functions in the default order.",
    discussion: """
      EXAMPLES
        $ cargo orderfile build
        $ cargo orderfile build --package app --bin app --profile dist

      'build' prints the path of the program or library. You need not call 'build' before 'run', which also builds.
      """)
  @OptionGroup var options: CargoOptions

  func validate() throws { try options.check(for: self) }

  func run() throws {
    let ordering = try options.ordering
    let image = try ordering.build()
    try Console.print(image.path + "\n")
    options.messages.print(note: "next: \(options.words.command("run")) -- ARGUMENTS")
    options.messages.print(ordering.warnings)
  }
}
