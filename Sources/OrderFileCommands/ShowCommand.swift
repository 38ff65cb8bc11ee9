import ArgumentParser
import ByteReading
import Demangling
import ImageModel
import LinkMapFormat
import OrderFileFormat
import Reporting
import Symbolication
import Workflows

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print what a trace, an image, a link map or an order file says.",
    discussion: """
      EXAMPLES
        $ orderfile show app.oftrace
        $ orderfile show --json build/app | jq '.functions | length'

      The kind of file is recognized by its contents.
      """)

  @Argument(help: ArgumentHelp("The file, - for stdin.", valueName: "file"), completion: .file())
  var file: String
  @Option(help: ArgumentHelp("Names for people: none, short or full.", valueName: "mode"))
  var demangle: DemangleOption?
  @Option(
    help: ArgumentHelp("The image a trace was recorded in. Repeat for more.", valueName: "file"),
    completion: .file())
  var recorded: [String] = []
  @Option(
    help: ArgumentHelp("Separate debug file of a stripped image.", valueName: "file"),
    completion: .file())
  var debugFile: String?
  @Option(help: ArchitectureOption.help)
  var arch: ArchitectureOption?
  @Flag(help: "Print one JSON object.")
  var json = false
  @Option(
    name: .shortAndLong, help: ArgumentHelp("Where to print, - for stdout.", valueName: "file"),
    completion: .file())
  var output = "-"

  func run() throws {
    let outputFile = try Output(output)
    var warnings: [Diagnostic] = []
    let bytes = try InputFile.bytes(file)
    let document = try report(bytes, &warnings)
    try outputFile.finish(document)
    Console.printWarnings(warnings)
  }

  /// Text shows names demangled unless asked otherwise; JSON adds them only if asked.
  private func wording(
    of format: ImageFormat?
  ) -> (text: NameWording, json: NameWording?) {
    let wording: NameWording = Demangler(demangle?.mode ?? .full, of: format).demangle
    if demangle == nil { return (wording, nil) }
    return (wording, wording)
  }
  private var width: Int? { output == "-" ? Console.width : nil }

  private func report(
    _ bytes: FileBytes, _ warnings: inout [Diagnostic]
  ) throws(Diagnostic) -> OutputFile.Document {
    let kind = FileKind(of: bytes)
    switch kind {
    case .trace:
      let document = try traceReport(bytes, &warnings)
      return { $0(document) }
    case .objectFile:
      let layout = try ReleaseLayout(
        bytes, of: kind, path: file, debugFile: debugFile, slice: SliceChoice(arch?.architecture))
      warnings += layout.warnings
      guard let image = layout.image else { return { _ in } }
      let report = ImageReport(image)
      let names = wording(of: layout.layout.imageFormat)
      return json
        ? { report.json(demangle: names.json, to: $0) }
        : { $0(Array(report.text(width: width, names: names.text).utf8)) }
    case .linkMap(let grammar):
      let layout = try ReleaseLayout(bytes, of: kind, path: file)
      warnings += layout.warnings
      let report = LinkMapReport(path: file, linker: grammar.name, layout: layout.layout)
      let names = wording(of: layout.layout.imageFormat)
      return json
        ? { report.json(demangle: names.json, to: $0) }
        : { $0(Array(report.text(width: width, names: names.text).utf8)) }
    case .other:
      let document = try orderFileReport(bytes, &warnings)
      return { $0(document) }
    }
  }

  private func orderFileReport(
    _ bytes: FileBytes, _ warnings: inout [Diagnostic]
  ) throws(Diagnostic) -> [UInt8] {
    let order = try InputFile.orderFile(
      bytes, file, hint: "expected a trace, a linked image, a link map or an order file")
    guard !order.isProse else {
      throw Diagnostic(
        "unsupported file: expected a trace, a linked image, a link map of \(LinkMapGrammar.names()), "
          + "or an order file, found other text", context: [file])
    }
    warnings += order.warnings.map {
      Diagnostic("\($0)", context: [file])
    }
    let report = OrderFileReport(
      path: file, dialect: order.dialect.name,
      entries: zip(order.entries, order.lines).map {
        let isSection = order.dialect.namesSections
        let name = isSection ? $0.section ?? $0.symbol : $0.symbol
        return OrderFileReport.Entry(
          name: SymbolName(bytes: name), line: $1,
          objectFile: isSection ? nil : $0.objectFile.map { SymbolName(bytes: $0) },
          architecture: $0.architecture.map { SymbolName(bytes: $0) })
      })
    let names = wording(of: nil)  // a plain list of names is any linker's
    return json
      ? report.json(demangle: names.json) : Array(report.text(width: width, names: names.text).utf8)
  }

  private func traceReport(
    _ bytes: FileBytes, _ warnings: inout [Diagnostic]
  ) throws(Diagnostic) -> [UInt8] {
    let trace = Trace(try InputFile.traceFile(bytes, file), path: file)
    var images = RecordedImages()
    for path in recorded { try images.add(path: path, arch?.architecture, recordedIn: [trace]) }
    if !trace.isSealed { images.add(imagesOf: trace) }
    warnings += images.warnings
    if !trace.isSealed { warnings += images.mismatches(of: trace) }
    let functions = trace.images.indices.map { index in
      images.image(for: trace.images[index]).map { RecordedImage($0) }
        ?? RecordedImage(namesOf: trace, group: [index])
    }
    let report = TraceReport(
      trace,
      hitNames: trace.hits.map { hit in
        let entered = hit.entry.flatMap { functions[hit.image].body(holding: $0) }
        let ran = hit.calledFrom.flatMap { functions[hit.image].body(holding: $0) }
        return [entered, ran == entered ? nil : ran].compactMap { $0?.names.first }
      }, functions: ExecutedFunction.all(of: trace, in: functions))
    let names = wording(of: trace.imageFormat)
    return json
      ? report.json(demangle: names.json) : Array(report.text(width: width, names: names.text).utf8)
  }
}

extension ExecutedFunction {
  /// What `trace` used of each function; nothing if no basic blocks were recorded.
  ///
  /// - Parameter images: parallel to those of the trace.
  fileprivate static func all(of trace: Trace, in images: [RecordedImage]) -> [ExecutedFunction] {
    guard trace.images.contains(where: { $0.blockCount > 0 }) else { return [] }
    var functions: [ExecutedFunction] = []
    for group in trace.imageGroups {
      let recorded = RecordedFunctions(trace, group: group, in: images[group[0]])
      functions += recorded.uses.map { use in
        ExecutedFunction(
          step: use.step, image: group[0], address: use.address, name: use.names.first,
          sizeBytes: use.size, executedBytes: use.executedBytes,
          blockCount: use.blocks.isEmpty ? nil : use.blocks.count)
      }
    }
    return functions.sorted { ($0.step, $0.image, $0.address) < ($1.step, $1.image, $1.address) }
  }
}

extension OrderFile {
  /// Most lines hold blanks: names seldom do, and other text is a list of names to ld.lld's rules. Or it is
  /// XML, as a property list is.
  fileprivate var isProse: Bool {
    guard dialect == .lld else { return false }
    if let first = entries.first, first.symbol.starts(with: "<?xml ".utf8) { return true }
    let withBlanks = entries.filter { $0.symbol.contains(UInt8(ascii: " ")) }
    return 2 * withBlanks.count > entries.count
  }
}
