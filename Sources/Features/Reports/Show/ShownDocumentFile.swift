import Budget
import ByteReading
import Counting
import FileContents
import ImageModel
import JSON
import Measuring
import PagesFormat
import Prediction
import Rendering

/// A document that a command wrote, read from a file. A document that a command can read back is shown as the text of
/// the command that wrote it. Every other document is shown as an outline.
package struct ShownDocumentFile {
  package enum Contents {
    case pages(PagesDocument)
    case faults(FaultsDocument)
    case diff(DiffDocument)
    case measure(MeasureDocument)
    case check(CheckDocument)
    case history(HistoryFile)
    case outline(DocumentOutline)
  }

  package let path: String
  /// The kind of document and its version.
  package let schema: String
  package let contents: Contents
  package let bytes: FileBytes

  /// - Throws: if no command writes documents of this schema, or if the document violates it.
  init(parsing bytes: FileBytes, schema: String, path: String) throws(Diagnostic) {
    self.bytes = bytes
    self.schema = schema
    self.path = path
    let prefix = "orderfile."
    let kind = schema.hasPrefix(prefix) ? schema.dropFirst(prefix.count).prefix { $0 != "/" } : ""
    if kind == "history" {
      contents = .history(try HistoryFile(parsing: bytes, path: path))
      return
    }
    let known = (documents + budgetDocuments + historyDocuments).map { $0.schema }
    guard let current = known.first(where: { $0.hasPrefix("\(prefix)\(kind)/") }) else {
      throw Diagnostic(
        "unknown document: expected one that a command of orderfile wrote, found '\(schema)'",
        context: [path])
    }
    do {
      switch kind {
      case "pages": contents = .pages(try PagesDocument(parsing: bytes))
      case "faults": contents = .faults(try FaultsDocument(parsing: bytes))
      case "diff": contents = .diff(try DiffDocument(parsing: bytes))
      case "measure": contents = .measure(try MeasureDocument(parsing: bytes))
      case "check": contents = .check(try CheckDocument(parsing: bytes))
      default: contents = .outline(try DocumentOutline(parsing: bytes, schema: current))
      }
    } catch {
      throw Diagnostic("\(error)", context: [path])
    }
  }

  /// The path, the command that wrote the document, and its schema.
  package var title: String {
    "\(printable(path)): \(Self.title(of: kind)) (\(schema))"
  }

  private var kind: String { String(schema.split { "./".contains($0) }.dropFirst().first ?? "") }

  /// The title of the schema `kind` in docs/schemas. Most schemas are named for the command that writes the document.
  package static func title(of kind: String) -> String {
    otherTitles[kind] ?? "orderfile \(kind) --json"
  }

  /// The titles of the other schemas. The schema of a history describes a line, and has another title.
  private static let otherTitles = [
    "advice": "orderfile advise --json",
    "budget": "the budget of orderfile check", "launches": "the launches of --launches",
    "clusters": "orderfile show --json of a profile for splitting functions",
    "history": "a history",
    "image": "orderfile show --json of an image",
    "linkmap": "orderfile show --json of a link map",
    "orderfile": "orderfile show --json of an order file",
    "payload": "orderfile show --json of payloads",
    "profile": "orderfile show --json of a profile",
    "summary": "the summary of pages, measure and faults --launches --json",
    "trace": "orderfile show --json of a trace",
    "trend": "orderfile history trend --json",
  ]
}
