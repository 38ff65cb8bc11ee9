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

      BEFORE and AFTER are linked images or link maps of two builds. The startup functions are the functions in \
      the traces or, without a trace, the functions in the order file. All numbers are predicted from the two \
      layouts; nothing is launched.

      --pages-before and --pages-after compare the prediction with the counts of 'orderfile pages', and give a \
      cause for each page that differs. For images of Apple platforms, the prediction includes the kernel's reads. \
      --page-ins-before and --page-ins-after compare it with page-ins that Instruments recorded; this command \
      exports them:

        $ xcrun xctrace export --input cold-launch.trace --output before.xml --xpath \
      '/trace-toc/run[@number="1"]/data/table[@schema="virtual-memory"]'
      """)

  @Argument(
    help: "The build with the old layout: a linked image or a link map.", completion: .file())
  var before: String
  @Argument(
    help: "The build with the new layout: a linked image or a link map.", completion: .file())
  var after: String
  @Option(
    help: ArgumentHelp(
      "A trace of a launch, which has the startup functions. Repeat for more traces.",
      valueName: "file"),
    completion: .file())
  var trace: [String] = []
  @Option(
    parsing: .unconditionalSingleValue,  // A wrong weight, such as -1, is not an option.
    help: ArgumentHelp(
      "A trace, profile or folder whose launches count several times: with 3,FILE, three times. Repeat for more.",
      valueName: "weight,file"))
  var weighted: [String] = []
  @Flag(help: "Leave out traces and profiles that can't be read, with a warning.")
  var keepGoing = false
  @Option(
    help: ArgumentHelp(
      "The order file with which AFTER was linked: diff checks whether the linker followed it.",
      valueName: "file"),
    completion: .file())
  var order: String?
  @Option(
    help: ArgumentHelp(
      "The path of a recorded image, if the image is no longer where the trace says. Repeat for more images.",
      valueName: "file"),
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
      "The bytes that Linux maps around a page fault, or auto for this machine's setting. (default: 64k)",
      valueName: "bytes"), transform: expecting(KernelSize.form))
  var faultAround = KernelSize.bytes(64 << 10)
  @Option(
    help: ArgumentHelp(
      "The bytes that Linux reads ahead, or auto for the setting of the device that holds AFTER. (default: 128k)",
      valueName: "bytes"), transform: expecting(KernelSize.form))
  var readahead = KernelSize.bytes(128 << 10)
  @OptionGroup var limits: LimitOptions<DiffResult>
  @Option(
    help: ArgumentHelp(
      "The milliseconds that one page-in costs, to predict the time saved. (default: figures published for iOS for Mach-O images; no time is predicted for ELF images)",
      valueName: "ms"), transform: expecting("milliseconds, such as 0.5"))
  var costMs: Double?
  @Option(
    help: ArgumentHelp(
      "The output of 'xctrace export' for a recorded launch of BEFORE. Repeat for more tables.",
      valueName: "file"),
    completion: .file())
  var pageInsBefore: [String] = []
  @Option(
    help: ArgumentHelp(
      "The output of 'xctrace export' for a recorded launch of AFTER. Repeat for more tables.",
      valueName: "file"),
    completion: .file())
  var pageInsAfter: [String] = []
  @Option(
    help: ArgumentHelp(
      "The output of 'orderfile pages --json' for a launch of BEFORE.", valueName: "file"),
    completion: .file())
  var pagesBefore: String?
  @Option(
    help: ArgumentHelp(
      "The output of 'orderfile pages --json' for a launch of AFTER.", valueName: "file"),
    completion: .file())
  var pagesAfter: String?
  @Option(help: ArgumentHelp("How to demangle names: none, short or full.", valueName: "mode"))
  var demangle: DemangleOption = .full
  @Flag(help: "List all startup functions that a layout lacks, not only the first ten.")
  var listMissing = false
  @Flag(help: "List each page that was predicted but not executed, or executed but not predicted.")
  var listPages = false
  @Flag(
    help:
      "Also draw a map of the pages of both layouts. It shows which pages a launch touches, and why."
  )
  var map = false
  @Option(
    help: ArgumentHelp(
      "With --map: the bytes that one character shows: a power of two from 4k to 1g, at least a page, or auto for a map of at most 16 lines.",
      valueName: "size"), completion: MapScaleOption.defaultCompletionKind,
    transform: expecting("a power of two from 4k to 1g, or auto"))
  var mapScale: MapScaleOption?
  @Flag(help: "Print the result as one JSON object instead of text.")
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
        "--map-scale needs --map without --json: --json draws no map")
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

/// The value of `--map-scale`.
struct MapScaleOption: ExpressibleByArgument {
  /// The scale that the user chose for the page map; `nil` for a scale with which the map fits.
  let scale: MapScale?

  init?(argument: String) {
    scale = MapScale(argument)
    if scale == nil, argument != "auto" { return nil }
  }

  static var defaultCompletionKind: CompletionKind { .list(["auto", "4k", "16k", "64k", "1m"]) }
}
