import ArgumentParser
import Budget
import ImageModel

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
  @OptionGroup var added: AdditionOptions
  @Option(
    help: ArgumentHelp(
      "The architecture of the images, if neither the documents nor the images tell it.",
      valueName: "name"))
  var arch: ArchitectureOption?
  @OptionGroup var messages: Messages

  func validate() throws { try added.check() }

  func run() throws {
    let commit = try added.gitCommit()
    let documents = try documents.map { path throws(Diagnostic) in
      try NamedDocument(reading: path)
    }
    var addition = HistoryAddition(history: history, commit: commit, documents: documents)
    addition.launch = added.launchName
    addition.architecture = arch?.architecture
    messages.print(try addition.run(), addedTo: history)
  }
}
