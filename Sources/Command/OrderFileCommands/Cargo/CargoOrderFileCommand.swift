import ArgumentParser
import CommandSupport
import ImageModel
import LibC
import Projects

/// `cargo orderfile`: this command under the name `cargo-orderfile`, by which cargo finds it.
/// <https://doc.rust-lang.org/cargo/reference/external-tools.html#custom-subcommands>
struct CargoOrderFileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cargo orderfile",
    abstract: "Order the functions of a Rust program by first use.",
    discussion: """
      EXAMPLES
        $ cargo orderfile run -- --help
        $ cargo orderfile optimize

      'run' builds the program in release mode, launches it, and records the launch. Call 'run' several times to \
      record several launches. 'optimize' builds again, in the order of the launches, and predicts the pages that \
      this saves. Options before '--' are those of 'cargo rustc', such as --bin, --package, --profile and \
      --features. Only the crate that is linked is compiled again. This command needs Linux.
      """,
    subcommands: [
      CargoInfoCommand.self, CargoBuildCommand.self, CargoRunCommand.self,
      CargoOptimizeCommand.self, CargoCleanCommand.self,
    ])

  /// Returns the words of this process after the words by which cargo calls it; `nil` if this process has another name.
  static func words(of commandLine: [String]) -> [String]? {
    guard let name = commandLine.first?.split(separator: "/").last, name == "cargo-orderfile" else {
      return nil
    }
    return Array(commandLine.dropFirst(commandLine.dropFirst().first == "orderfile" ? 2 : 1))
  }
}

/// The words after a verb.
struct CargoOptions: ParsableArguments {
  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("Options of 'cargo rustc', such as --bin NAME.", valueName: "options"))
  var captured: [String] = []

  var words: CargoWords { CargoWords(captured) }

  /// `--quiet` may also be an option of cargo.
  var messages: Messages {
    var messages = Messages()
    messages.quiet = words.options.contains { ["-q", "--quiet"].contains($0) }
    return messages
  }

  /// - Parameter takesProgram: whether words after `--` have a meaning.
  func check(for command: some ParsableCommand, takesProgram: Bool = false) throws {
    if words.options.contains(where: { ["-h", "--help"].contains($0) }) {
      throw CleanExit.helpRequest(command)
    }
    if !takesProgram, !words.program.isEmpty {
      throw ValidationError(
        "unexpected arguments after '--': flags for rustc belong in [target.TRIPLE] rustflags of .cargo/config.toml"
      )
    }
  }

  private var flagVariables: [String] { CargoFlags.variables.filter { getenv($0) != nil } }

  var ordering: CargoOrdering {
    get throws {
      let strip = getenv(CargoStripping.variable(for: words.profile)).map { String(cString: $0) }
      return try CargoOrdering(
        words, flagVariables: flagVariables, stripVariable: strip, in: .own)
    }
  }

  /// Warnings about flags for all crates.
  var flagWarnings: [Diagnostic] {
    get throws {
      CargoFlags.warnings(variables: flagVariables, in: try Folder.absolutePath("."))
    }
  }
}
