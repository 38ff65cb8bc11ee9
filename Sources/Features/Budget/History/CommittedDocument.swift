import Audit
import ByteReading
import Counting
import ImageModel
import JSON
import Measuring
import Ordering
import PagesFormat
import Prediction
import Projects
import Stages

/// A document of another command, as histories and budgets read it: the figures of each image, by series.
package struct CommittedDocument: Sendable {
  package var images: [Image]
  /// The document itself.
  package var content: Content

  package enum Content: Sendable {
    case audit(AuditFigures)
    case auto(AutoFigures)
    case diff(DiffDocument)
    case faults(FaultsDocument)
    case gen(GenFigures)
    case measure(MeasureDocument)
    case pages(PagesDocument)
    case stages(StagesDocument)
    case verify(VerifyFigures)
  }

  package struct Image: Sendable {
    /// The image as the document states it.
    package var reference: ImageReference
    /// The figures by series. Each set has at least one metric.
    package var sets: [MetricSet]
  }

  /// The figures of an image that belong to one series.
  package struct MetricSet: Sendable {
    package var source: HistorySeries.Source
    package var pageSize: PageSize?
    package var machine: HistorySeries.Machine?
    package var metrics: [HistoryMetric]

    init(
      _ source: HistorySeries.Source, pageSize: PageSize? = nil,
      machine: HistorySeries.Machine? = nil, metrics: [HistoryMetric?]
    ) {
      self.source = source
      self.pageSize = pageSize
      self.machine = machine
      self.metrics = metrics.compactMap { $0 }
    }
  }

  /// Reads the document in `bytes`, whose schema determines its kind.
  ///
  /// - Throws: an error whose context is `path`; also if the document has no figures.
  package init(parsing bytes: FileBytes, path: String) throws(Diagnostic) {
    do {
      content = try Self.content(bytes)
      images = try content.images()
    } catch let error as ParseError {
      let isUnknown = error.field == "schema"
      throw Diagnostic(
        "\(error)", context: [path],
        hint: isUnknown
          ? "give a document that one of these commands has written with --json: \(Self.commands)"
          : nil)
    } catch let error as Diagnostic {
      throw Diagnostic(error.message, context: [path], hint: error.hint)
    } catch {
      throw Diagnostic("\(error)", context: [path])
    }
    for index in images.indices { images[index].sets.removeAll { $0.metrics.isEmpty } }
    images.removeAll { $0.sets.isEmpty }
    if images.isEmpty {
      throw Diagnostic(
        "invalid document: expected figures of an image, found none", context: [path])
    }
  }

  /// Takes the figures of a result that was not read from a file. If a comparison predicts nothing, this initializer
  /// still takes its other figures, while `init(parsing:path:)` refuses such a comparison.
  package init(judging content: Content) throws(Diagnostic) {
    self.content = content
    if case .diff(let document) = content {
      images = [document.figures]
    } else {
      images = try content.images()
    }
    for index in images.indices { images[index].sets.removeAll { $0.metrics.isEmpty } }
  }

  private static let commands = HistorySeries.Source.commands.map(\.rawValue)
    .joined(separator: ", ")

  private static func content(_ bytes: FileBytes) throws -> Content {
    var cursor = JSONCursor(bytes)
    let object = try JSONObject(parsing: &cursor, "document")
    let schema: String = try object.value("schema")
    switch schema {
    case AuditDocument.schema: return .audit(try AuditFigures(parsing: bytes))
    case PagesDocument.schema: return .pages(try PagesDocument(parsing: bytes))
    case DiffDocument.schema: return .diff(try DiffDocument(parsing: bytes))
    case FaultsDocument.schema: return .faults(try FaultsDocument(parsing: bytes))
    case GenDocument.schema: return .gen(try GenFigures(parsing: bytes))
    case AutoDocument.schema: return .auto(try AutoFigures(parsing: bytes))
    case MeasureDocument.schema: return .measure(try MeasureDocument(parsing: bytes))
    case StagesDocument.schema: return .stages(try StagesDocument(parsing: bytes))
    case VerifyDocument.schema: return .verify(try VerifyFigures(parsing: bytes))
    default:
      let known = [
        AuditDocument.schema, AutoDocument.schema, DiffDocument.schema, FaultsDocument.schema,
        GenDocument.schema, MeasureDocument.schema, PagesDocument.schema, StagesDocument.schema,
        VerifyDocument.schema,
      ]
      throw object.invalid(
        "schema", expected: "one of \(known.joined(separator: ", "))",
        found: "'\(schema.prefix(40))'")
    }
  }
}

extension CommittedDocument.Content {
  fileprivate func images() throws(Diagnostic) -> [CommittedDocument.Image] {
    switch self {
    case .audit(let figures): figures.committedImages
    case .auto(let figures): figures.committedImages
    case .diff(let document): try document.committedImages()
    case .faults(let document): document.committedImages
    case .gen(let figures): figures.committedImages
    case .measure(let document): document.committedImages
    case .pages(let document): document.committedImages
    case .stages(let document): try document.committedImages()
    case .verify(let figures): figures.committedImages
    }
  }
}

extension CommittedDocument {
  /// Returns the entries of a commit.
  ///
  /// - Parameters:
  ///   - launch: a name that distinguishes several launches of an image.
  ///   - architecture: returns the architecture of an image of the document.
  package func entries(
    commit: String, time: HistoryTime, launch: String?,
    architecture: (_ image: ImageReference) throws(Diagnostic) -> Architecture
  ) throws(Diagnostic) -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    for image in images {
      let architecture = try architecture(image.reference).description
      for set in image.sets {
        let series = HistorySeries(
          set.source, image: image.reference.name, architecture: architecture,
          pageSize: set.pageSize,
          launch: launch, machine: set.machine)
        entries.append(
          HistoryEntry(commit: commit, time: time, series: series, metrics: set.metrics))
      }
    }
    return entries
  }
}
