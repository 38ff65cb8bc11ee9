import ArgumentParser
import CommandSupport
import Demangling
import ImageModel
import LibC
import ProcessLaunch
import Rendering
import Reports

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write an HTML page that shows which pages of the images a launch touches, and why.",
    discussion: """
      EXAMPLES
        $ orderfile report -o report.html app-before build/app app.oftrace app.order before.json after.json
        $ orderfile report --serve --open app-before build/app app.oftrace measure.json history.jsonl

      Each file is recognized by its contents. FILES may be images or link maps: first the layout before, then the \
      layout after, then other layouts, which only get a fault curve. FILES may also be traces, the order file \
      with which the layout after was linked, the output of 'pages', 'faults', 'measure', 'stages', 'diff' and \
      'check' with --json, a history, and the budget of 'check'. A view without data is left out; the HTML page \
      names the command that makes the data. The HTML page is one file for a browser: it loads nothing else, and \
      contains its data as JSON.

      With --serve, orderfile shows the page to browsers of this machine until ctrl-C, prints its address, and makes \
      the page again when FILES change. Open pages then load themselves again.
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
  @Flag(help: "Open the page in a browser.")
  var open = false
  @Flag(help: "Show the page to browsers of this machine, and make it again when the files change.")
  var serve = false
  @Option(
    help: ArgumentHelp(
      "With --serve: the TCP port of 127.0.0.1; without this option, any free port.",
      valueName: "number"), transform: expecting("a number from 1 to 65535"))
  var port: UInt16?
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func validate() throws {
    if port != nil, !serve { throw ValidationError("--port needs --serve") }
    if serve, json { throw ValidationError("--serve shows the page: leave out --json") }
    if serve, destination.output != "-" {
      throw ValidationError("--serve writes no file: leave out --output")
    }
    if open, json { throw ValidationError("--open opens the page: leave out --json") }
    if open, !serve, destination.output == "-" {
      throw ValidationError(
        "--open needs --output or --serve: a browser opens a file or an address")
    }
  }

  func run() throws {
    if serve { return try runServer() }
    let outputFile = try destination.open(madeOf: files)
    let report = try LaunchReport(files, in: .own)
    let page = ReportPage(report.document, wording: wording(of: report))
    try outputFile.finish(json ? page.data : page.html)
    messages.print(report.warnings)
    if open { try Browser(in: .own).open(outputFile.path) }
  }

  private func wording(of report: LaunchReport) -> NameWording {
    Demangler(demangle.mode, of: report.imageFormat).demangle
  }

  private func livePage() throws(Diagnostic) -> LivePage {
    let report = try LaunchReport(files, in: .own)
    messages.print(report.warnings)
    return LivePage(report.document, wording: wording(of: report))
  }

  private func runServer() throws {
    // The server compares files with their state before the first page is made, so that no change is missed.
    let watched = WatchedFiles(files)
    var server = try ReportServer(port: port ?? 0, page: try livePage())
    Interruption.catchSignals()
    try Console.print("\(server.address)\n")
    Console.printNote("serving the report until ctrl-C")
    if open { try Browser(in: .own).open(server.address) }
    server.run(
      watching: watched, until: { Interruption.hasCome },
      remake: { () throws(Diagnostic) in try livePage() },
      report: { problem in
        if let problem { return Console.printError(problem) }
        Console.printNote("the files changed: made the report again")
      })
  }
}
