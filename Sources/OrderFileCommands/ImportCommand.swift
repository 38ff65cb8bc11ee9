import ArgumentParser
import ImageModel
import Reporting
import Workflows

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a trace from another tool's recording of a launch.",
    discussion: """
      EXAMPLES
        $ orderfile import xctrace launch.xml --image App.app/App -o app.oftrace
        $ orderfile import symbols startup.txt --image build/app -o app.oftrace

      The trace contains the functions' names; gen, diff and show accept it like a recorded trace. It is \
      only as complete as its source: 'record' sees every function that runs, while samples see those that \
      run long.
      """,
    subcommands: [ImportXctrace.self, ImportSymbols.self, ImportAddresses.self])
}

/// The options that all sources share.
struct ImportOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The image that was launched, unstripped.", valueName: "file"),
    completion: .file())
  var image: String
  @Option(
    help: ArgumentHelp("The separate debug file of a stripped --image.", valueName: "file"),
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
  @OptionGroup var messages: Messages

  func validate() throws {
    if json && output == "-" { throw ValidationError("--json needs -o FILE: both write to stdout") }
  }

  /// Writes the trace made from `source`, and prints a note about it.
  func run(_ source: TraceImport.Source, listedLines: Int? = nil) throws(Diagnostic) {
    let file = try Output(output)
    var traceImport = TraceImport(source, image: image, outputPath: output)
    traceImport.debugFile = debugFile
    traceImport.architecture = arch?.architecture
    traceImport.listedLines = listedLines
    let result = try traceImport.run()
    try file.finish(result.trace)
    if json { try Console.print(result.document.json()) }
    messages.print(note: ImportText(result.document).text)
    messages.print(result.warnings)
  }
}

/// The arguments of an import from a list.
struct ListArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("The list, - for stdin.", valueName: "file"), completion: .file())
  var file: String
  @OptionGroup var options: ImportOptions
  @Flag(help: "List all lines that match no function, not just the first ten.")
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

      All files are exports of one recording. The image is found by its UUID, and the process that used it \
      first is imported. The table time-profile has one stack per millisecond, and misses functions that run \
      between two samples. The table virtual-memory has the address of the first access to each page that \
      was not in memory. So the trace lists the functions that took time, in the order in which they were \
      first seen, and not all functions that ran.
      """)

  @Argument(
    help: ArgumentHelp("The output of 'xctrace export', - for stdin.", valueName: "file"),
    completion: .file())
  var files: [String]
  @OptionGroup var options: ImportOptions

  func run() throws { try options.run(.xctrace(files)) }
}

struct ImportSymbols: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbols",
    abstract: "Import a list of symbols, one per line, in time order.",
    discussion: """
      EXAMPLES
        $ orderfile import symbols startup.txt --image build/app -o app.oftrace
        $ nm -n old-app | cut -d' ' -f3 | orderfile import symbols - --image build/app -o app.oftrace

      Names are those of the image's symbol table; Mach-O names have a leading underscore. Blank lines and \
      lines that begin with # are skipped. Names from another build are matched as far as possible, for \
      example without suffixes that change between builds. If fewer than half of the names match, the exit \
      status is 3.
      """)

  @OptionGroup var list: ListArguments

  func run() throws { try list.run(.symbols(list.file)) }
}

struct ImportAddresses: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "addresses",
    abstract: "Import a list of addresses, one per line, in time order.",
    discussion: """
      EXAMPLES
        $ orderfile import addresses first-pcs.txt --image build/app -o app.oftrace
        $ orderfile import addresses - --image build/app -o app.oftrace --json <first-pcs.txt

      Addresses are hexadecimal, with or without 0x, and as the image states them: without the slide of \
      the process. An address anywhere inside a function means that function. Blank lines and lines that \
      begin with # are skipped. If fewer than half of the addresses are in functions, the exit status is 3.
      """)

  @OptionGroup var list: ListArguments

  func run() throws { try list.run(.addresses(list.file)) }
}
