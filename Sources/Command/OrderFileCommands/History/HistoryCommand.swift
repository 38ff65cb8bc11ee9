import ArgumentParser

struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Keep figures commit by commit, find the commits that changed them, export them.",
    discussion: """
      EXAMPLES
        $ orderfile pages --json -o pages.json -- build/app --help
        $ orderfile history add history.jsonl pages.json
        $ orderfile history trend history.jsonl
        $ orderfile history export csv history.jsonl -o history.csv

      A history is a file of independent lines, to which 'add' only appends: keep it in a repository of its own, or as an \
      artifact of the main branch.
      """,
    subcommands: [
      HistoryAddCommand.self, HistoryShowCommand.self, HistoryTrendCommand.self,
      HistoryExportCommand.self,
    ])
}
