import ArgumentParser
import Budget
import ChangePoints
import CommandSupport
import ImageModel

struct HistoryTrendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trend",
    abstract: "Find the commits at which figures changed.",
    discussion: """
      EXAMPLES
        $ orderfile history trend history.jsonl
        $ orderfile history trend --min-change 2% --json history.jsonl | jq '.series[].metrics[].changes'

      A commit is named if the values before and after it differ more than by chance: by the E-divisive method with a \
      t-test, as in Apache Otava. Counts that repeat exactly need one value behind a change, times that vary by 5% ten \
      or more. On terminals, changes for the better are green, those for the worse red. NO_COLOR=1 turns colours off, \
      CLICOLOR_FORCE=1 turns them on, also in files.
      """)

  @Argument(
    help: ArgumentHelp("The history, - for stdin.", valueName: "history"), completion: .file())
  var history: String
  @Option(
    help: ArgumentHelp(
      "The number of values that are searched together. (default: 50)", valueName: "values"),
    transform: expecting("a number of values, from 2 to 1000"))
  var window = 50
  @Option(
    name: .customLong("max-p"),
    help: ArgumentHelp(
      "Show changes whose t-test has a p-value below this. (default: 0.001)", valueName: "p"),
    transform: expecting("a number above 0, at most 1"))
  var maximumP = 0.001
  @Option(
    help: ArgumentHelp("Show no change smaller than this.", valueName: "percent"),
    transform: Share.limit)
  var minChange: Share?
  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func validate() throws {
    if !(2...1000).contains(window) {
      throw ValidationError("invalid --window: expected 2 to 1000 values, found \(window)")
    }
    if !(maximumP > 0 && maximumP <= 1) {
      throw ValidationError("invalid --max-p: expected more than 0, at most 1, found \(maximumP)")
    }
  }

  func run() throws {
    let outputFile = try destination.open(madeOf: [history])
    let file = try HistoryFile(parsing: InputFile.bytes(history), path: history)
    let document = TrendDocument(
      file,
      ChangePointDetection(
        window: window, maximumP: maximumP, minimumChange: minChange?.ratio ?? 0))
    if json {
      try outputFile.finish(document.json())
    } else {
      let width = destination.width
      let text = TrendText(document, width: width, isColoured: destination.isColoured).text
      try outputFile.finish(Array(text.utf8))
    }
  }
}
