import ArgumentParser
import Budget
import CommandSupport
import Demangling
import ImageModel
import Prediction

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract:
      "Predict the page-ins that a new layout saves, and check that the linker followed the order file.",
    discussion: """
      EXAMPLES
        $ orderfile diff app-before build/app --trace app.oftrace --order app.order
        $ orderfile diff before.map after.map --order app.order --limit 'diff.predictedPages<=120'

      BEFORE and AFTER are linked images or link maps. The startup functions are those in the traces or, \
      without a trace, those in the order file. All numbers are predicted from the two layouts; nothing is \
      launched. --pages-before and --pages-after compare the prediction with the counts of 'orderfile \
      pages', and give a cause for each page that differs. For images of Apple platforms the prediction \
      includes the kernel's reads; --page-ins-before and --page-ins-after compare it with page-ins that \
      Instruments recorded:

        $ xcrun xctrace export --input cold-launch.trace --output before.xml --xpath \
      '/trace-toc/run[@number="1"]/data/table[@schema="virtual-memory"]'
      """)

  @Argument(help: "The linked image or link map of the old layout.", completion: .file())
  var before: String
  @Argument(help: "The linked image or link map of the new layout.", completion: .file())
  var after: String
  @Option(
    help: ArgumentHelp("A trace of a launch. Repeat for more.", valueName: "file"),
    completion: .file())
  var trace: [String] = []
  @Option(
    parsing: .unconditionalSingleValue,  // A wrong weight, such as -1, is not an option.
    help: ArgumentHelp(
      "A trace, a folder or a profile whose launches count several times: 3,FILE. Repeat for more.",
      valueName: "weight,file"))
  var weighted: [String] = []
  @Flag(help: "Leave out traces and profiles that can't be read, with a warning.")
  var keepGoing = false
  @Option(
    help: ArgumentHelp("The order file that AFTER was linked with.", valueName: "file"),
    completion: .file())
  var order: String?
  @Option(
    help: ArgumentHelp("An image that was recorded. Repeat for more.", valueName: "file"),
    completion: .file())
  var recorded: [String] = []
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @Option(
    help: ArgumentHelp(
      "The page size: 4k, 16k, 64k, or auto for the page size of the images' platform.",
      valueName: "size"))
  var pageSize = PageSizeChoice.automatic
  @Option(
    help: ArgumentHelp(
      "Bytes that Linux maps around a fault, or auto for this machine's setting. (default: 64k)",
      valueName: "bytes"), transform: expecting(KernelSize.form))
  var faultAround = KernelSize.bytes(64 << 10)
  @Option(
    help: ArgumentHelp(
      "Bytes that Linux reads ahead, or auto for the setting of AFTER's device. (default: 128k)",
      valueName: "bytes"), transform: expecting(KernelSize.form))
  var readahead = KernelSize.bytes(128 << 10)
  @OptionGroup var limits: LimitOptions<DiffResult>
  @Option(
    help: ArgumentHelp(
      "Milliseconds that one page-in costs. (default: figures published for iOS for Mach-O images, none for ELF)",
      valueName: "ms"), transform: expecting("milliseconds, such as 0.5"))
  var costMs: Double?
  @Option(
    help: ArgumentHelp(
      "An xctrace export of a recorded launch of BEFORE. Repeat for more tables.",
      valueName: "file"),
    completion: .file())
  var pageInsBefore: [String] = []
  @Option(
    help: ArgumentHelp(
      "An xctrace export of a recorded launch of AFTER. Repeat for more tables.", valueName: "file"),
    completion: .file())
  var pageInsAfter: [String] = []
  @Option(
    help: ArgumentHelp(
      "The output of 'orderfile pages --json' for BEFORE.", valueName: "file"),
    completion: .file())
  var pagesBefore: String?
  @Option(
    help: ArgumentHelp(
      "The output of 'orderfile pages --json' for AFTER.", valueName: "file"),
    completion: .file())
  var pagesAfter: String?
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle: DemangleOption = .full
  @Flag(help: "List all missing functions, not just the first ten.")
  var listMissing = false
  @Flag(help: "List each page that was only predicted or only executed.")
  var listPages = false
  @Flag(help: "Also draw the pages of both layouts: which are touched, and why.")
  var map = false
  @Option(
    help: ArgumentHelp(
      "The bytes that a character of the map shows: a power of two from 4k to 1g, at least a page; auto fits the map on 16 lines.",
      valueName: "size"), completion: MapScaleOption.defaultCompletionKind,
    transform: expecting("a power of two from 4k to 1g, or auto"))
  var mapScale: MapScaleOption?
  @Flag(help: "Print one JSON object.")
  var json = false
  @OptionGroup var destination: ReportDestination
  @OptionGroup var messages: Messages

  func validate() throws {
    try limits.check()
    if trace.isEmpty && weighted.isEmpty && order == nil {
      throw ValidationError("missing the startup functions: give --trace, --order, or both")
    }
    if mapScale != nil, !map || json {
      throw ValidationError(
        "--map-scale needs --map without --json: it is the scale of the drawn map")
    }
    if let costMs, !(costMs >= 0 && costMs <= 1000) {
      throw ValidationError("invalid --cost-ms: expected 0 to 1000 milliseconds, found \(costMs)")
    }
  }

  private func options(_ limits: CommandLimits) -> LayoutDiff.Options {
    var options = LayoutDiff.Options(before: before, after: after)
    options.launches.traces = trace
    options.launches.order = order
    options.launches.weighted = weighted
    options.launches.keepsGoing = keepGoing
    options.launches.recorded = recorded
    options.launches.architecture = arch?.architecture
    options.launches.pageSize = pageSize
    options.launches.faultAround = faultAround
    options.launches.readAhead = readahead
    options.launches.minInstrumented = limits.minimumShare(of: "diff.recordable")
    options.costMilliseconds = costMs
    options.pageInsBefore = pageInsBefore
    options.pageInsAfter = pageInsAfter
    options.measuredBefore = pagesBefore
    options.measuredAfter = pagesAfter
    options.mapsPages = map
    return options
  }

  func run() throws {
    let outputFile = try destination.open(
      madeOf: [before, after] + trace + recorded + pageInsBefore + pageInsAfter
        + [order, pagesBefore, pagesAfter].compactMap { $0 })
    let limits = try limits.limits()
    let diff = try LayoutDiff(options(limits))
    let document = diff.document
    if let scale = mapScale?.scale, scale.unit.bytes < document.prediction.pageSize.bytes {
      throw Diagnostic(
        "invalid --map-scale: expected at least a page, \(document.prediction.pageSize.wording), found \(scale.unit.wording)"
      )
    }
    try outputFile.finish(json ? document.json() : Array(text(of: diff).utf8))
    messages.print(document.warnings)
    try limits.failures(of: .diff(document), path: document.after.path, absence: document.refusal)
      .throwAll()
  }

  private func text(of diff: LayoutDiff) -> String {
    let text = DiffText(
      diff.document, width: destination.width,
      limits: DiffText.Limits(names: listMissing ? nil : 10, listsPages: listPages),
      names: Demangler(demangle.mode, of: diff.imageFormat).demangle
    ).text
    var style = PageMapStyle(scale: mapScale?.scale)
    if destination.output == "-" {
      // Files and pipes get the same bytes in all locales.
      style.isASCII = Console.width != nil && !Console.isUTF8
      style.width = Console.width ?? style.width
      style.isColoured = Console.outputIsColoured
    }
    return text + (PageMapText(diff.document, style: style)?.text ?? "")
  }
}

/// `--map-scale`.
struct MapScaleOption: ExpressibleByArgument {
  /// The chosen scale; `nil` for a scale with which the map fits.
  let scale: MapScale?

  init?(argument: String) {
    scale = MapScale(argument)
    if scale == nil, argument != "auto" { return nil }
  }

  static var defaultCompletionKind: CompletionKind { .list(["auto", "4k", "16k", "64k", "1m"]) }
}
