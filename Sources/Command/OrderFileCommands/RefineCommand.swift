import ArgumentParser
import CommandSupport
import Counting
import Demangling
import ImageModel

struct RefineCommand: ParsableCommand, LaunchingCommand {
  static let configuration = CommandConfiguration(
    commandName: "refine",
    abstract: "Improve an order file by relinking and counting the pages that a launch touches.",
    discussion: """
      EXAMPLES
        $ orderfile refine --order a.order --image a --relink ./link.sh -- ./a --help
        $ orderfile refine --order a.order --image a --relink 'make a' -o b.order -- ./a

      The command of --relink has to link the image with the order file in $ORDERFILE_ORDER. refine adds functions \
      that the launch runs but the order file lacks. It tries to move functions that do not run, and large \
      functions, to the end. After each change, it links and launches the image, and keeps the change if the \
      launch executes fewer pages. The result is never worse than the given order file. If refine is interrupted, \
      it writes the best order so far, unless this is the given order.

      With --launches, refine makes the launches of a file, and compares the sums of their pages.

      With --split-profile a.clusters, refine also improves this profile for splitting functions: blocks that ran \
      but were split off join the other blocks that ran. The command of --relink then has to compile with the \
      profile in $ORDERFILE_SPLIT. refine replaces the order file and the profile.
      """)

  @Option(
    help: ArgumentHelp("The order file to start from.", valueName: "file"), completion: .file())
  var order: String
  @Option(
    help: ArgumentHelp(
      "The image that the command of --relink creates. It is removed before each link.",
      valueName: "file"),
    completion: .file())
  var image: String
  @Option(
    help: ArgumentHelp(
      "The shell command that links the image with the order file in $ORDERFILE_ORDER.",
      valueName: "command"))
  var relink: String
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The order file to write. (default: the file given by --order)", valueName: "file"),
    completion: .file())
  var output: String?
  @Option(
    help: ArgumentHelp(
      "Also improve this profile for splitting functions, which 'gen --split-profile' wrote and the command of --relink uses.",
      valueName: "file"),
    completion: .file())
  var splitProfile: String?
  @Option(
    help:
      "The page size for which pages are saved: 4k, 16k, 64k, or auto for this machine's page size."
  )
  var pageSize: PageSizeChoice = .automatic
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle: DemangleOption = .full
  @OptionGroup var repeated: RepeatedInput
  @OptionGroup var described: LaunchSetOptions
  @Flag(help: "Print the result as one JSON object instead of text.")
  var json = false
  @OptionGroup var messages: Messages
  @OptionGroup var launched: LaunchOptions<RelinkedKind>
  var programArguments: [String] { Array(launched.words.dropFirst()) }

  func validate() throws {
    try launched.check(
      for: self, isRequired: described.launches == nil, input: repeated.input)
    try described.check(
      others: [("a command", !launched.words.isEmpty), ("--input", repeated.input != nil)]
        + launched.limits.given)
    if splitProfile != nil, output != nil {
      throw ValidationError(
        "--split-profile can't be used with -o: it replaces the given order file and profile, which belong together"
      )
    }
    if splitProfile == "-" || order == "-" && splitProfile != nil {
      throw ValidationError(
        "--split-profile needs the order file and the profile as files: it replaces both")
    }
    if output == "-" {
      throw ValidationError("the refined order can't be written to stdout: give -o FILE")
    }
  }

  private func launches() throws(Diagnostic) -> [OrderFileRefinement.Launch] {
    if let launches = try described.read(RelinkedKind.self) {
      return try launches.map { launch throws(Diagnostic) in try .init(launch) }
    }
    return [.init(launched.words, try launched.limits.conditions(input: repeated.input))]
  }

  func run() throws {
    var refinement = OrderFileRefinement(
      order: order, image: image, relink: relink, output: output ?? order,
      launches: try launches(), in: .own)
    refinement.pageSize = pageSize
    refinement.split = splitProfile
    let line = StepLine(messages)
    line.begin("refine: links and launches")
    defer { line.end() }
    let result = try refinement.run { step in line.note(step.wording) }
    line.end()
    for note in result.notes { messages.print(note: note.description) }
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
