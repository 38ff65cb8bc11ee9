import ArgumentParser
import CommandSupport
import Rendering

struct CargoRunCommand: ParsableCommand, LaunchingCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Build the program or library, launch it, and record the launch.",
    discussion: """
      EXAMPLES
        $ cargo orderfile run -- --help
        $ cargo orderfile run --package plugin --lib -- ./host --load plugin

      Arguments after '--' are passed to the program. For a cdylib, the words after '--' name a program that loads \
      the library, and its arguments. A recorded launch is kept until you call 'clean', or until 'run' launches \
      another build. The exit status is the program's.
      """)
  @OptionGroup var options: CargoOptions
  var programArguments: [String] { options.words.program }

  func validate() throws { try options.check(for: self, takesProgram: true) }

  func run() throws {
    let ordering = try options.ordering
    let launched = try ordering.run(command: try Folder.ownCommand())
    let recorded = launched.recorded
    let messages = options.messages
    if launched.removed > 0 {
      messages.print(
        note:
          "the program has changed: removed \(counted(launched.removed, "trace")) of another build")
    }
    if let reason = launched.methodReason {
      messages.print(note: "recorded by \(launched.method.wording) (\(reason))")
    }
    if !recorded.traces.isEmpty {
      let hits = recorded.traces.reduce(0) { $0 + $1.hits.count }
      messages.print(
        note:
          "recorded \(counted(hits, "first hit")): \(recorded.paths[0]); next: \(options.words.command("optimize"))"
      )
    }
    messages.print(ordering.warnings + recorded.warnings)
    if let failure = recorded.failure { throw failure }
    if let end = recorded.end, end != .exited(0) { throw ExitCode(end.exitStatus) }
  }
}
