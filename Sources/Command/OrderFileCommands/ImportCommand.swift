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

      The trace contains the names of its functions. gen, diff and show accept it like a recorded trace. It is \
      only as complete as its source: 'orderfile record' sees every function that runs, but samples show only \
      functions that run for long.
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
    help: ArgumentHelp("The image that was launched, with its symbols.", valueName: "file"),
    completion: .file())
  var image: String
  @Option(
    help: ArgumentHelp(
      "The separate debug file that has the symbols of a stripped --image.", valueName: "file"),
    completion: .file())
  var debugFile: String?
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The trace to write; - writes to stdout.", valueName: "file"),
    completion: .file())
  var output: String
  @Flag(help: "Print a summary as JSON on stdout. Needs -o FILE.")
  var json = false
  @OptionGroup var messages: Messages

  func validate() throws {
    if json && output == "-" {
      throw ValidationError(
        "--json needs -o FILE: the summary and the trace would both go to stdout")
    }
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
  @Argument(
    help: ArgumentHelp("The file with the list; - reads stdin.", valueName: "file"),
    completion: .file())
  var file: String
  @OptionGroup var options: ImportOptions
  @Flag(help: "List all lines that match no function, not only the first ten.")
  var listMissing = false

  func run(_ source: TraceImport.Source, trace: Int? = nil) throws(Diagnostic) {
    try options.run(source, listedLines: listMissing ? nil : 10, trace: trace)
  }
}

struct ImportXctrace: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "xctrace",
    abstract: "Make a trace from samples and page faults that Instruments recorded.",
    discussion: """
      EXAMPLES
        $ xcrun xctrace record --template 'App Launch' --output launch.trace --launch -- App
        $ xcrun xctrace export --input launch.trace --output launch.xml --xpath \
      '/trace-toc/run[@number="1"]/data/table[@schema="time-profile" or @schema="virtual-memory"]'
        $ orderfile import xctrace launch.xml --image App.app/App -o app.oftrace

        $ orderfile import xctrace samples.xml faults.xml --image App.app/App -o app.oftrace

      All files have to be exports of one recording. The image is found in them by its UUID. If several processes \
      used the image, the process that used it first is imported.

      The table time-profile has one stack per millisecond, and lacks functions that ran between two samples. The \
      table virtual-memory has the address of the first access to each page that was not in memory. So the trace \
      lists functions in the order in which they were first seen, but it does not list all functions that ran.
      """)

  @Argument(
    help: ArgumentHelp(
      "The output of 'xctrace export'; - reads stdin. Repeat for more tables.", valueName: "file"),
    completion: .file())
  var files: [String]
  @OptionGroup var options: ImportOptions

  func run() throws { try options.run(.xctrace(files)) }
}

struct ImportPerf: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "perf",
    abstract: "Make a trace from samples that perf recorded on Linux.",
    discussion: """
      EXAMPLES
        $ perf record -e cpu-clock:u -F 10000 -g -o perf.data -- build/app --help
        $ perf script -i perf.data --no-demangle -F comm,pid,tid,time,event,ip,sym,symoff,dso | \
      orderfile import perf - --image build/app -o app.oftrace

      A function's place in the trace is the place of the first sample that has the function in its stack, in any \
      thread. A launch runs most functions once and briefly; samples seldom show these. So the trace is no \
      complete list of first uses. 'orderfile record --breakpoints' finds all functions of programs that it can \
      record.

      The image is found by its file name, because perf prints no build ID. If several processes used the image, \
      the process that used it first is imported. Functions are found by their symbols, which must not be \
      demangled.
      """)

  @OptionGroup var list: ListArguments

  func run() throws { try list.run(.perf(list.file)) }
}

