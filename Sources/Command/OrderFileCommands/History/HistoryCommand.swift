import ArgumentParser

struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Keep the figures of each commit, and find the commits that changed them.",
    discussion: """
      EXAMPLES
        $ orderfile pages --json -o pages.json -- build/app --help
        $ orderfile history add history.jsonl pages.json
        $ orderfile history trend history.jsonl
        $ orderfile show history.jsonl
        $ orderfile export csv history.jsonl -o history.csv

      A history is a file in which each line has figures of one commit. 'add' only appends lines. Keep the file in \
      a repository of its own, or as an artifact of the main branch.
      """,
    subcommands: [HistoryAddCommand.self, HistoryTrendCommand.self])
}
