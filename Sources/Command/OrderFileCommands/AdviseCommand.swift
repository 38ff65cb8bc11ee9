import ArgumentParser
import LaunchMeasurement
import Measuring

struct AdviseCommand: ParsableCommand, LaunchingCommand {
  static let configuration = CommandConfiguration(
    commandName: "advise",
    abstract:
      "Build an image in several ways, and compare the pages that a launch touches, and what the launch costs.",
    discussion: """
      EXAMPLES
        $ orderfile advise app --relink 'cc -o app *.o $ORDERFILE_LDFLAGS' -- ./app --help
        $ orderfile advise app --relink 'make clean app CFLAGS="-O2 $ORDERFILE_CFLAGS" \
      LDFLAGS="$ORDERFILE_LDFLAGS"' --device slow -- ./app --help

      The command of --relink has to link the image with the options in $ORDERFILE_LDFLAGS. advise runs it with each \
      change alone: an order of the functions, prefetching, and options of the linker such as packed relocations. If \
      the command also contains $ORDERFILE_CFLAGS, it has to compile with the options in this variable, and advise \
      also splits functions and tries options of the compiler. advise launches each build and counts its pages. Then \
      it builds with all changes together that save pages. Changes that give something up are listed apart. At the \
      end, advise restores the original image.

      --device counts the requests of cold launches. Only with --device does advise decide whether to prefetch. \
      --cold, --warm and --both measure times, and --memory measures resident memory.

      For a Swift package, the command is 'swift build -c release --toolset "$ORDERFILE_TOOLSET"'.

      Without --relink, advise links nothing. It predicts the savings from the tables in the image.
      """)

  @Argument(
    help: ArgumentHelp("The linked image to examine.", valueName: "image"), completion: .file())
  var image: String
  @Option(
    help: ArgumentHelp(
      "The output of 'orderfile pages --json' for the image. It contains the launch, so the command after '--' can be left out.",
      valueName: "file"), completion: .file())
  var pages: String?
  @Option(
    help: ArgumentHelp(
      "The shell command that links the image with $ORDERFILE_LDFLAGS, and compiles with $ORDERFILE_CFLAGS. Without it, savings are only predicted.",
      valueName: "command"))
  var relink: String?
  @Option(
    help: ArgumentHelp(
      "The linker that --relink calls. (default: the linker that the image states; GNU ld if it states none)",
      valueName: "linker"))
  var linker: ELFLinkerOption?
  @Option(
    help: ArgumentHelp(
      "The folder for the files that the options of 'together' name: the order file, the profile for splitting, and the source file that prefetches. (default: these files are not kept)",
      valueName: "folder"), completion: .directory)
  var files: String?
  @Flag(
    help:
      "Also measure the times of launches in this state of the page cache. (default: --cold with --device, otherwise none)"
  )
  var state: MeasuredStates?
  @Option(
    help: ArgumentHelp(
      "Launch each build this many times in each state. (default: \(AdviceMeasurement.usualRuns))",
      valueName: "number"), transform: expecting("a number of launches"))
  var runs: Int?
  @OptionGroup var device: DeviceOption
  @Flag(help: "Also measure resident memory, in 20 launches of each build.")
  var memory = false
  @OptionGroup var repeated: RepeatedInput
  @Flag(help: "Print the result as one JSON object instead of text.")
  var json = false
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages
  @OptionGroup var limits: LaunchEndOptions<RelinkedKind>
  // The command does not use `LaunchOptions`, which would also capture options that follow the image.
  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp(
      "The program to launch, and its arguments, after '--'.", valueName: "command"))
  var command: [String] = []
  var programArguments: [String] { Array(command.dropFirst()) }

  func validate() throws {
    if pages == nil, command.isEmpty {
      throw ValidationError(
        "missing the launch: give --pages FILE, or the command to run after '--'")
    }
    try limits.check(input: repeated.input)
    let ofBuilds: [(name: String, isGiven: Bool)] = [
      ("--linker", linker != nil), ("--files", files != nil),
      ("--device", device.settings != nil), ("--memory", memory), ("--runs", runs != nil),
      (state.map { "--\($0.rawValue)" } ?? "", state != nil),
    ]
    if relink == nil, let option = ofBuilds.first(where: \.isGiven) {
      throw ValidationError("\(option.name) needs the command that links the image: give --relink")
    }
    if let runs, !(1...10_000).contains(runs) {
      throw ValidationError("invalid --runs: expected 1 to 10000, found \(runs)")
    }
    if runs != nil, measurement.states.isEmpty {
      throw ValidationError(
        "--runs is about measured launches: give --cold, --warm, --both or --device")
    }
    if device.settings != nil { try device.check(isCold: measurement.states.contains(.cold)) }
  }

  private var measurement: AdviceMeasurement {
    var measurement = AdviceMeasurement()
    measurement.states = state?.states ?? (device.settings == nil ? [] : [.cold])
    measurement.runs = runs ?? AdviceMeasurement.usualRuns
    measurement.device = device.settings
    measurement.countsMemory = memory
    return measurement
  }

  func run() throws {
    let outputFile = try destination.open(
      madeOf: [image] + [pages, repeated.input, limits.script].compactMap { $0 })
    var advice = Advice(image, in: .own)
    advice.pages = pages
    advice.relink = relink
    advice.linker = linker?.dialect
    advice.output = files
    advice.measurement = measurement
    advice.conditions = try limits.conditions(input: repeated.input)
    if !command.isEmpty { advice.command = command }
    let line = StepLine(messages)
    line.begin("advise: builds and launches")
    defer { line.end() }
    let document = try advice.run { line.note($0.wording) }
    line.end()
    try outputFile.finish(
      json ? document.json() : Array(AdviceText(document, width: destination.width).text.utf8))
    messages.print(document.warnings)
  }
}

extension AdviceDocument.Change {
  fileprivate var wording: String {
    switch outcome {
    case .measured(let build):
      "\(name): \(build.text[0]) pages of code, \(build.data.total[0]) of data"
    case .predicted, .unchanged: "\(name): no effect"
    case .failed: "\(name): can't be built"
    }
  }
}
