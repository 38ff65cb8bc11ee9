import ArgumentParser
import CommandSupport
import Counting
import Demangling
import ImageModel
import PagesFormat
import Prediction
import ProcessLaunch

struct PagesCommand: ParsableCommand, LaunchingCommand {
  static let configuration = CommandConfiguration(
    commandName: "pages",
    abstract: "Launch a program and count the pages of its image that it touches.",
    discussion: """
      EXAMPLES
        $ orderfile pages -- ./app --help
        $ orderfile pages --json -o before.json --stop-at ready -- ./app

      The counts are measured, not predicted: pages removes access to each page, and notes the first touch. The \
      program is the release build; nothing is compiled into it. It uses this command's standard streams unless \
      --input is given. Its exit status becomes the exit status of this command (128 + N after signal N). The \
      result is printed after the program's output, or written to -o FILE. Pages that forked children touch count, \
      too, and so do pages that the program touches after it executes itself again. A page that two processes \
      touch counts once.

      With --launches, the launches of a file are counted one after the other. -o then names a folder, which gets \
      NAME.txt or, with --json, NAME.json for each launch. A summary of all launches is printed.
      """)

  @Flag(help: "Print the result as one JSON object instead of text.")
  var json = false
  @OptionGroup var destination: ReportDestination
  @Flag(help: "Also list each touched page, with the function that touched it first.")
  var list = false
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle = DemangleOption.full
  @Option(
    help: ArgumentHelp(
      "Stop counting when the program calls orderfile_mark() with this name. (default: count until the program ends)",
      valueName: "mark"))
  var stopAt: String?
  @Option(
    help: ArgumentHelp(
      "Stop counting when the function with this symbol is first called.", valueName: "name"))
  var stopAtSymbol: String?
  @Option(
    help: ArgumentHelp(
      "Also count the pages of this file: a library, or a program that the launched program starts. Repeat for more files.",
      valueName: "file"), completion: .file())
  var also: [String] = []
  @Flag(help: "Count the pages of every image that the launch loads, not only of the program.")
  var allImages = false
  @Flag(
    help:
      "Also read the resident memory of the images and their process, in 20 further launches: at the end, or when the program is ready."
  )
  var memory = false
  @Option(
    help: ArgumentHelp(
      "How to observe which pages are touched: preload (by a library in the program) or ptrace (from outside). "
        + "(default: preload where it works)", valueName: "method"))
  var method: PageMethod?
  @OptionGroup var standardInput: StandardInput
  @OptionGroup var described: LaunchSetOptions
  @OptionGroup var messages: Messages
  @OptionGroup var launched: LaunchOptions<RecordedKind>
  var programArguments: [String] { Array(launched.words.dropFirst()) }

  func validate() throws {
    try launched.check(
      for: self, isRequired: described.launches == nil, input: standardInput.input)
    try described.check(
      others: [
        ("a command", !launched.words.isEmpty), ("--input", standardInput.input != nil),
      ] + launched.limits.given)
    try LaunchOutputs.check(described, destination, json: json)
    if [stopAt, stopAtSymbol, launched.limits.untilReady?.mark].count(where: { $0 != nil }) > 1 {
      throw ValidationError(
        "only one of --stop-at, --stop-at-symbol and --until-ready mark=NAME can be used")
    }
  }

  private func launch(_ program: ProgramLaunch) -> PageLaunch {
    var launch = PageLaunch(program, in: .own)
    launch.images = also
    launch.countsAllImages = allImages
    launch.countsLoading = true
    launch.readsMemory = memory
    launch.stop = stopAt.map { .mark($0) } ?? stopAtSymbol.map { .function($0) }
    launch.method = method
    return launch
  }

  func run() throws {
    if let launches = try described.read(RecordedKind.self) { return try count(launches) }
    let outputFile = try destination.open(
      madeOf: launched.words.prefix(1) + also
        + [standardInput.input, launched.limits.script].compactMap { $0 })
    let opened = try standardInput.open()
    defer { withExtendedLifetime(opened) {} }
    let counted = try launch(try launched.launch(reading: opened)).run()
    try write(counted, to: outputFile)
    if counted.end != .exited(0) { throw ExitCode(counted.end.exitStatus) }
  }

  private func write(_ counted: CountedPages, to output: Output) throws(Diagnostic) {
    var document = counted.document
    document.nextSteps = PagesNextSteps(document).steps
    try output.finish { sink in
      if json {
        document.json(to: sink)
      } else {
        let text = PagesText(
          document, width: destination.width,
          names: Demangler(demangle.mode).demangle, listsPages: list)
        sink(Array(text.text.utf8))
      }
    }
    for note in counted.notes { messages.print(note: note.description) }
    messages.print(counted.warnings)
  }

  private func count(_ launches: [DescribedLaunch]) throws {
    let marks = [stopAt, stopAtSymbol].contains { $0 != nil }
    if marks, let launch = launches.first(where: { $0.readiness?.mark != nil }) {
      throw Diagnostic(
        "--stop-at and --stop-at-symbol can't be used with a mark as the sign of readiness",
        context: launch.place + ["untilReady"], severity: .usage)
    }
    let outputs = try LaunchOutputs(
      destination, launches, json: json, madeOf: launches.flatMap(\.inputs) + also)
    var pages = PagesSummary(of: launches)
    let notes = try PageLaunchSet(launches).run(launch) { description, counted in
      try write(counted, to: outputs.output(of: description))
      pages.add(description, counted.document)
    }
    try outputs.finish(pages.summary)
    for note in notes { messages.print(note: note.description) }
  }
}
