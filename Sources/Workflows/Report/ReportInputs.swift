import ByteReading
import History
import ImageModel
import JSON
import LinkMapFormat
import PagesFormat
import Reporting
import Symbolication

/// The files that a command line names for a report, sorted by what they are: each is recognized by its contents.
struct ReportInputs {
  /// The paths of images or link maps, as given: the layout before and the layout after.
  private(set) var layouts: [String] = []
  private(set) var traces: [String] = []
  /// The path of the order file that the layout after was linked with.
  private(set) var order: String?
  private(set) var pages: [(path: String, document: PagesDocument)] = []
  private(set) var diff: DiffDocument?
  private(set) var measure: MeasureDocument?
  private(set) var history: HistoryFile?

  /// - Throws: an error if a file can't be read or is of no kind that a report shows, or if there are too many of a kind.
  init(_ paths: [String]) throws(Diagnostic) {
    for path in paths { try add(path) }
  }

  private mutating func add(_ path: String) throws(Diagnostic) {
    let bytes = try InputFile.bytes(path)
    if let schema = try Self.schema(of: bytes, path) { return try add(schema: schema, bytes, path) }
    switch FileKind(of: bytes) {
    case .trace: traces.append(path)
    case .objectFile, .linkMap:
      guard layouts.count < 2 else {
        throw Diagnostic(
          "too many layouts: expected one before and one after, found a third", context: [path])
      }
      layouts.append(path)
    case .other:
      try Self.checkOnly(order, "order file", path)
      order = path
    }
  }

  private mutating func add(
    schema: String, _ bytes: FileBytes, _ path: String
  ) throws(Diagnostic) {
    // A document of another version is an error of its own reader.
    switch String(schema.prefix { $0 != "/" }) {
    case "orderfile.pages": pages.append((path, try Self.read(PagesDocument.self, bytes, path)))
    case "orderfile.diff":
      try Self.checkOnly(diff, "diff document", path)
      diff = try Self.read(DiffDocument.self, bytes, path)
    case "orderfile.measure":
      try Self.checkOnly(measure, "measure document", path)
      measure = try Self.read(MeasureDocument.self, bytes, path)
    case "orderfile.history":
      try Self.checkOnly(history, "history", path)
      history = try HistoryFile(parsing: bytes, path: path)
    default:
      throw Diagnostic(
        "unsupported document: expected one of diff, pages, measure or history, found '\(schema)'",
        context: [path])
    }
  }

  /// The member `schema` of the document, or of the first line, that begins here; `nil` for anything but JSON.
  private static func schema(of bytes: FileBytes, _ path: String) throws(Diagnostic) -> String? {
    guard bytes.hasPrefix("{", at: 0) else { return nil }
    var cursor = JSONCursor(bytes)
    do { return try JSONObject(parsing: &cursor, "document").value("schema") } catch {
      throw Diagnostic("\(error)", context: [path])
    }
  }

  private static func read<Document: ReadableDocument>(
    _ type: Document.Type, _ bytes: FileBytes, _ path: String
  ) throws(Diagnostic) -> Document {
    do { return try Document(parsing: bytes) } catch {
      throw Diagnostic("\(error)", context: [path])
    }
  }

  private static func checkOnly<Value>(
    _ known: Value?, _ kind: String, _ path: String
  ) throws(Diagnostic) {
    guard known != nil else { return }
    throw Diagnostic("too many files: expected one \(kind), found a second", context: [path])
  }
}
