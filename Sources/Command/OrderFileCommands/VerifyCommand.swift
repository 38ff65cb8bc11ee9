import ArgumentParser
import Demangling
import ImageModel
import Ordering

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract:
      "Compare an order file with a build: list stale entries, and the new names of renamed functions.",
    discussion: """
      EXAMPLES
        $ orderfile verify app.order --image build/app --limit 'verify.stale<=5%'
        $ orderfile verify app.order --image build/app --update app.order

      An entry is stale if the linker of the build could not follow it:

        renamed      the build has the function under another name, which differs only in parts that change from build \
      to build: suffixes, hashes and, in Swift, names of files and numbers of closures
        missing      the build has no such symbol
        duplicate    the order file has the same entry twice
        unorderable  the build has the symbol, but it is undefined, shared, absolute, discarded or in another section

      An entry is ambiguous if several functions have its name. An ambiguous entry is not stale: the linker places one \
      or all of these functions. With several images, such as a program and its libraries, an entry is present if one of \
      the images has its symbol. An image does not have the symbols that the linker discarded, so their entries are missing.

      If the order file was written by 'gen --prefetch', verify also says what the image prefetches, and how many \
      of the functions to prefetch it misses. With --pages, verify also says how many of the pages that a launch \
      touched are not prefetched.

      --update writes the order file with the present names of renamed functions, and changes nothing else. A limit on \
      verify.stale counts the entries that are stale after the update. If no entry is for this build, 100% are stale.
      """)

  @Argument(
    help: ArgumentHelp("The order file to check; - reads stdin.", valueName: "file"),
    completion: .file())
  var order: String
  @Option(
    help: ArgumentHelp(
      "The build: a linked image or a link map. Repeat for more images.", valueName: "file"),
    completion: .file())
  var image: [String]
  @Option(
    help: ArgumentHelp(
      "The link map of the only --image. It also has the input sections, which entries may name.",
      valueName: "file"),
    completion: .file())
  var linkMap: String?
  @Option(
    help: ArgumentHelp(
      "The separate debug file that has the symbols of a stripped --image.", valueName: "file"),
    completion: .file())
  var debugFile: String?
  @Option(
    help: ArgumentHelp(
      "Compare what the only --image prefetches with the pages that a launch touched: a document of 'orderfile pages --json'.",
      valueName: "file"),
    completion: .file())
  var pages: String?
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @Option(
    help: ArgumentHelp(
      "The linker that reads the order file. (default: the linker that --image names, or else the linker whose order files look like this)",
      valueName: "linker"))
  var linker: LinkerOption?
  @OptionGroup var limits: LimitOptions<VerifyResult>
  @Option(
    help: ArgumentHelp(
      "Write the order file, with the present names of renamed functions, to this file. It may be the order file itself. "
        + "With -, stdout gets the order file and not the result.",
      valueName: "file"),
    completion: .file())
  var update: String?
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle: DemangleOption = .full
  @Flag(help: "Print the result as one JSON object instead of text.")
  var json = false
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func validate() throws {
    try limits.check()
    if json && update == "-" && destination.output == "-" {
      throw ValidationError(
        "--json and --update - would both write to stdout: give -o FILE for the JSON")
    }
    if let update, update != "-", update == destination.output {
      throw ValidationError("--update and -o name the same file")
    }
    if linkMap != nil && image.count != 1 {
      throw ValidationError("--link-map belongs to one image: it needs exactly one --image")
    }
    if pages != nil && image.count != 1 {
      throw ValidationError("--pages belongs to one image: it needs exactly one --image")
    }
    if debugFile != nil && image.count != 1 {
      throw ValidationError("--debug-file belongs to one image: it needs exactly one --image")
    }
  }

  func run() throws {
    let report = try destination.open(
      madeOf: [order] + image + [linkMap, debugFile, pages].compactMap { $0 })
    let orderFile = try update.map { try Output($0) }
    var options = OrderFileVerification.Options(order: order, images: image)
    options.linkMap = linkMap
    options.pages = pages
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
