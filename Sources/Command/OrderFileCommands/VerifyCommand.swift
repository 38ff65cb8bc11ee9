import ArgumentParser
import Demangling
import ImageModel
import Ordering

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract:
      "Compare an order file with a build: which entries are stale, and what they are called now.",
    discussion: """
      EXAMPLES
        $ orderfile verify app.order --image build/app --limit 'verify.stale<=5%'
        $ orderfile verify app.order --image build/app --update app.order

      An entry is stale if the linker of the build could not follow it:

        renamed      the build has the function under another name: suffixes and hashes that change between builds \
      are not compared, in Swift neither are the names of files, nor the numbers of closures
        missing      the build has no such symbol
        duplicate    an equal entry counts in its place
        unorderable  the build has the symbol, but it is undefined, shared, absolute, discarded or in another section

      An entry is ambiguous if several functions have its name. It is not stale: the linker places all of them, or one. \
      With several images, such as a program and its libraries, an entry counts as present if one of them has it. An \
      image does not show all that the linker saw: what it discarded is missing.

      If the order file is one of 'gen --prefetch', verify also says what the image prefetches, and how many of the \
      functions to prefetch it does not.

      --update writes the present names of renamed functions. Everything else stays as it is. A limit of verify.stale \
      counts what is stale after that; an order file without an entry for the build is all stale.
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
  @OptionGroup var limits: LimitOptions<VerifyResult>
  @Option(
    help: ArgumentHelp(
      "Write the order file with the present names of renamed functions: the order file itself, another file, or - for "
        + "stdout, without a report there.",
      valueName: "file"),
    completion: .file())
  var update: String?
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle: DemangleOption = .full
  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func validate() throws {
    try limits.check()
    if json && update == "-" && destination.output == "-" {
      throw ValidationError("--json needs -o FILE: --update - writes to stdout, too")
    }
    if let update, update != "-", update == destination.output {
      throw ValidationError("--update and -o name the same file")
    }
    if linkMap != nil && image.count != 1 {
      throw ValidationError("--link-map belongs to one image: it needs exactly one --image")
    }
    if debugFile != nil && image.count != 1 {
      throw ValidationError("--debug-file belongs to one image: it needs exactly one --image")
    }
  }

  func run() throws {
    let report = try destination.open(
      madeOf: [order] + image + [linkMap, debugFile].compactMap { $0 })
    let orderFile = try update.map { try Output($0) }
    var options = OrderFileVerification.Options(order: order, images: image)
    options.linkMap = linkMap
    options.debugFile = debugFile
    options.architecture = arch?.architecture
    options.linker = linker?.dialect
    options.outputPath = orderFile?.path
    let verification = try OrderFileVerification(options)
    let document = verification.document
    // If --update names the order file itself, a file without renamed entries is not written.
    if let bytes = verification.updated {
      try orderFile?.finish(bytes)
    } else if update != order || order == "-" {
      try orderFile?.finish(verification.bytes.copy(0..<verification.bytes.count))
    }
    let text = VerifyText(
      document, width: destination.width,
      names: Demangler(demangle.mode, of: verification.imageFormat).demangle)
    if update != "-" || destination.output != "-" {
      try report.finish(json ? document.json() : Array(text.text.utf8))
    }
    if let note = text.updateNote { messages.print(note: note) }
    messages.print(verification.warnings)
    try limits.limits().failures(
      of: .verify(VerifyFigures(document)), path: document.path,
      remedy: { $0.name == "stale" ? document.remedy : nil }
    ).throwAll()
  }
}
