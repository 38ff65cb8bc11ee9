import ArgumentParser
import CommandSupport
import Counting
import Demangling

struct RefineCommand: ParsableCommand, LaunchingCommand {
  static let configuration = CommandConfiguration(
    commandName: "refine",
    abstract: "Improve an order file by relinking and counting the pages that a launch touches.",
    discussion: """
      EXAMPLES
        $ orderfile refine --order a.order --image a --relink ./link.sh -- ./a --help
        $ orderfile refine --order a.order --image a --relink 'make a' -o b.order -- ./a

      --relink is a shell command that links the image with the order file $ORDERFILE_ORDER. refine adds \
      functions that the launch runs and the order file lacks, and tries moving functions that do not run, \
      and large ones, to the end. After each change it relinks and launches the image, and keeps the change \
      if the launch executes fewer pages. The result is never worse than the given order file. If \
      interrupted, it writes the best order so far, unless that is the given one.

      With --split-profile a.clusters, functions are split again, too: blocks that ran, but had been split off, join the other blocks that ran. --relink \
      then compiles with the profile $ORDERFILE_SPLIT, and both files are replaced.
      """)

  @Option(
    help: ArgumentHelp("The order file to start from.", valueName: "file"), completion: .file())
  var order: String
  @Option(
    help: ArgumentHelp(
      "The image that --relink creates; it is removed before each link.", valueName: "file"),
    completion: .file())
  var image: String
  @Option(
    help: ArgumentHelp("The command that links the image, run by sh -c.", valueName: "command"))
  var relink: String
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The order file to write. (default: the file given by --order)", valueName: "file"),
    completion: .file())
  var output: String?
  @Option(
    help: ArgumentHelp(
      "The profile by which --relink splits functions (gen --split-profile); it is improved, too.",
      valueName: "file"),
    completion: .file())
  var splitProfile: String?
  @Option(help: "The page size to optimize for: 4k, 16k, 64k, or auto for this machine's.")
  var pageSize: PageSizeChoice = .automatic
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle: DemangleOption = .full
  @OptionGroup var repeated: RepeatedInput
  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var messages: Messages
  @OptionGroup var launched: LaunchOptions<RelinkedKind>
  var programArguments: [String] { Array(launched.words.dropFirst()) }

  func validate() throws {
    try launched.check(for: self, input: repeated.input)
    if splitProfile != nil, output != nil {
      throw ValidationError(
        "--split-profile replaces the given order and profile, which belong together: it can't be used with -o"
      )
    }
    if splitProfile == "-" || order == "-" && splitProfile != nil {
      throw ValidationError(
        "--split-profile replaces the given order and profile: they must be files")
    }
    if output == "-" {
      throw ValidationError("the refined order can't be written to stdout: give -o FILE")
    }
  }

  func run() throws {
    var refinement = OrderFileRefinement(
      order: order, image: image, relink: relink, output: output ?? order,
      program: try launched.launch(), in: .own)
    refinement.pageSize = pageSize
    refinement.split = splitProfile
    refinement.inputPath = repeated.input
    let line = StepLine(messages)
    line.begin("refine: links and launches")
    defer { line.end() }
    let result = try refinement.run { step in line.note(step.wording) }
    line.end()
    if let failure = result.failure {
      messages.print(
        note: result.isWritten
          ? "wrote the best order so far: \(result.document.outputPath)"
          : "found no better order: nothing was written")
      throw failure
    }
    if json {
      try Console.print(result.document.json())
    } else {
      try Console.print(RefineText(result.document, names: Demangler(demangle.mode).demangle).text)
    }
    messages.print(result.warnings)
  }
}
