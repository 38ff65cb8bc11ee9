import Addresses
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
    try outputFile.finish(try shown(bytes, &warnings))
    Console.printWarnings(warnings)
  }

  /// `document` as it was asked for. Text shows names demangled unless asked otherwise; JSON adds them only
  /// if asked.
  ///
  /// - Parameter format: of the image whose names are in it; `nil` if that is unknown.
  private func form(
    _ document: some ShownDocument, of format: ImageFormat?,
    text: @escaping (_ width: Int?, @escaping NameWording) -> String
  ) -> OutputFile.Document {
    let names: NameWording = Demangler(demangle?.mode ?? .full, of: format).demangle
    if json {
      let demangled = demangle == nil ? nil : names
      return { document.json(demangle: demangled, to: $0) }
    }
    let width = output == "-" ? Console.width : nil
    return { $0(Array(text(width, names).utf8)) }
  }

  private func shown(
    _ bytes: FileBytes, _ warnings: inout [Diagnostic]
  ) throws(Diagnostic) -> OutputFile.Document {
    let kind = FileKind(of: bytes)
    switch kind {
    case .trace:
      let document = try traceDocument(bytes, &warnings)
      return form(document, of: document.trace.imageFormat) {
        TraceText(document, width: $0, names: $1).text
      }
    case .objectFile:
      let layout = try ReleaseLayout(
        bytes, of: kind, path: file, debugFile: debugFile, slice: SliceChoice(arch?.architecture))
      warnings += layout.warnings
      guard let image = layout.image else { return { _ in } }
      let document = ImageDocument(image)
      return form(document, of: layout.layout.imageFormat) {
        ImageText(document, width: $0, names: $1).text
      }
    case .linkMap(let grammar):
      let layout = try ReleaseLayout(bytes, of: kind, path: file)
      warnings += layout.warnings
      let document = LinkMapDocument(path: file, linker: grammar.name, layout: layout.layout)
      return form(document, of: layout.layout.imageFormat) {
        LinkMapText(document, width: $0, names: $1).text
      }
    case .other:
      let document = try orderFileDocument(bytes, &warnings)
      // A plain list of names is any linker's.
      return form(document, of: nil) { OrderFileText(document, width: $0, names: $1).text }
    }
  }

  private func orderFileDocument(
    _ bytes: FileBytes, _ warnings: inout [Diagnostic]
  ) throws(Diagnostic) -> OrderFileDocument {
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
    return OrderFileDocument(
      path: file, dialect: order.dialect.name,
      entries: zip(order.entries, order.lines).map {
        let isSection = order.dialect.namesSections
        let name = isSection ? $0.section ?? $0.symbol : $0.symbol
        return OrderFileDocument.Entry(
          name: SymbolName(bytes: name), line: $1,
          objectFile: isSection ? nil : $0.objectFile.map { SymbolName(bytes: $0) },
          architecture: $0.architecture.map { SymbolName(bytes: $0) })
      })
  }

  private func traceDocument(
    _ bytes: FileBytes, _ warnings: inout [Diagnostic]
  ) throws(Diagnostic) -> TraceDocument {
    let trace = Trace(try InputFile.traceFile(bytes, file), path: file)
    var images = RecordedImages()
    for path in recorded {
      try images.add(path: path, arch?.architecture, recordedAs: trace.images)
    }
    if !trace.isSealed { images.add(trace.images) }
    warnings += images.warnings
    if !trace.isSealed { warnings += images.mismatches(of: trace) }
    let functions = trace.images.indices.map { index in
      images.image(for: trace.images[index]).map { RecordedImage($0) }
        ?? RecordedImage(namesOf: trace, group: [index])
    }
    // Of each body once: it may have thousands of names, and as many hits.
    var known = trace.images.map { _ in [StatedAddress: SymbolName?]() }
    func name(ofBodyAt start: StatedAddress?, _ image: Int) -> SymbolName? {
      guard let start else { return nil }
      if let name = known[image][start] { return name }
      let name = functions[image].body(holding: start)?.names.first
      known[image][start] = .some(name)
      return name
    }
    return TraceDocument(
      trace,
      hitNames: trace.hits.map { hit in
        let entered = hit.entry.flatMap { functions[hit.image].bodyStart(holding: $0) }
        let ran = hit.calledFrom.flatMap { functions[hit.image].bodyStart(holding: $0) }
        return [entered, ran == entered ? nil : ran].compactMap { name(ofBodyAt: $0, hit.image) }
      }, functions: ExecutedFunction.all(of: trace, in: functions))
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
          sizeBytes: use.size ?? 0, executedBytes: use.executedBytes,
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
