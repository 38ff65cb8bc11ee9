import Budget
import ByteReading
import CommandSupport
import Counting
import ImageModel
import JSON
import LinkMapFormat
import Measuring
import PagesFormat
import Prediction
import Rendering
import Stages
import Symbolication

extension Diagnostic {
  /// Returns the error about two layouts that are the same.
  static func sameLayout(_ first: String, _ second: String) -> Diagnostic {
    Diagnostic(
      first == second
        ? "the same layout is given twice" : "this layout is the same as \(printable(first))",
      context: [second],
      hint: "give the layout before and the layout after, or one layout alone")
  }
}

extension FileBytes {
  fileprivate func hasSameBytes(as other: FileBytes) -> Bool {
    count == other.count
      && withBytes(0..<count) { own in
        other.withBytes(0..<count) { own.elementsEqual($0) }
      }
  }
}

/// The files that a command line names for a report, by kind. The contents of a file show its kind.
struct ReportInputs {
  /// The paths of images or link maps, as given: the layout before, the layout after, and others.
  private(set) var layouts: [String] = []
  private var layoutBytes: [FileBytes] = []
  /// The traces and profiles. Each file is opened once.
  private(set) var traces: [Launch] = []
  /// The path of the order file that the layout after was linked with.
  private(set) var order: String?
  private(set) var pages: [Read<PagesDocument>] = []
  private(set) var faults: [Read<FaultsDocument>] = []
  private(set) var diff: Read<DiffDocument>?
  private(set) var measure: Read<MeasureDocument>?
  private(set) var stages: [Read<(tables: [ReportStages], images: [ImageReference])>] = []
  private(set) var history: Read<HistoryFile>?
  private(set) var budget: Read<Budget>?
  private(set) var check: Read<CheckDocument>?

  /// A document, and the path from which it was read.
  struct Read<Document> {
    var path: String
    var document: Document
  }

  struct Launch {
    var path: String
    var bytes: FileBytes
  }

  /// The greatest number of `faults` documents in a report: cold and warm launches of two builds, and some more.
  private static let mostFaults = 6
  /// The greatest number of layouts in a report, in addition to the layouts before and after.
  private static let mostOthers = 6

  /// - Throws: an error if a file can't be read or is of no kind that a report shows, or if there are too many of a kind.
  init(_ paths: [String]) throws(Diagnostic) {
    for path in paths { try add(path) }
  }

  private mutating func add(_ path: String) throws(Diagnostic) {
    let bytes = try InputFile.bytes(path)
    if let schema = try InputFile.schema(of: bytes, path) {
      return try add(schema: schema, bytes, path)
    }
    switch FileKind(of: bytes) {
    case .trace, .profile, .payload: traces.append(Launch(path: path, bytes: bytes))
    case .objectFile, .linkMap:
      guard layouts.count < 2 + Self.mostOthers else {
        throw Diagnostic(
          "too many layouts: expected at most \(2 + Self.mostOthers), found another",
          context: [path])
      }
      if let same = layoutBytes.firstIndex(where: { $0.hasSameBytes(as: bytes) }) {
        throw .sameLayout(layouts[same], path)
      }
      layouts.append(path)
      layoutBytes.append(bytes)
    case .other where ReportContents.isPage(bytes):
      throw Diagnostic(
        "unsupported file: expected a file from which a report is made, found an HTML page",
        context: [path],
        hint: "give the files from which the report was made; 'orderfile show' reads the report")
    case .other:
      try Self.checkOnly(order, "order file", path)
      order = path
    }
  }

  private mutating func add(
    schema: String, _ bytes: FileBytes, _ path: String
  ) throws(Diagnostic) {
    // The version in the schema is ignored here, because the reader of the document refuses other versions.
    switch String(schema.prefix { $0 != "/" }) {
    case "orderfile.pages": pages.append(try Self.read(bytes, path))
    case "orderfile.faults":
      guard faults.count < Self.mostFaults else {
        throw Diagnostic(
          "too many documents of 'faults': expected at most \(Self.mostFaults), found another",
          context: [path])
      }
      faults.append(try Self.read(bytes, path))
    case "orderfile.diff":
      try Self.checkOnly(diff, "diff document", path)
      diff = try Self.read(bytes, path)
    case "orderfile.measure":
      try Self.checkOnly(measure, "measure document", path)
      measure = try Self.read(bytes, path)
    case "orderfile.stages":
      do {
        let images = try MeasuredImages(parsing: bytes).images.map(\.image)
        stages.append(Read(path: path, document: (try ReportStages.tables(parsing: bytes), images)))
      } catch {
        throw Diagnostic(
          "\(error)", context: [path],
          hint: error.reason == .missing
            ? "an earlier version of orderfile wrote this document: run 'orderfile stages --json' again"
            : nil)
      }
    case "orderfile.budget":
      try Self.checkOnly(budget, "budget", path)
      budget = try Self.read(bytes, path)
    case "orderfile.check":
      try Self.checkOnly(check, "check document", path)
      check = try Self.read(bytes, path)
    case "orderfile.history":
      try Self.checkOnly(history, "history", path)
      history = Read(path: path, document: try HistoryFile(parsing: bytes, path: path))
    default:
      throw Diagnostic(
        "unsupported document: expected one of diff, pages, faults, measure, stages, history, budget or check, "
          + "found '\(schema)'", context: [path])
    }
  }

  private static func read<Document: ReadableDocument>(
    _ bytes: FileBytes, _ path: String
  ) throws(Diagnostic) -> Read<Document> {
    do { return Read(path: path, document: try Document(parsing: bytes)) } catch {
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
