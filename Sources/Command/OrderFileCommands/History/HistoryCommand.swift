import ArgumentParser

struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Keep figures commit by commit, and find the commits that changed them.",
    discussion: """
      EXAMPLES
        $ orderfile pages --json -o pages.json -- build/app --help
        $ orderfile history add history.jsonl pages.json
        $ orderfile history trend history.jsonl
        $ orderfile show history.jsonl
        $ orderfile export csv history.jsonl -o history.csv

      A history is a file of independent lines, to which 'add' only appends: keep it in a repository of its own, or as an \
      artifact of the main branch.
      """,
    subcommands: [HistoryAddCommand.self, HistoryTrendCommand.self])
}
