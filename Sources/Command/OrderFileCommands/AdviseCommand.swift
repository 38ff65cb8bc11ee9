import ArgumentParser
import Counting

struct AdviseCommand: ParsableCommand, LaunchingCommand {
  static let configuration = CommandConfiguration(
    commandName: "advise",
    abstract:
      "Name options of linkers and compilers that remove pages which a launch reads or writes.",
    discussion: """
      EXAMPLES
        $ orderfile advise build/app -- build/app --help
        $ orderfile advise app --relink 'cc -o app *.o $ORDERFILE_LDFLAGS' -- ./app --help

      --relink is a shell command that links the image with the options $ORDERFILE_LDFLAGS. It is run for each option, \
      and the pages of the launch are counted: what is said is measured. If the command names $ORDERFILE_CFLAGS, it \
      has to compile with these, and options of the compiler are tried, too. In the end the image is as it was. Without \
      --relink, only what the tables of the image tell is said, and called predicted.
      """)

  @Argument(help: ArgumentHelp("The linked image.", valueName: "image"), completion: .file())
  var image: String
  @Option(
    help: ArgumentHelp(
      "The output of 'orderfile pages --json' for the image; it also has the launch.",
      valueName: "file"), completion: .file())
  var pages: String?
  @Option(
    help: ArgumentHelp("The command that links the image, run by sh -c.", valueName: "command"))
  var relink: String?
  @OptionGroup var repeated: RepeatedInput
  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages
  @OptionGroup var limits: LaunchEndOptions<RelinkedKind>
  // Not `LaunchOptions`, which would also capture options that follow the image.
  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("The program and its arguments, after '--'.", valueName: "command"))
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
      madeOf: [image] + [pages, repeated.input].compactMap { $0 })
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
