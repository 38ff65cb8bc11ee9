import ArgumentParser
import Budget
import CommandSupport
import Demangling
import Ordering
import Recording
import Rendering
import Reports

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract:
      "Print the contents of a trace, a profile, an image, a link map, an order file, a profile for splitting functions or a report.",
    discussion: """
      EXAMPLES
        $ orderfile show app.oftrace
        $ orderfile show --json report.html | jq .documents.diff.textPages

      The kind of file is recognized by its contents. Text that could be anything is an order file if its name \
      ends in .order.
      """)

  @Argument(help: ArgumentHelp("The file, - for stdin.", valueName: "file"), completion: .file())
  var file: String
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle: DemangleOption?
  @Option(
    help: ArgumentHelp(
      "A recorded image, if it is no longer where the trace says. Repeat for more.",
      valueName: "file"),
    completion: .file())
  var recorded: [String] = []
  @Option(
    help: ArgumentHelp("The separate debug file of a stripped image.", valueName: "file"),
    completion: .file())
  var debugFile: String?
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func run() throws {
    let outputFile = try destination.open(madeOf: [file, debugFile].compactMap { $0 } + recorded)
    var options = ShownFile.Options()
    options.recorded = recorded
    options.debugFile = debugFile
    options.architecture = arch?.architecture
    let shown = try ShownFile(path: file, options)
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
    case .clusterProfile(let document):
      form(document, of: shown) { ClusterProfileText(document, width: $0, names: $1).text }
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

  /// `document` as text or JSON. Text shows demangled names unless --demangle says otherwise; JSON adds
  /// them only if --demangle is given.
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
