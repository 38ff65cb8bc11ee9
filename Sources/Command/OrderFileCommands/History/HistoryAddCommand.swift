import ArgumentParser
import Budget
import ImageModel
import Rendering
import Reports

struct HistoryAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Append the figures of documents to a history.",
    discussion: """
      EXAMPLES
        $ orderfile history add history.jsonl pages.json measure.json
        $ orderfile history add history.jsonl gen.json --commit 1f3a9c2 --time 2026-11-23T16:40:00Z

      A document is what audit, auto, diff, gen, measure, pages or verify write with --json. Of two layouts or programs the one after \
      counts. There is one line for each image, page size and, for measure, state of the page cache. A second line about \
      the same is refused. Either all lines are appended or none.

      Without --commit and --time, git is asked for them in the current folder.
      """)

  @Argument(
    help: ArgumentHelp("The history; it is created if it does not exist.", valueName: "history"),
    completion: .file())
  var history: String
  @Argument(
    help: ArgumentHelp("The documents, - for stdin.", valueName: "document"), completion: .file())
  var documents: [String]
  @Option(
    help: ArgumentHelp(
      "The commit that was built: a revision as git takes it or, with --time, any name. (default: HEAD)",
      valueName: "name"))
  var commit: String?
  @Option(
    help: ArgumentHelp(
      "When the commit was made: a time as 'git show --format=%cI' prints it, or seconds since 1970. (default: git's time of the commit)",
      valueName: "time"),
    transform: expecting("a time such as 2026-11-23T16:40:00Z, or seconds since 1970"))
  var time: HistoryTime?
  @Option(
    help: ArgumentHelp(
      "A name for the launch, if several launches of an image are added.", valueName: "name"))
  var launchName: String?
  @Option(
    help: ArgumentHelp(
      "The architecture of the images, if neither the documents nor the images tell it.",
      valueName: "name"))
  var arch: ArchitectureOption?
  @OptionGroup var messages: Messages

  func validate() throws {
    if let commit, !HistoryEntry.isCommit(commit) {
      throw ValidationError("invalid --commit: expected a name without blanks, found '\(commit)'")
    }
    if launchName == "" {
      throw ValidationError("invalid --launch-name: expected a name, found ''")
    }
  }

  func run() throws {
    var addition = HistoryAddition(history: history, documents: documents)
    addition.commit = commit
    addition.time = time
    addition.launch = launchName
    addition.architecture = arch?.architecture
    let entries = try addition.run(in: .own)
    for entry in entries {
      messages.print(
        note: "\(printable(history)): added \(counted(entry.metrics.count, "figure")) of "
          + "\(printable(entry.series.wording)) at \(printable(entry.commit))")
    }
  }
}

extension HistoryTime: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}
