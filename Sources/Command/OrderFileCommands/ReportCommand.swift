import ArgumentParser
import Demangling
import Reports

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write an HTML page that shows which pages of the images a launch touches, and why.",
    discussion: """
      EXAMPLES
        $ orderfile report -o report.html app-before build/app app.oftrace app.order before.json after.json
        $ orderfile report -o report.html build/app app.oftrace measure.json history.jsonl

      Each file is recognized by its contents. FILES may be images or link maps: first the layout before, then the \
      layout after, then other layouts, which only get a fault curve. FILES may also be traces, the order file \
      with which the layout after was linked, the output of 'pages', 'faults', 'measure', 'stages', 'diff' and \
      'check' with --json, a history, and the budget of 'check'. A view without data is left out; the HTML page \
      names the command that makes the data. The HTML page is one file for a browser: it loads nothing else, and \
      contains its data as JSON.
      """)

  @Argument(
    help: ArgumentHelp(
      "The files to show: layouts, traces, documents of --json and others.", valueName: "files"),
    completion: .file())
  var files: [String]
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle = DemangleOption.full
  @Flag(help: "Print the data of the HTML page as JSON, instead of the page.")
  var json = false
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func run() throws {
    let outputFile = try destination.open(madeOf: files)
    let report = try LaunchReport(files, in: .own)
    let page = ReportPage(
      report.document, wording: Demangler(demangle.mode, of: report.imageFormat).demangle)
    try outputFile.finish(json ? page.data : page.html)
    messages.print(report.warnings)
  }
}
