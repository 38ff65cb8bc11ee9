import ArgumentParser
import Demangling
import FunctionOrder
import ImageModel
import OrderFileFormat
import Reporting
import Symbolication
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

  func run() throws {
    // Outputs that can't be written are found first; those of --all-images get their names from the
    // traces.
    let onlyOutput = allImages ? nil : try Output(output)
    if allImages { try Folder.make(output) }
    var inputs = try LaunchInputs(
      traces: traces, recorded: recorded, architecture: arch?.architecture)
    let fileNames =
      allImages ? inputs.traces.usedFileNames : [try inputs.fileName(forImagesNamed: image)]
    let outputs = try fileNames.map { try onlyOutput ?? Output("\(output)/\($0).order") }
    var releases = try releaseLayouts(inputs)
    var images: [(ordered: OrderedImage, format: ImageFormat)] = []
    var warnings: [Diagnostic] = []
    for (fileName, file) in zip(fileNames, outputs) {
      let release = releases.removeValue(forKey: allImages ? fileName : "")
      let generation = try OrderGeneration(&inputs, fileName: fileName, release: release)
      let order = generation.write(
        dialect: try dialect(for: generation.release),
        architecture: architecture(for: generation.release), largeFunctionBytes: largeLast,
        outputPath: file.path, traces: inputs.traces)
      try file.finish(order.bytes)
      images.append((order.image, generation.release.layout.imageFormat))
      warnings += order.warnings
      if !allImages { warnings += inputs.warnings(forImageNamed: fileName) }
    }
    if json { try Console.print(GenDocument(images: images.map(\.ordered)).json()) }
    for (image, format) in images {
      let names = Demangler(demangle.mode, of: format).demangle
      Console.printNote(GenText(image, listsMissing: explain, names: names).text)
    }
    for name in inputs.traces.fileNames where allImages && !fileNames.contains(name) {
      warnings.append(Diagnostic("nothing was recorded in '\(name)': no order file is written"))
    }
    Console.printWarnings(inputs.warnings + warnings)
  }

  private var slice: SliceChoice { SliceChoice(arch?.architecture) }

  /// What the lines are to be limited to, so that the files of several slices can be put into one: `nil`
  /// where nobody speaks of slices.
  private func architecture(for release: ReleaseLayout) -> Architecture? {
    arch?.architecture ?? release.image.flatMap { $0.isSlice ? $0.architecture : nil }
  }

  /// - Throws: if the linker of `--format` writes other images than `release`.
  private func dialect(for release: ReleaseLayout) throws(Diagnostic) -> OrderFileDialect {
    let imageFormat = release.layout.imageFormat
    let dialect = format?.dialect ?? .usual(for: imageFormat)
    guard dialect.imageFormat == imageFormat else {
      throw Diagnostic(
        "dialect mismatch: expected one for \(imageFormat.rawValue), found '\(dialect)' for "
          + dialect.imageFormat.rawValue, context: [release.path],
        hint: "use '--format \(OrderFileDialect.usual(for: imageFormat))', the default",
        severity: .mismatch)
    }
    return dialect
  }

  /// The builds that the command line gives, by the recorded image's file name; the only one by "".
  private func releaseLayouts(_ inputs: LaunchInputs) throws(Diagnostic) -> [String: ReleaseLayout]
  {
    guard allImages else {
      switch (image.first, linkMap) {
      case (let image?, let map?):
        return [
          "": try ReleaseLayout(image: image, linkMap: map, debugFile: debugFile, slice: slice)
        ]
      case (let path?, nil), (nil, let path?):
        return ["": try ReleaseLayout(path: path, debugFile: debugFile, slice: slice)]
      case (nil, nil): return [:]
      }
    }
    var releases: [String: ReleaseLayout] = [:]
    for path in image {
      let name = fileName(ofPath: path)
      guard inputs.traces.fileNames.contains(name) else {
        throw Diagnostic(
          "missing image '\(name)' in the traces", context: [path],
          hint: "the traces have \(inputs.traces.fileNames.joined(separator: ", "))",
          severity: .mismatch)
      }
      releases[name] = try ReleaseLayout(path: path, slice: slice)
    }
    return releases
  }
}
