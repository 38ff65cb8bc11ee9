import ImageModel
import LaunchMeasurement

/// The documents that `check` makes of a launch, and the reasons why other documents are missing.
package struct MadeDocuments {
  package private(set) var documents: [NamedDocument] = []
  /// Why the documents lack figures.
  package private(set) var absences: [FigureAbsence] = []
  /// Notes on steps of the check that were done in another way than usual.
  package private(set) var notes: [Diagnostic] = []
  /// Warnings about the documents, each once.
  package private(set) var warnings: [Diagnostic] = []
  /// The documents as files: their paths and bytes.
  private(set) var files: [(path: String, bytes: [UInt8])] = []

  /// Adds a document that is to be written to `path`.
  mutating func add(
    _ content: CommittedDocument.Content, as bytes: [UInt8], at path: String
  ) throws(Diagnostic) {
    documents.append(NamedDocument(path: path, try CommittedDocument(judging: content)))
    files.append((path, bytes))
  }

  mutating func lack(
    _ source: HistorySeries.Source, of names: [String] = [], _ reason: Diagnostic
  ) {
    absences.append(FigureAbsence(source, of: names, reason))
  }

  /// Stores the reason why a document could not be made. This is an error only if a limit needs a figure of the
  /// document.
  mutating func lackDocument(_ source: HistorySeries.Source, _ reason: Diagnostic) {
    lack(source, reason)
    var warning = reason
    warning.message = "no figures of \(source.rawValue): \(reason.message)"
    warn([warning])
  }

  /// Stores the reason why a program's launches gave no document.
  ///
  /// - Throws: `reason` if a launch failed, or an error if the user interrupted the launches.
  mutating func lackMeasurement(
    _ source: HistorySeries.Source, _ reason: Diagnostic
  ) throws(Diagnostic) {
    if MeasuredProgram.wasInterrupted { throw Diagnostic("interrupted") }
    if reason.kind == .failedLaunch { throw reason }
    lackDocument(source, reason)
  }

  mutating func note(_ new: [Diagnostic]) { notes += new.filter { !notes.contains($0) } }

  mutating func warn(_ new: [Diagnostic]) {
    for warning in new where !warnings.contains(warning) { warnings.append(warning) }
  }
}