/// Which trace of a profile is imported.
struct TemporalProfileTrace: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The number of the trace to import, counted from 1. Without it, the profile must have one trace, or -o must name a folder for all traces: -o FOLDER/.",
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
    abstract: "Make traces from temporal profiles of LLVM: .profraw or .profdata files.",
    discussion: """
      EXAMPLES
        $ clang -O2 -fprofile-generate -mllvm -pgo-temporal-instrumentation app.c -o app-record && ./app-record
        $ orderfile import profdata default_*.profraw --image build/app -o app.oftrace

        $ orderfile import profdata app.profdata --image build/app -o traces/
        $ orderfile gen traces/*.oftrace --image build/app -o app.order

      A profile has one trace for each run of an instrumented program: its functions in order of first use, \
      without times and threads. If -o ends with a slash, it names a folder, and each trace goes to a file of its \
      own.

      llvm-profdata converts the profiles to text. It is found in PATH, with or without a version in its name, and \
      must be at least as new as the compiler. 'llvm-profdata merge' keeps only the first 10,000 functions of a \
      trace unless --temporal-profile-max-trace-length gives another number. .profraw files are imported whole.
      """)

  @Argument(
    help: ArgumentHelp("The .profraw or .profdata files to import.", valueName: "file"),
    completion: .file())
  var files: [String]
  @Option(
    help: ArgumentHelp(
      "The path of the llvm-profdata to run. (default: the first in PATH that can read the profiles)",
      valueName: "tool"
    ),
    completion: .file())
  var llvmProfdata: String?
  @OptionGroup var which: TemporalProfileTrace
  @OptionGroup var options: ImportOptions
  @Flag(help: "List all names that match no function, not only the first ten.")
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
    abstract: "Make traces from temporal profiles of LLVM in the text format.",
    discussion: """
      EXAMPLES
        $ llvm-profdata merge --text app.profdata -o app.proftext
        $ orderfile import proftext app.proftext --image build/app --trace-number 2 -o app.oftrace

        $ orderfile import proftext app.proftext --image build/app -o traces/

      Names of functions are as the compiler writes them, without the underscore of Mach-O symbols. Names of \
      another build are matched where possible. A local function, such as 'file.c;name', is found by its name \
      after the semicolon. If several functions have this name, and the object files are known, the function of \
      the named source file is chosen.
      """)

  @OptionGroup var list: ListArguments
  @OptionGroup var which: TemporalProfileTrace

  func run() throws { try list.run(.proftext(list.file), trace: which.traceNumber) }
}

struct ImportOrder: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order",
    abstract: "Make a trace from an order file: a step for each entry, in the order of the file.",
    discussion: """
      EXAMPLES
        $ orderfile import order app.order --image build/app -o app.oftrace
        $ orderfile gen app.oftrace new.oftrace --image build/app -o both.order

      The trace has a step for each function that an entry places. Entries for other architectures and entries of \
      string literals are skipped. Names of another build are matched where possible; 'orderfile verify' lists the \
      stale entries.
      """)

  @OptionGroup var list: ListArguments

  func run() throws { try list.run(.order(list.file)) }
}

struct ImportSymbols: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "symbols",
    abstract: "Make a trace from a list of symbols, one per line, in time order.",
    discussion: """
      EXAMPLES
        $ orderfile import symbols startup.txt --image build/app -o app.oftrace
        $ nm -n old-app | cut -d' ' -f3 | orderfile import symbols - --image build/app -o app.oftrace

      Names are symbols as in the image's symbol table: names of Mach-O symbols have a leading underscore. Blank \
      lines and lines that begin with # are skipped. Names of another build are matched where possible, for \
      example without suffixes that change between builds. If fewer than half of the names match, the exit status \
      is 3.
      """)

  @OptionGroup var list: ListArguments

  func run() throws { try list.run(.symbols(list.file)) }
}

struct ImportAddresses: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "addresses",
    abstract: "Make a trace from a list of addresses, one per line, in time order.",
    discussion: """
      EXAMPLES
        $ orderfile import addresses first-pcs.txt --image build/app -o app.oftrace
        $ orderfile import addresses - --image build/app -o app.oftrace --json <first-pcs.txt

      Addresses are hexadecimal, with or without 0x. They are addresses in the image's file, without the slide of \
      the process. An address inside a function counts as this function. Blank lines and lines that begin with # \
      are skipped. If fewer than half of the addresses are in functions, the exit status is 3.
      """)

  @OptionGroup var list: ListArguments

  func run() throws { try list.run(.addresses(list.file)) }
}
