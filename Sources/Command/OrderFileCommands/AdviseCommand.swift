import ArgumentParser
import Counting

struct AdviseCommand: ParsableCommand, LaunchingCommand {
  static let configuration = CommandConfiguration(
    commandName: "advise",
    abstract:
      "Find linker and compiler options with which a launch reads or writes fewer pages.",
    discussion: """
      EXAMPLES
        $ orderfile advise build/app -- build/app --help
        $ orderfile advise app --relink 'cc -o app *.o $ORDERFILE_LDFLAGS' -- ./app --help

      The command of --relink has to link the image with the options in $ORDERFILE_LDFLAGS. advise runs it once \
      for each option, launches the image and counts its pages: these results are measured. If the command also \
      contains $ORDERFILE_CFLAGS, it has to compile with the options in this variable, and advise tries compiler \
      options, too. At the end, advise restores the original image.

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
      "The shell command that links the image with $ORDERFILE_LDFLAGS. Without it, savings are only predicted.",
      valueName: "command"))
  var relink: String?
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
  }

  func run() throws {
    let outputFile = try destination.open(
      madeOf: [image] + [pages, repeated.input, limits.script].compactMap { $0 })
    var advice = Advice(image, in: .own)
    advice.pages = pages
    advice.relink = relink
    advice.inputPath = repeated.input
    advice.timeout = limits.seconds
    advice.script = try limits.readScript()
    advice.readiness = limits.readiness(advice.script)
    if !command.isEmpty { advice.command = command }
    let line = StepLine(messages)
    line.begin("advise: links and launches")
    defer { line.end() }
    let document = try advice.run { line.note($0.wording) }
    line.end()
    try outputFile.finish(
      json ? document.json() : Array(AdviceText(document, width: destination.width).text.utf8))
    messages.print(document.warnings)
  }
}

extension AdviceDocument.Option {
  fileprivate var wording: String {
    let words = (compiling + linking).joined(separator: " ")
    return switch outcome {
    case .measured(let pages):
      "\(words): \(pages.data.total[0]) pages read or written, \(pages.text[0]) of code executed"
    case .predicted, .unchanged: "\(words): no effect"
    case .failed: "\(words): can't be linked"
    }
  }
}
