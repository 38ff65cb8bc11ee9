import ArgumentParser
import Demangling
import ImageModel
import Reporting
import Workflows

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract:
      "Compare an order file with a build: which entries are stale, and what they are called now.",
    discussion: """
      EXAMPLES
        $ orderfile verify app.order --image build/app --max-stale 5%
        $ orderfile verify app.order --image build/app --update

      An entry is stale if the linker of the build could not follow it:

        renamed      the build has the function under another name: suffixes and hashes that change between builds \
      are not compared, in Swift neither are the names of files, nor the numbers of closures
        missing      the build has no such symbol
        duplicate    an equal entry counts in its place
        unorderable  the build has the symbol, but it is undefined, shared, absolute, discarded or in another section

      An ambiguous entry, whose name several functions have, is not stale: the linker places all of them, or one. With \
      several images, such as a program and its libraries, an entry counts as present if one of them has it.

      --update writes the present names of renamed functions, in place or to the file given by -o. Everything else stays \
      as it is.
      """)

  @Argument(
    help: ArgumentHelp("The order file, - for stdin.", valueName: "file"), completion: .file())
  var order: String
  @Option(
    help: ArgumentHelp("A linked image or link map. Repeat for more.", valueName: "file"),
    completion: .file())
  var image: [String]
  @Option(
    help: ArgumentHelp(
      "The link map of the only --image, which also has input sections.", valueName: "file"),
    completion: .file())
  var linkMap: String?
  @Option(
    help: ArgumentHelp("The separate debug file of a stripped --image.", valueName: "file"),
    completion: .file())
  var debugFile: String?
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @Option(
    help: ArgumentHelp(
      "The linker that the order file is for. (default: the one that --image names, else what the file looks like)",
      valueName: "linker"))
  var linker: LinkerOption?
  @Option(
    help: ArgumentHelp(
      "Exit with 2 if more than this share of the entries is stale, with --update after it.",
      valueName: "percent"))
  var maxStale: Share?
  @Flag(help: "Write the present names of renamed functions.")
  var update = false
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "With --update, the order file to write, - for stdout. (default: the order file itself)",
      valueName: "file"),
    completion: .file())
  var output: String?
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle: DemangleOption = .full
  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var messages: Messages

  func validate() throws {
    if image.isEmpty { throw ValidationError("missing the build: give --image") }
    if output != nil && !update { throw ValidationError("--output belongs to --update") }
    if update && order == "-" && output == nil {
      throw ValidationError("--update of stdin needs --output")
    }
    if json && output == "-" { throw ValidationError("--json needs -o FILE: both write to stdout") }
    if linkMap != nil && image.count != 1 {
      throw ValidationError("--link-map belongs to one image: it needs exactly one --image")
    }
    if debugFile != nil && image.count != 1 {
      throw ValidationError("--debug-file belongs to one image: it needs exactly one --image")
    }
  }

  func run() throws {
    let destination = try update ? Output(output ?? order) : nil
    var options = OrderFileVerification.Options(order: order, images: image)
    options.linkMap = linkMap
    options.debugFile = debugFile
    options.architecture = arch?.architecture
    options.linker = linker?.dialect
    options.outputPath = destination?.path
    let verification = try OrderFileVerification(options)
    let document = verification.document
    if let bytes = verification.updated {
      try destination?.finish(bytes)
    } else if output != nil {
      try destination?.finish(verification.bytes.copy(0..<verification.bytes.count))
    }
    let text = VerifyText(
      document, width: Console.width,
      names: Demangler(demangle.mode, of: verification.imageFormat).demangle)
    if json {
      try Console.print(document.json())
    } else if output != "-" {
      try Console.print(Array(text.text.utf8))
    }
    if let update = document.update {
      let lines = counted(update.lines, "line")
      messages.print(
        note: update.lines == 0
          ? "no entry is renamed: \(printable(order)) is up to date"
          : "wrote present names into \(lines): \(printable(update.outputPath))")
    }
    messages.print(verification.warnings)
    if let failure = verification.failure(maxStale) { throw failure }
  }
}
