import ArgumentParser
import Demangling
import Reporting
import Workflows

struct GenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gen",
    abstract: "Write the order file that a linker takes, from one or more traces.",
    discussion: """
      EXAMPLES
        $ orderfile gen app.oftrace --image build/app -o app.order
        $ orderfile gen start.oftrace open.oftrace --link-map app.map --format gold

      Traces are taken in sequence: all of the first, then what the second adds. Names cross from the \
      recorded build to the one given by --image or --link-map; those it doesn't have are left out and \
      counted. Without either, the recorded image is the one to be ordered.

      For a universal image of Mach-O run it once for each architecture with --arch: each line then says \
      which it is for, and the files can be put into one.
      """)

  @Argument(help: ArgumentHelp("Traces.", valueName: "trace"), completion: .file())
  var traces: [String]
  @Option(
    help: ArgumentHelp(
      "An image that was recorded, if it is no longer where the trace says. Repeat for more.",
      valueName: "file"), completion: .file())
  var recorded: [String] = []
  @Option(
    help: ArgumentHelp(
      "The build to be ordered. With --all-images repeat it for each.", valueName: "file"),
    completion: .file())
  var image: [String] = []
  @Option(
    help: ArgumentHelp("Link map of the build to be ordered.", valueName: "file"),
    completion: .file())
  var linkMap: String?
  @Option(
    help: ArgumentHelp("Separate debug file of a stripped --image.", valueName: "file"),
    completion: .file())
  var debugFile: String?
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @Option(
    help: ArgumentHelp(
      "The linker: lld, gold, gnu-ld, or ld64 for Apple's and LLVM's ld64.lld. (default: ld64 for "
        + "Mach-O, lld for ELF)", valueName: "linker"))
  var format: FormatOption?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The order file to write, - for stdout.", valueName: "file"),
    completion: .file())
  var output = "-"
  @Flag(help: "Write one order file per recorded image into the folder given by -o.")
  var allImages = false
  @Option(
    help: ArgumentHelp(
      "Put functions of at least so many bytes behind the smaller ones.", valueName: "bytes"))
  var largeLast: UInt64?
  @Flag(help: "List each recorded function that was left out, and why.")
  var explain = false
  @Option(help: ArgumentHelp("Names in messages: none, short or full.", valueName: "mode"))
  var demangle: DemangleOption = .full
  @Flag(help: "Print a summary as JSON on stdout; needs -o FILE.")
  var json = false

  func validate() throws {
    if traces.isEmpty { throw ValidationError("missing a trace") }
    if json && output == "-" { throw ValidationError("--json needs -o FILE: both write to stdout") }
    if allImages && output == "-" { throw ValidationError("--all-images needs -o FOLDER") }
    if !allImages && image.count > 1 {
      throw ValidationError("more than one --image needs --all-images")
    }
    if debugFile != nil && image.count != 1 {
      throw ValidationError("--debug-file is of one image: it needs one --image")
    }
    if allImages && linkMap != nil {
      throw ValidationError("--link-map is of one image: it can't be used with --all-images")
    }
  }

  private var options: OrderGeneration.Options {
    var options = OrderGeneration.Options(traces: traces)
    options.recorded = recorded
    options.builds =
      allImages
      ? .each(images: image)
      : .one(image: image.first, linkMap: linkMap, debugFile: debugFile)
    options.architecture = arch?.architecture
    options.dialect = format?.dialect
    options.largeFunctionBytes = largeLast
    return options
  }

  func run() throws {
    // Outputs that can't be written are found first; those of --all-images get their names from the
    // traces.
    let onlyOutput = allImages ? nil : try Output(output)
    if allImages { try Folder.make(output) }
    var generation = try OrderGeneration(options)
    let outputs = try generation.fileNames.map { try onlyOutput ?? Output("\(output)/\($0).order") }
    var orders: [GeneratedOrder] = []
    for (fileName, file) in zip(generation.fileNames, outputs) {
      let order = try generation.order(ofImageNamed: fileName, outputPath: file.path)
      try file.finish(order.bytes)
      orders.append(order)
    }
    if json {
      try Console.print(GenDocument(images: orders.map(\.image), unused: generation.unused).json())
    }
    for order in orders {
      let names = Demangler(demangle.mode, of: order.imageFormat).demangle
      Console.printNote(GenText(order.image, listsMissing: explain, names: names).text)
    }
    Console.printWarnings(generation.warnings)
  }
}
