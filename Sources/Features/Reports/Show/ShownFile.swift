import Budget
import ByteReading
import ClusterProfileFormat
import CommandSupport
import FileContents
import ImageModel
import LinkMapFormat
import OrderFileFormat
import Ordering
import ProfileFormat
import Recording
import Symbolication
import TraceSymbolication

/// The contents of a file of any supported kind: `orderfile show`.
package struct ShownFile {
  package struct Options {
    /// The paths of the images in which a trace was recorded.
    package var recorded: [String] = []
    /// The debug file of a stripped image.
    package var debugFile: String?
    /// The architecture of the slice to read in a universal file.
    package var architecture: Architecture?

    package init() {}
  }

  package enum Contents {
    case trace(TraceDocument)
    case image(ImageDocument)
    case linkMap(LinkMapDocument)
    case orderFile(OrderFileDocument)
    case clusterProfile(ClusterProfileDocument)
    case report(ReportContents, check: CheckDocument?, path: String)
    case profile(ProfileDocument)
    case payload(PayloadDocument)
    case document(ShownDocumentFile)
  }

  package let contents: Contents
  /// The format of images; `nil` if the file does not state it: a plain list of names works with any linker.
  package let imageFormat: ImageFormat?
  package private(set) var warnings: [Diagnostic]

  /// - Throws: if the kind of the file is unknown, or if it is damaged.
  package init(path: String, _ options: Options = Options()) throws(Diagnostic) {
    let wrapper = LibtoolWrapper(at: path)
    let path = wrapper?.program ?? path
    let bytes = try InputFile.bytes(path)
    let isHistory = try InputFile.isHistory(bytes, path)
    if let schema = isHistory ? HistoryEntry.schema : try InputFile.schema(of: bytes, path) {
      let document = try ShownDocumentFile(parsing: bytes, schema: schema, path: path)
      self.init(document: document)
      return
    }
    let kind = FileKind(of: bytes)
    switch kind {
    case .trace: try self.init(trace: bytes, path, options)
    case .profile: try self.init(profile: bytes, path)
    case .payload: try self.init(payloads: bytes, path, options)
    case .objectFile: try self.init(image: bytes, path, options)
    case .linkMap(let grammar): try self.init(linkMap: bytes, of: kind, path, linker: grammar.name)
    case .other where ReportContents.isPage(bytes): try self.init(report: bytes, path)
    case .other where ClusterProfile.begins(bytes): try self.init(clusterProfile: bytes, path)
    case .other: try self.init(orderFile: bytes, path)
    }
    if let wrapper { warnings.insert(wrapper.note, at: 0) }
  }

  private init(document: ShownDocumentFile) {
    contents = .document(document)
    imageFormat = nil
    warnings = []
  }

  private init(trace bytes: FileBytes, _ path: String, _ options: Options) throws(Diagnostic) {
    let trace = try ShownTrace(bytes, path, recorded: options.recorded, options.architecture)
    contents = .trace(trace.document)
    imageFormat = trace.document.trace.imageFormat
    warnings = trace.warnings
  }

  private init(image bytes: FileBytes, _ path: String, _ options: Options) throws(Diagnostic) {
    let (image, warnings) = try Image.reading(
      bytes, path: path, debugFile: options.debugFile, slice: SliceChoice(options.architecture))
    var document = ImageDocument(image)
    if image.guards != nil {
      document.recordable = try? RecordableCode(of: image, in: bytes, by: .callback)
    }
    contents = .image(document)
    imageFormat = image.layout.imageFormat
    self.warnings = warnings
  }

  private init(
    linkMap bytes: FileBytes, of kind: FileKind, _ path: String, linker: String
  ) throws(Diagnostic) {
    let release = try ReleaseLayout(bytes, of: kind, path: path)
    contents = .linkMap(
      LinkMapDocument(path: path, linker: linker, layout: release.layout))
    imageFormat = release.layout.imageFormat
    warnings = release.warnings
  }

  private init(report bytes: FileBytes, _ path: String) throws(Diagnostic) {
    do {
      let report = try ReportContents(parsing: bytes)
      let check = try report.check.map { text throws(ParseError) in
        try CheckDocument(parsing: FileBytes(text))
      }
      contents = .report(report, check: check, path: path)
    } catch {
      throw Diagnostic(
        "\(error)", context: [path], hint: "a report is what 'orderfile report' wrote")
    }
    imageFormat = nil
    warnings = []
  }

  private init(profile bytes: FileBytes, _ path: String) throws(Diagnostic) {
    let profile = try InputFile.profile(bytes, path)
    contents = .profile(ProfileDocument(profile, path: path))
    imageFormat = profile.images.lazy.compactMap { $0.id?.imageFormat }.first
    warnings = profile.warnings(paths: [path])
  }

  private init(payloads bytes: FileBytes, _ path: String, _ options: Options) throws(Diagnostic) {
    let payloads = try ShownPayloads(
      bytes, path, recorded: options.recorded, options.architecture)
    contents = .payload(payloads.document)
    imageFormat = nil
    warnings = payloads.warnings
  }

  private init(clusterProfile bytes: FileBytes, _ path: String) throws(Diagnostic) {
    let profile: ClusterProfile
    do { profile = try ClusterProfile(parsing: bytes) } catch {
      throw Diagnostic("\(error)", context: [path])
    }
    contents = .clusterProfile(
      ClusterProfileDocument(
        path: path,
        functions: profile.functions.map { function in
          ClusterProfileDocument.Function(
            names: function.names.map { SymbolName(bytes: $0) },
            unit: function.unit.map { SymbolName(bytes: $0) }, clusters: function.clusters)
        }))
    imageFormat = nil
    warnings = []
  }

  private init(orderFile bytes: FileBytes, _ path: String) throws(Diagnostic) {
    let order = try InputFile.orderFile(
      bytes, path,
      hint:
        "expected a trace, a linked image, a link map, an order file, a profile for splitting functions, a report or a document of --json"
    )
    if let reason = order.reasonAgainst(path: path, isNamed: false) {
      guard !LinkMapGrammar.mayBeTranslated(bytes) else {
        throw Diagnostic(
          "unsupported link map: its titles are in another language than English", context: [path],
          hint: LinkMapGrammar.remedyForTranslation)
      }
      throw Diagnostic(
        "unsupported file: expected a trace, a linked image, a link map of \(LinkMapGrammar.names()), "
          + "or an order file, found \(reason)", context: [path])
    }
    contents = .orderFile(OrderFileDocument(order, path: path))
    imageFormat = nil
    warnings = order.warnings.map { Diagnostic("\($0)", context: [path]) }
  }
}

extension OrderFileDocument {
  fileprivate init(_ order: OrderFile, path: String) {
    let namesSections = order.dialect.namesSections
    self.init(
      path: path, dialect: order.dialect.name,
      entries: zip(order.entries, order.lines).map {
        let name = namesSections ? $0.section ?? $0.symbol : $0.symbol
        return Entry(
          name: SymbolName(bytes: name), line: $1,
          objectFile: namesSections ? nil : $0.objectFile.map { SymbolName(bytes: $0) },
          architecture: $0.architecture.map { SymbolName(bytes: $0) }, isData: $0.isData)
      }, strings: order.strings.map { StringEntry(hash: $0.hash, line: $0.line) })
  }
}
