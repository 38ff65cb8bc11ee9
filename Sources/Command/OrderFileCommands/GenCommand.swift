import ArgumentParser
import CommandSupport
import Demangling
import FunctionOrder
import ImageModel
import OrderFileFormat
import Ordering

struct GenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gen",
    abstract: "Write an order file for the linker from the traces of one or more launches.",
    discussion: """
      EXAMPLES
        $ orderfile gen app.oftrace --image build/app -o app.order
        $ orderfile gen start.oftrace --weighted 3,open.oftrace --image build/app --split-profile app.clusters -o app.order

      For one trace, the order file lists the functions in the order of their first uses. For several traces, it \
      places the functions so that all launches together touch few pages (--strategy balanced). With --strategy \
      first-hit, it lists all functions of one launch, then the functions that only the next launch adds, and so \
      on. The order in which you name the traces makes no difference. Name a folder to read all traces and \
      profiles in it, or @FILE to read the files whose paths FILE lists.

      After the functions, the order file lists the data that launches touched. Data are known from traces of \
      builds that report loads and stores, and from documents of 'orderfile pages --json', which name the function \
      or datum touched first on each page. Without a trace, the order file lists only what such a document names.

      --image or --link-map gives the build to order. Functions are matched by name; functions that the build does \
      not have are left out and counted. Without these two options, the recorded image is the build to order.

      --split-profile needs traces of basic blocks (record --breakpoints --blocks). It writes a profile for clang \
      19 or later. When clang compiles the same sources again with -fbasic-block-sections=list=FILE, it separates \
      the blocks that ran from the rest of their functions. The order file then lists the parts that ran, followed \
      by the other parts. Functions whose blocks were recorded in another build are split if both builds have the \
      same map of basic blocks.

      --prefetch writes a C source file. Compile this file, and link it into the image together with the order \
      file. When the image starts, it then asks the kernel to read all ordered functions from the disk at once, \
      instead of waiting for each page (Linux). With a document of 'orderfile pages --json', it also asks for the \
      constants and variables that the launch touched.

      --rename-sections is for mold, which takes no order file, and for gold and GNU ld without one. These linkers sort \
      sections by name. objcopy renames the sections of the startup functions in copies of the objects, and gen \
      prints how to link the copies. The order file is then for 'diff --order' and 'verify' only.

        orderfile gen app.oftrace --linker mold --rename-sections ordered -o app.order --objects main.o libutil.a

      With --splitter bolt, the profile and the order are for llvm-bolt, which splits and orders a linked image. \
      The image must be linked with --emit-relocs, and its basic blocks must be recorded: with record --qemu, or \
      with --breakpoints --blocks if it has a map of basic blocks. gen prints the llvm-bolt command to run.

      For a universal Mach-O image, run gen once for each architecture with --arch, and concatenate the order files: \
      each entry names its architecture.
      """)

  @OptionGroup var launches: LaunchFileOptions
  @Option(
    help: ArgumentHelp(
      "Leave out functions that fewer launches used: a number such as 3, or a share of all launches such as 5%. (default: leave out none)",
      valueName: "launches"), transform: expecting("a number of launches, or a share such as 5%"))
  var minSupport: MinSupport?
  @Option(
    help: ArgumentHelp(
      "The path of a recorded image, if the image is no longer where the trace says. Repeat for more images.",
      valueName: "file"), completion: .file())
  var recorded: [String] = []
  @Option(
    help: ArgumentHelp(
      "The linked image to order. With --all-images, repeat for each image. (default: the recorded image)",
      valueName: "file"),
    completion: .file())
  var image: [String] = []
  @Option(
    help: ArgumentHelp(
      "The link map of the build to order, in place of --image or in addition to it.",
      valueName: "file"),
    completion: .file())
  var linkMap: String?
  @Option(
    help: ArgumentHelp(
      "The separate debug file that has the symbols of a stripped --image.", valueName: "file"),
    completion: .file())
  var debugFile: String?
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @Option(
    help: ArgumentHelp(
      "The linker that reads the order file. For ELF: lld, gold or gnu-ld. For Mach-O: ld-prime (Apple's since Xcode "
        + "15), ld64 (Apple's before) or lld. With --rename-sections: mold, gold or gnu-ld. (default: lld for ELF; for "
        + "Mach-O the linker that --image names, else ld-prime)",
      valueName: "linker"))
  var linker: GenLinkerOption?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The order file to write; - writes to stdout.", valueName: "file"),
    completion: .file())
  var output = "-"
  @Flag(
    help:
      "Order each recorded image. The order files go to the folder of -o; if -o names an existing file, or a path that ends with '.order', all orders go to that file."
  )
  var allImages = false
  @Option(
    help: ArgumentHelp(
      "How to place functions: first-hit or balanced. (default: balanced if there is more than one launch)",
      valueName: "strategy"))
  var strategy: OrderStrategy?
  @Option(
    help: ArgumentHelp(
      "Place functions of at least this many bytes after all smaller functions. (default: sizes make no difference)",
      valueName: "bytes"),
    transform: expecting("a number of bytes"))
  var largeLast: UInt64?
  @Option(
    help: ArgumentHelp(
      "An earlier order file, which may be the file of -o. Entries keep their places in it unless launches touch fewer "
        + "pages when they move.", valueName: "file"), completion: .file())
  var previous: String?
  @Option(
    help: ArgumentHelp(
      "With --previous: how many pages of code more than with a new order a launch may touch, on average, so that more "
        + "entries keep their places. 0 allows none. (default: 1 % of the pages)",
      valueName: "pages"),
    transform: expecting("a number of pages"))
  var lostPages: UInt32?
  @Option(
    help: ArgumentHelp(
      "The order file to write unchanged if a trace is missing, a folder has no trace, or nothing was recorded. Without "
        + "it, these are errors. It may be the file of -o.", valueName: "file"), completion: .file()
  )
  var fallback: String?
  @Option(
    help: ArgumentHelp(
      "Also write a profile by which the compiler splits functions into the basic blocks that ran and the rest.",
      valueName: "file"), completion: .file())
  var splitProfile: String?
  @Option(
    help: ArgumentHelp(
      "The tool that splits: clang, or bolt for llvm-bolt, which orders the linked image again. (default: clang)",
      valueName: "tool"))
  var splitter: SplitterOption?
  @Option(
    help: ArgumentHelp(
      "Also write a C source file that makes the image prefetch the ordered functions, and touched data, when it starts.",
      valueName: "file"), completion: .file())
  var prefetch: String?
  @Option(
    help: ArgumentHelp(
      "Copy the files of --objects to this folder, with sections renamed so that mold, gold or GNU ld places the "
        + "functions without an order file.", valueName: "folder"), completion: .directory)
  var renameSections: String?
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "With --rename-sections: the object files and archives of the link, in the order of the link.",
      valueName: "file"), completion: .file())
  var objects: [String] = []
  @Flag(
    help:
      "List each recorded function that is left out of the order file or not split, with the reason."
  )
  var listMissing = false
  @Option(
    help: ArgumentHelp("How to demangle names in messages: none, short or full.", valueName: "mode")
  )
  var demangle: DemangleOption = .full
  @Flag(help: "Print a summary as JSON on stdout. Needs -o FILE.")
  var json = false
  @OptionGroup var messages: Messages

  func validate() throws {
    try launches.check()
    if json && output == "-" {
      throw ValidationError(
        "--json needs -o FILE: the summary and the order file would both go to stdout")
    }
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
    if lostPages != nil && previous == nil {
      throw ValidationError("--lost-pages belongs to --previous")
    }
    if fallback != nil && (allImages || splitProfile != nil || prefetch != nil) {
      let other =
        allImages ? "--all-images" : splitProfile != nil ? "--split-profile" : "--prefetch"
      throw ValidationError("--fallback is one order file: it can't be used with \(other)")
    }
    try checkRenaming()
    if debugFile != nil && image.count != 1 {
      throw ValidationError("--debug-file belongs to one image: it needs exactly one --image")
    }
    if allImages && linkMap != nil {
      throw ValidationError("--link-map belongs to one image: it can't be used with --all-images")
    }
  }

  private func checkRenaming() throws {
    guard renameSections != nil else {
      if !objects.isEmpty {
        throw ValidationError("--objects belongs to --rename-sections")
      }
      if let linker, linker.dialect == nil {
        throw ValidationError(
          "\(linker.name) takes no order file: rename the sections of its objects, with --rename-sections FOLDER --objects FILE..."
        )
      }
      return
    }
    guard linker?.renaming != nil else {
      let other = linker.map { ", not \($0.name), which takes the order file" } ?? ""
      let names = RenamingLinker.all.map(\.name).joined(separator: ", ")
      throw ValidationError("--rename-sections needs --linker with one of \(names)\(other)")
    }
    if objects.isEmpty {
      throw ValidationError(
        "--rename-sections needs the object files and archives of the link: --objects FILE...")
    }
    if output == "-" {
      throw ValidationError(
        "--rename-sections needs -o FILE, for the order by which 'diff --order' checks the link")
    }
    let others = [
      ("--all-images", allImages), ("--split-profile", splitProfile != nil),
      ("--prefetch", prefetch != nil), ("--fallback", fallback != nil),
    ]
    if let other = others.first(where: \.1) {
      throw ValidationError("--rename-sections can't be used with \(other.0)")
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
    options.lostPages = lostPages.map(Int.init)
    options.split = splitProfile == nil ? nil : splitter?.format ?? SplitFormat.all[0]
    options.splitPath = splitProfile ?? ""
    options.prefetchPath = prefetch
    if let renaming = linker?.renaming, let renameSections {
      options.renaming = OrderGeneration.RenamingRequest(
        renaming, folder: renameSections, objects: objects)
    }
    options.environment = .own
    return options
  }

  private static let oneFileForBoth = ValidationError("--split-profile and -o need a file each")
  private static let ownPrefetchFile = ValidationError("--prefetch needs a file of its own")

  func run() throws {
    // Find out early if an output can't be written.
    let inputs =
      launches.files + recorded + image + objects + [linkMap, debugFile].compactMap { $0 }
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
      try orders[0].copies?.write()
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
