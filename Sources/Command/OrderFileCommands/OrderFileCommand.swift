import ArgumentParser
import Budget
import CTraceFormat
import ImageModel
import LibC
import ProcessLaunch
import Rendering
import Reports

/// The command `orderfile` with its subcommands.
package struct OrderFileCommand: ParsableCommand {
  /// The commit of the build, which the executable sets before anything is parsed. It changes more often than the code
  /// of this target.
  nonisolated(unsafe) private static var commit = ""

  package static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "orderfile",
      abstract:
        "Order a program's functions by first use, so that it starts with fewer page faults.",
      discussion: """
        EXAMPLES
          Build a copy of the project in this folder, order its images, and count the pages before and after:

            $ orderfile auto --launch 'src/app --help'

          By hand: record a launch of the release build, write an order file, relink with it, and predict what \
        it saves:

            $ orderfile record --breakpoints -o app.oftrace -- build/app --help
            $ orderfile gen app.oftrace -o app.order
            $ clang … -fuse-ld=lld -Wl,--symbol-ordering-file=app.order -o build/app
            $ orderfile diff app-before build/app --trace app.oftrace --order app.order

        OUTPUT
          Results go to stdout, or to the file given by -o. Then notes, warnings and errors go to stderr. A note says \
        what was done, a warning says what may be wrong with the result, and an error says why there is no result. \
        --quiet leaves out notes and warnings.

        EXIT STATUS
          0   success
          1   failure
          2   a requested check failed: a limit of 'check' or of --limit is
              exceeded, or 'doctor' finds that 'auto' can't succeed
          3   the inputs do not belong together, such as a trace of another program
          4   nothing was recorded
          5   check --strict: the launches vary too much to decide
          64  wrong usage; also if 'auto' can't tell what to build or launch
          'record' and 'pages' exit with the program's status, or 128 + N after signal N.
        """,
      version: """
        orderfile \(toolVersion)\(commit.isEmpty ? "" : " (\(commit))")
        trace format \(ORDERFILE_TRACE_VERSION)
        \((documents + historyDocuments + budgetDocuments).map { $0.schema }.joined(separator: ", "))
        """,
      groupedSubcommands: [
        CommandGroup(
          name: "Start",
          subcommands: [
            AutoCommand.self, DoctorCommand.self, InitCommand.self, ReportCommand.self,
          ]),
        CommandGroup(
          name: "Order",
          subcommands: [
            RecordCommand.self, ImportCommand.self, MergeCommand.self, GenCommand.self,
            RefineCommand.self, VerifyCommand.self,
          ]),
        CommandGroup(
          name: "Look at a launch",
          subcommands: [
            PagesCommand.self, FaultsCommand.self, StagesCommand.self, MeasureCommand.self,
            AuditCommand.self, AdviseCommand.self,
          ]),
        CommandGroup(
          name: "Guard",
          subcommands: [DiffCommand.self, CheckCommand.self, HistoryCommand.self]),
        CommandGroup(name: "Files", subcommands: [ShowCommand.self, ExportCommand.self]),
        // These commands are hidden and have no completions: in POSIX mode, bash forbids "+" in the names of functions.
        CommandGroup(
          name: "For build systems", subcommands: [CCompilerCommand.self, CxxCompilerCommand.self]),
      ])
  }

  package init() {}

  /// Parses this process's arguments, runs the command and ends the process with its exit status.
  package static func runAndExit(commit: String) -> Never {
    Self.commit = commit
    var root: any ParsableCommand.Type = Self.self
    ProgramLaunch.guardStandardStreams()
    do {
      try CompilerCommand.runIfAsked(ProgramLaunch.ownWords)
      let words = CommandLine.arguments
      var command: any ParsableCommand
      if CargoOrderFileCommand.words(of: words) != nil {
        root = CargoOrderFileCommand.self
        command = try parse(cargoCommandLine: words)
      } else {
        command = try parse(commandLine: words)
      }
      Diagnostic.hasOption = { [command] in optionNames(of: command).contains($0) }
      try checkText(of: command)
      try command.run()
      endProcess(0)
    } catch let diagnostic as Diagnostic {
      Console.printError(diagnostic)
      endProcess(diagnostic.severity.rawValue)
    } catch let unknown as UnknownCommand {
      Console.printUsageError(unknown.text(in: root))
      endProcess(Diagnostic.Severity.usage.rawValue)
    } catch {
      root.exit(withError: error)
    }
  }
}

/// A command that passes the last words of its command line on to a program, byte by byte.
protocol LaunchingCommand {
  var programArguments: [String] { get }
}

extension OrderFileCommand {
  /// Returns the options in the help of `command`; none for `auto`. The steps of `auto` and of `cargo orderfile` run
  /// other command lines, so an option of these two commands does not help against an error of a step.
  package static func optionNames(of command: any ParsableCommand) -> Set<String> {
    if command is AutoCommand { return [] }
    let help = type(of: command).helpMessage()
    return Set(
      help.split { !($0.isASCII && ($0.isLetter || $0 == "-")) }.filter { $0.hasPrefix("--") }
        .map(String.init))
  }

  /// - Throws: if a word of this command itself is not UTF-8. As text it would name another file.
  private static func checkText(of command: any ParsableCommand) throws(Diagnostic) {
    let words = CommandLine.arguments
    let passedOn = (command as? any LaunchingCommand)?.programArguments.count ?? 0
    guard let index = ProgramLaunch.repairedArguments.first,
      index < words.count - passedOn
    else { return }
    throw Diagnostic(
      "unable to use this argument: expected UTF-8", context: [words[index]],
      hint: "use a symbolic link with another name")
  }

  /// Returns the verb of `cargo orderfile` that `words` ask for. The first word is the name by which cargo calls this
  /// command.
  package static func parse(cargoCommandLine words: [String]) throws -> any ParsableCommand {
    try CargoOrderFileCommand.parse(words: CargoOrderFileCommand.words(of: words) ?? [])
  }

  /// Returns the subcommand that `words` ask for. The first word is the name of this command.
  ///
  /// - Throws: a `Diagnostic` if there are no words at all (on Linux, Swift reads them from /proc, which may be
  ///   missing); `UnknownCommand`; and the errors of `parseAsRoot`.
  package static func parse(commandLine words: [String]) throws -> any ParsableCommand {
    guard !words.isEmpty else {
      throw Diagnostic(
        "unable to read the arguments of this command", context: ["/proc/self/cmdline"],
        hint: "mount /proc")
    }
    return try parse(words: Array(words.dropFirst()))
  }
}

extension ParsableCommand {
  /// Returns the subcommand that `words` ask for; the first words name it.
  ///
  /// - Throws: `UnknownCommand`, also for `help` with an unknown command: `parseAsRoot` would print the help of this command.
  static func parse(words: [String]) throws -> any ParsableCommand {
    var command: any ParsableCommand.Type = Self.self
    if words.first == "help" {
      for word in words.dropFirst() where !word.hasPrefix("-") {
        command = try CommandName.subcommand(word, of: command)
      }
    } else {
      for word in words {
        guard !word.hasPrefix("-"), !command.configuration.subcommands.isEmpty else { break }
        command = try CommandName.subcommand(
          word, of: command, or: command == Self.self ? ["help"] : [])
      }
    }
    return try parseAsRoot(words)
  }
}

/// Ends the process. This function is outside the command, which has an `exit` of its own.
private func endProcess(_ status: Int32) -> Never { exit(status) }
