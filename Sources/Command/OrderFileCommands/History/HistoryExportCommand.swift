import ArgumentParser
import Budget
import CommandSupport

struct HistoryExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a history for InfluxDB, Prometheus or a table.",
    discussion: """
      EXAMPLES
        $ orderfile history export influx history.jsonl -o history.lines
        $ orderfile history export openmetrics history.jsonl -o history.om
        $ orderfile history export csv history.jsonl -o history.csv

      Formats: influx, InfluxDB's line protocol; openmetrics, what 'promtool tsdb create-blocks-from openmetrics' reads; \
      csv, a row for each value. Of commits at the same second, all but the first move to the next free second.
      """)

  @Argument(help: ArgumentHelp("The format: influx, openmetrics or csv.", valueName: "format"))
  var format: HistoryExport
  @Argument(
    help: ArgumentHelp("The history, - for stdin.", valueName: "history"), completion: .file())
  var history: String
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func run() throws {
    let outputFile = try destination.open(madeOf: [history])
    let file = try HistoryFile(parsing: InputFile.bytes(history), path: history)
    try outputFile.finish(Array(format.text(of: file).utf8))
  }
}

extension HistoryExport: ExpressibleByArgument {}
