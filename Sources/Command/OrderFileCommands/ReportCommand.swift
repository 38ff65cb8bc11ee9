import ArgumentParser
import Demangling
import Reports

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write a page that shows what a launch touches, and why.",
    discussion: """
      EXAMPLES
        $ orderfile report -o report.html app-before build/app app.oftrace app.order before.json after.json
        $ orderfile report -o report.html build/app app.oftrace measure.json history.jsonl

      FILES are recognized by their contents: images or link maps (the layout before, the layout after, then others of \
      which the fault curve is shown), traces, the order file that the layout after was linked with, what 'pages', \
      'faults', 'measure', 'stages' and 'diff' wrote with --json, a history, and the budget of 'check'. A view without data is left out; the page names the command that makes the data. The page is one file \
      for a browser: it makes no request, and contains its data as JSON.
      """)

  @Argument(help: ArgumentHelp("What to show.", valueName: "files"), completion: .file())
  var files: [String]
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle = DemangleOption.full
  @Flag(help: "Print the page's data, not the page.")
  var json = false
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func run() throws {
    let outputFile = try destination.open(madeOf: files)
    let report = try LaunchReport(files)
    let page = ReportPage(
      report.document, wording: Demangler(demangle.mode, of: report.imageFormat).demangle)
    try outputFile.finish(json ? page.data : page.html)
    messages.print(report.warnings)
  }
}
