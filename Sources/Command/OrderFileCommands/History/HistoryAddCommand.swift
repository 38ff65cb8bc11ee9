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

      A document is what audit, auto, diff, faults, gen, measure, pages, stages or verify writes with --json. If a \
      document compares two layouts or programs, the figures of the second are added. A document becomes one line for each \
      image and page size; a document of 'measure' becomes one line for each image and state of the page cache. If \
      the history already has a line about the same commit, image, and page size or state, that line is kept, and \
      none is appended: a CI job can run again. If there is an error, no line is appended.

      Without --commit and --time, git in the current folder tells the commit and its time.
      """)

  @Argument(
    help: ArgumentHelp(
      "The history file to append to. It is created if it does not exist.", valueName: "history"),
    completion: .file())
  var history: String
  @Argument(
    help: ArgumentHelp(
      "A document with figures to append; - reads it from stdin. Repeat for more.",
      valueName: "document"), completion: .file())
  var documents: [String]
  @OptionGroup var added: AdditionOptions
  @Option(
    help: ArgumentHelp(
      "The architecture of the images, needed only if neither the documents nor the images state it.",
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
    messages.print(try addition.run(), addedTo: history, commit.name)
  }
}
