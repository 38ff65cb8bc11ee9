import ByteReading
import ImageModel
import JSON
import Rendering

/// The commit and the launch that are checked. They select the figures of a history that is the base.
package struct CheckedCommit: Hashable, Sendable {
  /// The name of the commit; `nil` if it is unknown. If the history already has figures of the commit, because its job
  /// runs again, these figures are not the base.
  package var commit: String?
  /// The name of the launch in the history; `nil` for the figures without a name.
  package var launch: String?

  package init(commit: String? = nil, launch: String? = nil) {
    self.commit = commit
    self.launch = launch
  }
}

extension [CheckedImage] {
  /// Adds a document of a base, which an earlier check or another command wrote, or the newest figures of a history.
  ///
  /// - Throws: an error whose context is `path`.
  package mutating func addBase(
    _ bytes: FileBytes, path: String, checked: CheckedCommit = CheckedCommit()
  ) throws(Diagnostic) {
    let schema: String?
    do {
      var cursor = JSONCursor(bytes)
      schema = try JSONObject(parsing: &cursor, "document").optional("schema")
    } catch { throw Diagnostic("\(error)", context: [path]) }
    if schema == HistoryEntry.schema {
      return try addBase(try HistoryFile(parsing: bytes, path: path), path: path, checked)
    }
    guard schema == CheckDocument.schema else {
      let document = try CommittedDocument(parsing: bytes, path: path)
      switch document.content {
      case .measure:
        throw Diagnostic(
          "times of another job can't be compared with this build", context: [path],
          hint:
            "launch both builds in one 'orderfile measure', and give the document without --base")
      case .stages:
        throw Diagnostic(
          "a document of 'orderfile stages' is the base of another such document only",
          context: [path],
          hint:
            "compare the launches with 'orderfile stages --base \(shellWord(path))', and give that document"
        )
      case .audit, .auto, .diff, .faults, .gen, .pages, .verify: break
      }
      return try add(document, path: path)
    }
    let images: [CheckedImage]
    do { images = try CheckFigures(parsing: bytes).images } catch {
      throw Diagnostic("\(error)", context: [path])
    }
    guard count + images.count <= CheckedImage.mostImages else {
      throw Diagnostic(
        "too many images: expected at most \(CheckedImage.mostImages)", context: [path])
    }
    for image in images {
      if contains(where: { $0.name == image.name }) {
        throw Diagnostic(
          "duplicate image: another document of the base has \(image.name)", context: [path])
      }
      append(image)
    }
  }

  /// Adds the newest figures of a history for each image, command, page size and state. Times are left out, because
  /// they can't be compared with the times of another job. An image with several architectures becomes several images.
  ///
  /// - Throws: an error whose context is `path`, if there are too many images or figures.
  private mutating func addBase(
    _ history: HistoryFile, path: String, _ checked: CheckedCommit
  ) throws(Diagnostic) {
    let entries = history.bySeries.compactMap { series in
      series.series.launch == checked.launch
        ? series.entries.last { $0.commit != checked.commit } : nil
    }
    let newestFirst = entries.enumerated().sorted {
      ($1.element.time, $0.offset) < ($0.element.time, $1.offset)
    }
    for (_, entry) in newestFirst {
      let series = entry.series
      let reference = ImageReference(
        path: series.image, architecture: Architecture(series.architecture))
      let known = firstIndex {
        $0.name == reference.name
          && [nil, reference.architecture].contains($0.reference.architecture)
      }
      let index = known ?? count
      if known == nil {
        append(CheckedImage(name: reference.name))
        self[index].isOfHistory = true
      }
      self[index].reference.architecture = reference.architecture
      for metric in entry.metrics {
        let figure = CheckedImage.Figure(
          source: series.source, pageSize: series.pageSize, state: series.machine?.state,
          metric: metric, document: path)
        if BudgetFigure(id: figure.id).map({ $0.isTime || $0.isStageTime }) ?? true { continue }
        if self[index].figure(like: figure) == nil { self[index].figures.append(figure) }
      }
      guard count <= CheckedImage.mostImages, self[index].figures.count <= CheckedImage.mostFigures
      else {
        throw Diagnostic("too many figures for a base", context: [path])
      }
    }
  }
}
