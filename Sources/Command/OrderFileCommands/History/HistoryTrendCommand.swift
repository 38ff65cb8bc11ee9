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

      The table has a row for each figure that a commit changed, with the short hash and the subject of the commit if git \
      knows it, in the folder of the history or in the current folder. A count that repeats exactly changed if its value \
      did. A figure with noise changed if the ranks of the values before and after a commit differ more than by chance: \
      noise alone shows a change in one of 500 series. Changes that are smaller than a page, or too small to be printed, \
      are left out.

      --max-p and --window search by the method of Apache Otava, with the same meaning and defaults as in Otava, and show \
      changes of every size.

      On terminals, changes for the better are green, and changes for the worse are red. NO_COLOR=1 turns colours off, \
      CLICOLOR_FORCE=1 turns them on, also in files.
      """)

  @Argument(
    help: ArgumentHelp("The history file to search; - reads stdin.", valueName: "history"),
    completion: .file())
  var history: String
  @Option(
    help: ArgumentHelp(
      "Search as Otava does, with this number of values together. (default with --max-p: 50)",
      valueName: "values"), transform: expecting("a number of values, from 2 to 1000"))
  var window: Int?
  @Option(
    name: .customLong("max-p"),
    help: ArgumentHelp(
      "Search as Otava does: show changes whose t-test has a p-value below this. (default with --window: 0.001)",
      valueName: "p"), transform: expecting("a number above 0, at most 1"))
  var maximumP: Double?
  @Option(
    help: ArgumentHelp(
      "Show only changes of at least this size, such as 2%. (default: show all)",
      valueName: "percent"),
    transform: Share.limit)
  var minChange: Share?
  @Flag(help: "Print the result as one JSON object instead of text.")
  var json = false
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func validate() throws {
    if let window, !(2...1000).contains(window) {
      throw ValidationError("invalid --window: expected 2 to 1000 values, found \(window)")
    }
    if let maximumP, !(maximumP > 0 && maximumP <= 1) {
      throw ValidationError("invalid --max-p: expected more than 0, at most 1, found \(maximumP)")
    }
  }

  func run() throws {
    let outputFile = try destination.open(madeOf: [history])
    let file = try HistoryFile(parsing: InputFile.bytes(history), path: history)
    var document = TrendDocument(file, method)
    document.commits = GitCommitName.names(
      of: document.changedCommits, inHistoryAt: history, in: .own)
    if json {
      try outputFile.finish(document.json())
    } else {
      let width = destination.width
      let text = TrendText(document, width: width, isColoured: destination.isColoured).text
      try outputFile.finish(Array(text.utf8))
    }
  }

  private var method: TrendDocument.Method {
    let minimumChange = minChange?.ratio ?? 0
    guard window != nil || maximumP != nil else { return .ranks(minimumChange: minimumChange) }
    var detection = ChangePointDetection(minimumChange: minimumChange)
    detection.window = window ?? detection.window
    detection.maximumP = maximumP ?? detection.maximumP
    return .otava(detection)
  }
}
