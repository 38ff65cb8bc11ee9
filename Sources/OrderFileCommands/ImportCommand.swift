import ArgumentParser
import ImageModel
import Reporting
import Workflows

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a trace of what another tool saw of a launch.",
    discussion: """
      EXAMPLES
        $ orderfile import xctrace launch.xml --image App.app/App -o app.oftrace
        $ orderfile import symbols startup.txt --image build/app -o app.oftrace

      The trace carries its names, so that gen, diff and show take it like a recorded one. It holds what \
      its source saw and no more: a recorder sees every function of an instrumented build, samples see \
      those that ran long.
      """,
    subcommands: [ImportXctrace.self, ImportSymbols.self, ImportAddresses.self])
}

/// What all sources have.
struct ImportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The image that was launched, unstripped.", valueName: "file"),
    completion: .file())
  var image: String
  @Option(
    help: ArgumentHelp("Separate debug file of a stripped --image.", valueName: "file"),
    completion: .file())
  var debugFile: String?
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The trace to write, - for stdout.", valueName: "file"),
    completion: .file())
  var output: String
  @Flag(help: "Print a summary as JSON on stdout; needs -o FILE.")
  var json = false

  func validate() throws {
    if json && output == "-" { throw ValidationError("--json needs -o FILE: both write to stdout") }
  }

  /// Writes the trace of what `source` tells, and says so.
  func run(_ source: TraceImport.Source, listedLines: Int? = nil) throws(Diagnostic) {
    let file = try Output(output)
    var traceImport = TraceImport(source, image: image, outputPath: output)
    traceImport.debugFile = debugFile
    traceImport.architecture = arch?.architecture
    traceImport.listedLines = listedLines
    let result = try traceImport.run()
    try file.finish(result.trace)
    if json { try Console.print(result.document.json()) }
    Console.printNote(ImportText(result.document).text)
    Console.printWarnings(result.warnings)
  }
}

/// The arguments of an import from a list.
struct ListArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("The list, - for stdin.", valueName: "file"), completion: .file())
  var file: String
  @OptionGroup var options: ImportOptions
  @Flag(help: "List all lines that stand for nothing, not just the first ten.")
  var listMissing = false

  func run(_ source: TraceImport.Source) throws(Diagnostic) {
    try options.run(source, listedLines: listMissing ? nil : 10)
  }
}

struct ImportXctrace: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "xctrace",
    abstract: "Import samples and page faults that Instruments recorded.",
    discussion: """
      EXAMPLES
        $ xcrun xctrace record --template 'App Launch' --output launch.trace --launch -- App
        $ xcrun xctrace export --input launch.trace --output launch.xml --xpath \
      '/trace-toc/run[@number="1"]/data/table[@schema="time-profile" or @schema="virtual-memory"]'
        $ orderfile import xctrace launch.xml --image App.app/App -o app.oftrace

        $ orderfile import xctrace samples.xml faults.xml --image App.app/App -o app.oftrace

      FILES are exports of one recording. The image is found by its UUID, and the process that used it \
      first is imported. The table time-profile has a stack each millisecond: what ran between two of \
      them is missing. The table virtual-memory has the first address used on each page that was not in \
      memory yet. So the trace holds the functions that cost time, in the order of their first sighting, \
      and not all that ran.
      """)

  @Argument(
    help: ArgumentHelp("What 'xctrace export' wrote, - for stdin.", valueName: "file"),
    completion: .file())
  var files: [String]
  @OptionGroup var options: ImportOptions

  func run() throws { try options.run(.xctrace(files)) }
}

struct ImportSymbols: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbols",
    abstract: "Import a list of symbols, one a line in time order.",
    discussion: """
      EXAMPLES
        $ orderfile import symbols startup.txt --image build/app -o app.oftrace
        $ nm -n old-app | cut -d' ' -f3 | orderfile import symbols - --image build/app -o app.oftrace

      Names are as in the image's symbol table: of Mach-O with the leading underscore. Blank lines and \
      lines that begin with # say nothing. A name of another build stands for what it is called in the \
      image; if less than half of the names are in it, the exit status is 3.
      """)

  @OptionGroup var list: ListArguments

  func run() throws { try list.run(.symbols(list.file)) }
}

struct ImportAddresses: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "addresses",
    abstract: "Import a list of addresses, one a line in time order.",
    discussion: """
      EXAMPLES
        $ orderfile import addresses first-pcs.txt --image build/app -o app.oftrace
        $ orderfile import addresses - --image build/app -o app.oftrace --json <first-pcs.txt

      Addresses are hexadecimal, with 0x or without, and as the image states them: without the slide of \
      the process. One inside a function stands for that function. Blank lines and lines that begin with \
      # say nothing. If less than half of the addresses are in functions, the exit status is 3.
      """)

  @OptionGroup var list: ListArguments

  func run() throws { try list.run(.addresses(list.file)) }
}
