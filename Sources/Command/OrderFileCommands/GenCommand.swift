import ArgumentParser
import CommandSupport
import Demangling
import FunctionOrder
import ImageModel
import Ordering
import Reports

struct GenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gen",
    abstract: "Write an order file for the linker, from traces of one or more launches.",
    discussion: """
      EXAMPLES
        $ orderfile gen app.oftrace --image build/app -o app.order
        $ orderfile gen start.oftrace --weighted 3,open.oftrace --image build/app --split-profile app.clusters -o app.order

      The order file lists the functions of one trace in the order of first uses. Those of several are placed so that \
      all their launches together touch few pages (--strategy balanced); with --strategy first-hit, all functions of \
      one launch come first, then those that the next adds, and so on. Which trace is named first makes no difference. \
      Name a folder to read all traces and profiles in it, or @FILE to read the files whose paths FILE lists.

      Data that launches touched are listed behind the functions: from traces of builds that report loads and stores, \
      and from documents of 'orderfile pages --json', which name what was first on each page. Such documents alone, \
      without a trace, also list the functions that ran first on a page.

      --image or --link-map gives the build to order; functions are matched by name, and those that the \
      build does not have are left out and counted. Without --image and --link-map, the recorded image is the build to order.

      --split-profile needs traces of basic blocks (record --breakpoints --blocks). It writes a profile by which clang 19 or \
      later, when it compiles the same sources again with -fbasic-block-sections=list=FILE, separates the blocks that \
      ran from the rest of their functions. The order file then lists the parts that ran, and behind them the rest. \
      Functions whose blocks were recorded in another build are split if both builds have the same map of blocks.

      --prefetch writes a C source file. Compile it, and link it into the image together with the order file. The image \
      then starts by asking the kernel to read all ordered functions from the disk, and does not wait for each page (Linux).

      With --splitter bolt, profile and order are for llvm-bolt, which splits and orders the linked image itself: one \
      that was linked with --emit-relocs, and recorded with record --qemu or by the blocks of its map. The command \
      to run is printed.

      For a universal Mach-O image, run it once for each architecture with --arch: each entry then names \
      its architecture, and the files can be concatenated.
      """)

  @OptionGroup var launches: LaunchFileOptions
  @Option(
    help: ArgumentHelp(
      "Leave out functions that fewer launches used: a number of launches, or a percentage of them: 5%.",
      valueName: "launches"), transform: expecting("a number of launches, or a share such as 5%"))
  var minSupport: MinSupport?
  @Option(
    help: ArgumentHelp(
      "A recorded image, if it is no longer where the trace says. Repeat for more.",
      valueName: "file"), completion: .file())
  var recorded: [String] = []
  @Option(
    help: ArgumentHelp(
      "The image to order. With --all-images, repeat for each image.", valueName: "file"),
    completion: .file())
  var image: [String] = []
  @Option(
    help: ArgumentHelp("The link map of the build to order.", valueName: "file"),
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
      "The linker: lld, gold or gnu-ld; for Mach-O ld-prime (Apple's since Xcode 15), ld64 (Apple's before) or "
        + "lld. (default: for Mach-O the one that --image names, else ld-prime; lld for ELF)",
      valueName: "linker"))
  var linker: LinkerOption?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The order file to write, - for stdout.", valueName: "file"),
    completion: .file())
  var output = "-"
  @Flag(
    help:
      "Order each recorded image: an order file for each in the folder given by -o, or all orders in the file given by -o, if that exists or ends with '.order'."
  )
  var allImages = false
  @Option(
    help: ArgumentHelp(
      "How to place functions: first-hit or balanced. (default: balanced if there is more than one launch)",
      valueName: "strategy"))
  var strategy: OrderStrategy?
  @Option(
    help: ArgumentHelp(
      "Place functions of at least this many bytes after the smaller ones.", valueName: "bytes"),
    transform: expecting("a number of bytes"))
  var largeLast: UInt64?
  @Option(
    help: ArgumentHelp(
      "An earlier order file, which may be the file of -o: entries keep their places in it unless something is gained by "
        + "moving them.", valueName: "file"), completion: .file())
  var previous: String?
  @Option(
    help: ArgumentHelp(
      "The order file to use unchanged if a trace does not exist, a folder has no trace, or nothing was recorded; it may be "
        + "the file of -o.", valueName: "file"), completion: .file())
  var fallback: String?
  @Option(
    help: ArgumentHelp(
      "Also write a profile by which functions are split into what ran and what did not.",
      valueName: "file"), completion: .file())
  var splitProfile: String?
  @Option(
    help: ArgumentHelp(
      "The tool that splits: clang, or bolt for llvm-bolt, which orders the linked image again. (default: clang)",
      valueName: "tool"))
  var splitter: SplitterOption?
  @Option(
    help: ArgumentHelp(
      "Also write a C source file that makes the image prefetch the ordered functions when it starts.",
      valueName: "file"), completion: .file())
  var prefetch: String?
  @Flag(help: "List all recorded functions that are left out or stay whole, and why.")
  var listMissing = false
  @Option(
    help: ArgumentHelp("How to demangle names in messages: none, short or full.", valueName: "mode")
  )
  var demangle: DemangleOption = .full
  @Flag(help: "Print a summary as JSON on stdout; needs -o FILE.")
  var json = false
  @OptionGroup var messages: Messages

  func validate() throws {
    try launches.check()
    if json && output == "-" { throw ValidationError("--json needs -o FILE: both write to stdout") }
    if allImages && output == "-" {
      throw ValidationError("--all-images needs -o FOLDER, or -o FILE")
    }
    if !allImages && image.count > 1 {
      throw ValidationError("more than one --image needs --all-images")
    }
    if splitProfile != nil && (allImages || linkMap != nil) {
      throw ValidationError("--split-profile needs one linked image: give it with --image")
    }
    if splitProfile == "-" { throw Self.oneFileForBoth }
    if let prefetch {
      if allImages { throw ValidationError("--prefetch can't be used with --all-images") }
      if prefetch == "-" || prefetch == splitProfile { throw Self.ownPrefetchFile }
    }
    if splitter != nil && splitProfile == nil {
      throw ValidationError("--splitter belongs to --split-profile")
    }
    let isForLinker = splitter?.format.isForLinker ?? true
    if !isForLinker && prefetch != nil {
      throw ValidationError(
        "--prefetch and --splitter bolt can't be used together: BOLT moves functions, but not the anchors"
      )
    }
    if !isForLinker && linker != nil {
      throw ValidationError(
        "--linker and --splitter bolt can't be used together: BOLT is no linker")
    }
    if previous != nil && (allImages || !isForLinker) {
      throw ValidationError(
        "--previous is an order file of one image for a linker: it can't be used with "
          + (allImages ? "--all-images" : "--splitter bolt"))
    }
    if fallback != nil && (allImages || splitProfile != nil || prefetch != nil) {
      let other = allImages ? "--all-images" : splitProfile != nil ? "--split-profile" : "--prefetch"
      throw ValidationError("--fallback is one order file: it can't be used with \(other)")
    }
    if debugFile != nil && image.count != 1 {
      throw ValidationError("--debug-file belongs to one image: it needs exactly one --image")
    }
    if allImages && linkMap != nil {
      throw ValidationError("--link-map belongs to one image: it can't be used with --all-images")
    }
  }

  private var options: OrderGeneration.Options {
    var options = OrderGeneration.Options(traces: launches.files)
    options.weighted = launches.weighted
    options.keepsGoing = launches.keepGoing
    options.minSupport = minSupport ?? .launches(1)
    options.recorded = recorded
    options.builds =
      allImages
      ? .each(images: image)
      : .one(image: image.first, linkMap: linkMap, debugFile: debugFile)
    options.architecture = arch?.architecture
    options.linker = linker?.dialect
    options.strategy = strategy
    options.largeFunctionBytes = largeLast
    options.previous = previous
    options.split = splitProfile == nil ? nil : splitter?.format ?? SplitFormat.all[0]
    options.splitPath = splitProfile ?? ""
    options.prefetchPath = prefetch
    options.environment = .own
    return options
  }

  private static let oneFileForBoth = ValidationError("--split-profile and -o need a file each")
  private static let ownPrefetchFile = ValidationError("--prefetch needs a file of its own")

  func run() throws {
    // Find out early if an output can't be written.
    let inputs = launches.files + recorded + image + [linkMap, debugFile].compactMap { $0 }
    let fallbackOrder = try fallback.map { path throws(Diagnostic) in
      try FallbackOrder(path, linker: linker?.dialect)
    }
    let onlyOutput = allImages ? nil : try Output(output, madeOf: inputs)
    if let splitProfile { try OutputFile.check(splitProfile, isNoneOf: inputs) }
    let profile = try splitProfile.map { try OutputFile($0) }
    if let profile, case .file(let file)? = onlyOutput, file.isSameFile(as: profile) {
      throw Self.oneFileForBoth
    }
    if let prefetch { try OutputFile.check(prefetch, isNoneOf: inputs) }
    let source = try prefetch.map { try OutputFile($0) }
    for other in [profile, onlyOutput?.file].compactMap({ $0 }) {
      if let source, other.isSameFile(as: source) { throw Self.ownPrefetchFile }
    }
    let ordersOutput = allImages ? try OrdersOutput(output, madeOf: inputs) : nil
    do {
      try generate(to: onlyOutput, profile, source, ordersOutput)
    } catch let error as Diagnostic {
      guard let fallbackOrder, let onlyOutput,
        let document = fallbackOrder.document(after: error, outputPath: output)
      else { throw error }
      try onlyOutput.finish(fallbackOrder.bytes)
      if json { try Console.print(document.json()) }
      messages.print(note: document.fallback?.text ?? "")
    }
  }

  private func generate(
    to onlyOutput: Output?, _ profile: OutputFile?, _ source: OutputFile?,
    _ ordersOutput: OrdersOutput?
  ) throws {
    var generation = try OrderGeneration(options)
    var orders: [GeneratedOrder] = []
    if let ordersOutput { orders = try ordersOutput.write(&generation) }
    if let onlyOutput, let fileName = generation.fileNames.first {
      orders = [try generation.order(ofImageNamed: fileName, outputPath: onlyOutput.path)]
      if let profile, let bytes = orders[0].splitProfile { try profile.finish(bytes) }
      if let source, let bytes = orders[0].prefetchSource { try source.finish(bytes) }
      try onlyOutput.finish(orders[0].bytes)
    }
    if json {
      try Console.print(GenDocument(images: orders.map(\.image), unused: generation.unused).json())
    }
    for order in orders {
      let names = Demangler(demangle.mode, of: order.imageFormat).demangle
      messages.print(
        note: GenText(order.image, listsMissing: listMissing, names: names).text)
    }
    messages.print(generation.warnings)
  }
}
