import ArgumentParser
import CommandSupport
import ImageModel
import Recording

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a trace from another tool's recording of a launch.",
    discussion: """
      EXAMPLES
        $ orderfile import xctrace launch.xml --image App.app/App -o app.oftrace
        $ orderfile import profdata app.profraw --image build/app -o app.oftrace

      The trace contains the functions' names; gen, diff and show accept it like a recorded trace. It is \
      only as complete as its source: 'record' sees every function that runs, while samples see those that \
      run long.
      """,
    subcommands: [
      ImportXctrace.self, ImportPerf.self, ImportProfdata.self, ImportProftext.self,
      ImportOrder.self,
      ImportSymbols.self, ImportAddresses.self,
    ])
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
  func run(
    _ source: TraceImport.Source, listedLines: Int? = nil, trace number: Int? = nil
  ) throws(Diagnostic) {
    let inputs = source.paths + [image, debugFile].compactMap { $0 }
    let file = isFolder ? nil : try Output(output, madeOf: inputs)
    let folder = output.hasSuffix("/") ? output : "\(output)/"
    if isFolder { try Folder.make(folder) }
    var traceImport = TraceImport(source, image: image, outputPath: isFolder ? folder : output)
    traceImport.debugFile = debugFile
    traceImport.architecture = arch?.architecture
    traceImport.listedLines = listedLines
    traceImport.traceNumber = number
    try traceImport.run { result throws(Diagnostic) in
      if let file {
        try file.finish(result.trace)
      } else {
        try Output(result.document.outputPath, madeOf: inputs).finish(result.trace)
      }
      if json { try Console.print(result.document.json()) }
      messages.print(note: ImportText(result.document).text)
      messages.print(result.warnings)
    }
  }

  /// Whether -o names a folder, for the traces of all launches of a profile.
  private var isFolder: Bool { output.hasSuffix("/") }
}

/// The arguments of an import from a list.
struct ListArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("The list, - for stdin.", valueName: "file"), completion: .file())
  var file: String
  @OptionGroup var options: ImportOptions
  @Flag(help: "List all lines that match no function, not just the first ten.")
  var listMissing = false

  func run(_ source: TraceImport.Source, trace: Int? = nil) throws(Diagnostic) {
    try options.run(source, listedLines: listMissing ? nil : 10, trace: trace)
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

struct ImportPerf: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "perf",
    abstract: "Import samples that perf recorded on Linux.",
    discussion: """
      EXAMPLES
        $ perf record -e cpu-clock:u -F 10000 -g -o perf.data -- build/app --help
        $ perf script -i perf.data --no-demangle -F comm,pid,tid,time,event,ip,sym,symoff,dso | \
      orderfile import perf - --image build/app -o app.oftrace

      A function's place in the trace is the place of the first sample with the function in its stack, in any thread. So the \
      trace is no list of first uses: it lacks functions that ran only between two samples, which are most functions that a \
      launch runs once. Where programs can be recorded, 'record --breakpoints' finds all functions.

      The image is found by its file name, because perf prints no build ID, and the process that used it first is \
      imported. Frames are found by their symbols, which must not be demangled.
      """)

  @OptionGroup var list: ListArguments

  func run() throws { try list.run(.perf(list.file)) }
}

/// Which trace of a profile is imported.
struct TemporalProfileTrace: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The number of the trace to import, from 1. (default: the only trace, or all traces into the folder -o FOLDER/)",
      valueName: "number"), transform: expecting("the number of a trace, from 1"))
  var traceNumber: Int?

  func validate() throws {
    if let traceNumber, traceNumber < 1 {
      throw ValidationError("invalid --trace-number: expected at least 1, found \(traceNumber)")
    }
  }
}

struct ImportProfdata: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profdata",
    abstract: "Import temporal profiles of LLVM: .profraw or .profdata files.",
    discussion: """
      EXAMPLES
        $ clang -O2 -fprofile-generate -mllvm -pgo-temporal-instrumentation app.c -o app-record && ./app-record
        $ orderfile import profdata default_*.profraw --image build/app -o app.oftrace

        $ orderfile import profdata app.profdata --image build/app -o traces/
        $ orderfile gen traces/*.oftrace --image build/app -o app.order

      Each run of an instrumented program has one trace in a profile: its functions in order of first use, without times \
      and threads. With a slash at its end, -o names a folder that gets a file for each.

      Profiles are converted to text by llvm-profdata, found in PATH with or without a version in its name. It must be at \
      least as new as the compiler. Of a trace, 'llvm-profdata merge' keeps only the first 10,000 functions unless \
      --temporal-profile-max-trace-length says otherwise; .profraw files are imported whole.
      """)

  @Argument(help: ArgumentHelp("The profiles.", valueName: "file"), completion: .file())
  var files: [String]
  @Option(
    help: ArgumentHelp(
      "The llvm-profdata to run. (default: the first that can read the profiles)", valueName: "tool"
    ),
    completion: .file())
  var llvmProfdata: String?
  @OptionGroup var which: TemporalProfileTrace
  @OptionGroup var options: ImportOptions
  @Flag(help: "List all names that match no function, not just the first ten.")
  var listMissing = false

  func run() throws {
    try options.run(
      .profdata(files, TemporalProfileConverter(tool: llvmProfdata, .own)),
      listedLines: listMissing ? nil : 10, trace: which.traceNumber)
  }
}

struct ImportProftext: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "proftext",
    abstract: "Import temporal profiles of LLVM as text.",
    discussion: """
      EXAMPLES
        $ llvm-profdata merge --text app.profdata -o app.proftext
        $ orderfile import proftext app.proftext --image build/app --trace-number 2 -o app.oftrace

        $ orderfile import proftext app.proftext --image build/app -o traces/

      Names are the compiler's, without Mach-O's underscore. Names of another build are matched where possible. A local \
      function, 'file.c;name', is found by its name. If several functions have the name, and object files are known, the \
      name of the source file decides.
      """)

  @OptionGroup var list: ListArguments
  @OptionGroup var which: TemporalProfileTrace

  func run() throws { try list.run(.proftext(list.file), trace: which.traceNumber) }
}

struct ImportOrder: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order",
    abstract: "Import an order file: its entries, in their order.",
    discussion: """
      EXAMPLES
        $ orderfile import order app.order --image build/app -o app.oftrace
        $ orderfile gen app.oftrace new.oftrace --image build/app -o both.order

      The trace has a step for each function that an entry places. Entries for other architectures, and entries of \
      string literals, become no steps. Names of another build are matched where possible; 'orderfile verify' lists the \
      stale entries.
      """)

  @OptionGroup var list: ListArguments

  func run() throws { try list.run(.order(list.file)) }
}

struct ImportSymbols: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbols",
    abstract: "Import a list of symbols, one per line, in time order.",
    discussion: """
      EXAMPLES
        $ orderfile import symbols startup.txt --image build/app -o app.oftrace
        $ nm -n old-app | cut -d' ' -f3 | orderfile import symbols - --image build/app -o app.oftrace

      Names are symbols as in the image's symbol table; Mach-O names have a leading underscore. Blank lines and \
      lines that begin with # are skipped. Names from another build are matched where possible, for \
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
