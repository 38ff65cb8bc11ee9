import ArgumentParser
import Budget
import CommandSupport
import Counting
import Demangling
import FileContents
import ImageModel
import Measuring
import Ordering
import Prediction
import Recording
import Rendering
import Reports

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract:
      "Say what a file is, and print its contents. It can be a trace, a profile, a payload, an image, a link map, an order file, a report, a document or a history.",
    discussion: """
      EXAMPLES
        $ orderfile show app.oftrace
        $ orderfile show --json report.html | jq .documents.diff.textPages

      A file is recognized by its contents. Text that could be anything counts as an order file if its name ends \
      in .order. A document is what a command wrote with --json. A history is shown as one table for each series: \
      an image on one architecture with one page size and, for times and faults, on one machine with one kernel.
      """)

  @Argument(
    help: ArgumentHelp("The file to show; - reads stdin.", valueName: "file"), completion: .file())
  var file: String
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle: DemangleOption?
  @Option(
    help: ArgumentHelp(
      "The path of a recorded image, if the image is no longer where the trace says, or to name the functions of a payload. Repeat for more images.",
      valueName: "file"),
    completion: .file())
  var recorded: [String] = []
  @Option(
    help: ArgumentHelp(
      "The separate debug file that has the symbols of a stripped image.", valueName: "file"),
    completion: .file())
  var debugFile: String?
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @Option(
    help: ArgumentHelp(
      "For a history: show only the last commits of each series, and at most this many. (default: show all)",
      valueName: "commits"),
    transform: expecting("a number of commits"))
  var last: Int?
  @Flag(
    help:
      "Print the contents as one JSON object instead of text. For a history, print one object on each line."
  )
  var json = false
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func validate() throws {
    if let last, last < 1 {
      throw ValidationError("invalid --last: expected at least 1 commit, found \(last)")
    }
  }

  func run() throws {
    let outputFile = try destination.open(madeOf: [file, debugFile].compactMap { $0 } + recorded)
    var options = ShownFile.Options()
    options.recorded = recorded
    options.debugFile = debugFile
    options.architecture = arch?.architecture
    let shown = try ShownFile(path: file, options)
    if last != nil, !shown.isHistory {
      throw Diagnostic(
        "--last applies only to a history: this file is not a history", context: [file],
        severity: .usage)
    }
    try outputFile.finish(document(of: shown))
    messages.print(shown.warnings)
  }

  private func document(of shown: ShownFile) -> OutputFile.Document {
    switch shown.contents {
    case .trace(let document):
      form(document, of: shown) { TraceText(document, width: $0, names: $1).text }
    case .image(let document):
      form(document, of: shown) { ImageText(document, width: $0, names: $1).text }
    case .linkMap(let document):
      form(document, of: shown) { LinkMapText(document, width: $0, names: $1).text }
    case .orderFile(let document):
      form(document, of: shown) { OrderFileText(document, width: $0, names: $1).text }
    case .profile(let document):
      form(document, of: shown) { ProfileText(document, width: $0, names: $1).text }
    case .payload(let document):
      form(document, of: shown) { PayloadText(document, width: $0, names: $1).text }
    case .clusterProfile(let document):
      form(document, of: shown) { ClusterProfileText(document, width: $0, names: $1).text }
    case .document(let document):
      { sink in sink(json ? jsonForm(of: document) : Array(text(of: document).utf8)) }
    case .report(let contents, let check, let path):
      { sink in
        let names: NameWording = Demangler(demangle?.mode ?? .full).demangle
        if json { return sink(contents.data) }
        let width = destination.width
        sink(Array(ReportContentsText(contents, path: path, width: width, names: names).text.utf8))
        guard let check else { return }
        sink(Array(("\n" + CheckText(check, width: width, names: names).text).utf8))
      }
    }
  }

  private func text(of document: ShownDocumentFile) -> String {
    let width = destination.width
    let names: NameWording = Demangler(demangle?.mode ?? .full).demangle
    let text =
      switch document.contents {
      case .pages(let pages): PagesText(pages, width: width, names: names).text
      case .faults(let faults): FaultsText(faults, width: width, names: names).text
      case .diff(let diff): DiffText(diff, width: width, names: names).text
      case .measure(let measure): MeasureText(measure, width: width).text
      case .check(let check): CheckText(check, width: width, names: names).text
      case .history(let history): HistoryText(history, limit: last, width: width).text
      case .outline(let outline): outline.text
      }
    return "\(document.title)\n\n\(text)"
  }

  /// Returns the bytes of the document's file; for a history with `--last`, only the last lines of each series.
  private func jsonForm(of document: ShownDocumentFile) -> [UInt8] {
    if case .history(let history) = document.contents, let last {
      return history.bySeries.flatMap { $0.entries.suffix(last).flatMap(\.line) }
    }
    return document.bytes.copy(0..<document.bytes.count)
  }

  /// Returns `document` as text or JSON. Text has demangled names unless --demangle chooses others. JSON has them only
  /// if --demangle is given.
  private func form(
    _ document: some ShownDocument, of shown: ShownFile,
    text: @escaping (_ width: Int?, @escaping NameWording) -> String
  ) -> OutputFile.Document {
    let names: NameWording = Demangler(demangle?.mode ?? .full, of: shown.imageFormat).demangle
    if json {
      let demangled = demangle == nil ? nil : names
      return { document.json(demangle: demangled, to: $0) }
    }
    let width = destination.width
    return { $0(Array(text(width, names).utf8)) }
  }
}

extension ShownFile {
  fileprivate var isHistory: Bool {
    guard case .document(let document) = contents, case .history = document.contents else {
      return false
    }
    return true
  }
}
