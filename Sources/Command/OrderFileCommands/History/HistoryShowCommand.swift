import ArgumentParser
import Budget
import CommandSupport

struct HistoryShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print the values of a history, commit by commit.",
    discussion: """
      EXAMPLES
        $ orderfile history show history.jsonl
        $ orderfile history show --last 5 history.jsonl

      There is a table for each series: an image on one architecture with one page size and, for times and faults, on one \
      machine with one kernel. The history itself is the same as JSON, a line for each commit.
      """)

  @Argument(
    help: ArgumentHelp("The history, - for stdin.", valueName: "history"), completion: .file())
  var history: String
  @Option(
    help: ArgumentHelp("Show this many commits of each series.", valueName: "commits"),
    transform: expecting("a number of commits"))
  var last: Int?
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func validate() throws {
    if let last, last < 1 {
      throw ValidationError("invalid --last: expected at least 1 commit, found \(last)")
    }
  }

  func run() throws {
    let outputFile = try destination.open(madeOf: [history])
    let file = try HistoryFile(parsing: InputFile.bytes(history), path: history)
    let width = destination.width
    try outputFile.finish(Array(HistoryText(file, limit: last, width: width).text.utf8))
  }
}
