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

      audit launches nothing. It reads the image, and the libraries that the loader would find for it.

      --limit can limit the number of libraries. To permit only certain libraries, list them as "allowedLibraries" \
      in a budget, and run 'orderfile check'.
      """)

  @Argument(
    help: ArgumentHelp(
      "The linked image to examine, or the folder of an app, an app extension or a framework.",
      valueName: "image"),
    completion: .file())
  var path: String
  @OptionGroup var limits: LimitOptions<AuditResult>
  @Option(
    help: ArgumentHelp(
      "The image's link map. It names the object file of each function.", valueName: "file"),
    completion: .file())
  var linkMap: String?
  @Option(
    help: ArgumentHelp(
      "The folder with the files of the target system: libraries are searched below it, not below /.",
      valueName: "folder"),
    completion: .directory)
  var sysroot: String?
  @Option(
    name: .customLong("trace"),
    help: ArgumentHelp(
      "A trace of a launch: the result then says how many functions of each library the launch ran. Repeat for more traces.",
      valueName: "file"),
    completion: .file())
  var traces: [String] = []
  @Option(
    help: ArgumentHelp(
      "The output of 'orderfile stages --json -- COMMAND': the result then has the time of each initializer.",
      valueName: "file"),
    completion: .file())
  var stages: String?
  @Flag(help: "Also list the initializers, each with its size, object file and times.")
  var list = false
  @Flag(
    help:
      "Also list the Objective-C selectors and classes that no code names but that may be used nevertheless, and say how."
  )
  var possible = false
  @Option(
    help: ArgumentHelp(
      "The page size for counting pages: 4k, 16k, 64k, or auto for the page size of the image's platform.",
      valueName: "size"))
  var pageSize = PageSizeChoice.automatic
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle = DemangleOption.full
  @Flag(help: "Print the result as one JSON object instead of text.")
  var json = false
  @Option(
    help: ArgumentHelp(
      "Also write the findings to this file as SARIF 2.1.0, for code scanning.", valueName: "file"),
    completion: .file())
  var exportSarif: String?
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func validate() throws {
    try limits.check()
    if let exportSarif, exportSarif == destination.output {
      throw ValidationError(
        exportSarif == "-"
          ? "only one report can go to stdout: name a file with --output or --export-sarif"
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
