import ArgumentParser
import Audit
import CommandSupport
import Demangling
import ImageModel
import Rendering

struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract:
      "List what a launch costs before main: libraries, initializers, relocations, Objective-C.",
    discussion: """
      EXAMPLES
        $ orderfile audit build/app
        $ orderfile audit --limit 'audit.libraries<=12' --json build/App.app

      Nothing is launched: it reads the image, and the libraries that the loader would find. --limit limits the number of \
      libraries; "allowedLibraries" of a budget ('orderfile check') lists the allowed libraries.
      """)

  @Argument(
    help: ArgumentHelp("A linked image, or an app bundle.", valueName: "image"),
    completion: .file())
  var path: String
  @OptionGroup var limits: LimitOptions<AuditResult>
  @Option(
    help: ArgumentHelp("The image's link map, for object files.", valueName: "file"),
    completion: .file())
  var linkMap: String?
  @Option(
    help: ArgumentHelp(
      "The folder to use as / when libraries are looked up.", valueName: "folder"),
    completion: .directory)
  var sysroot: String?
  @Option(
    name: .customLong("trace"),
    help: ArgumentHelp("A trace of a launch. Repeat for more.", valueName: "file"),
    completion: .file())
  var traces: [String] = []
  @Option(
    help: ArgumentHelp(
      "The output of 'stages --json -- COMMAND', for the times of initializers.", valueName: "file"),
    completion: .file())
  var stages: String?
  @Flag(help: "Also list the initializers, each with its size, object file and times.")
  var list = false
  @Flag(help: "Also list selectors and classes that may still be used, with the reason.")
  var possible = false
  @Option(help: ArgumentHelp("The size of pages: 4k, 16k, 64k or auto.", valueName: "size"))
  var pageSize = PageSizeChoice.automatic
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle = DemangleOption.full
  @Flag(help: "Print one JSON object.")
  var json = false
  @Option(
    help: ArgumentHelp("Also write SARIF 2.1.0, for code scanning.", valueName: "file"),
    completion: .file())
  var exportSarif: String?
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func validate() throws {
    try limits.check()
    if let exportSarif, exportSarif == destination.output {
      throw ValidationError(
        exportSarif == "-"
          ? "only one report can go to stdout: give --output"
          : "two reports can't go to one file: '\(exportSarif)' is given twice")
    }
  }

  func run() throws {
    let inputs = [path, linkMap, stages].compactMap { $0 } + traces
    let outputFile = try destination.open(madeOf: inputs)
    let sarifFile = try exportSarif.map { path throws(Diagnostic) in
      try Output(path, madeOf: inputs)
    }
    var options = Audit.Options()
    options.linkMap = linkMap
    options.traces = traces
    options.stages = stages
    options.includesPossible = possible
    options.root = sysroot
    options.pageSize = pageSize
    options.architecture = arch?.architecture
    let document = try Audit(path, options).examine()
    if json {
      try outputFile.finish { document.json(to: $0) }
    } else {
      let names: NameWording = Demangler(demangle.mode, of: document.format).demangle
      let width = destination.width
      let report = AuditText(document, width: width, listsInitializers: list, names: names)
      try outputFile.finish(Array(report.text.utf8))
    }
    try sarifFile?.finish(
      AuditSARIF(document, path: RepositoryPath.of(document.path), toolVersion: toolVersion).json())
    messages.print(document.warnings)
    try limits.limits().failures(of: .audit(document.figures()), path: document.path).throwAll()
  }
}
