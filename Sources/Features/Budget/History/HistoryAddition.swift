import ByteReading
import CommandSupport
import ImageModel
import Symbolication

/// The work of `orderfile history add`: makes lines from documents, and appends them to a history.
package struct HistoryAddition: Sendable {
  /// The path of the history; it is made if it does not exist.
  package var history: String
  /// The commit that was built.
  package var commit: GitCommit
  package var documents: [NamedDocument]
  /// A name that distinguishes several launches of an image.
  package var launch: String?
  /// The architecture; `nil` for the architecture that the documents state. If they state none, the images are read.
  package var architecture: Architecture?

  package init(history: String, commit: GitCommit, documents: [NamedDocument]) {
    self.history = history
    self.commit = commit
    self.documents = documents
  }

  /// Appends a line for each image and series of the documents; all lines or none. A line of the same commit and series
  /// that the history already has is kept: a job that runs again adds nothing.
  ///
  /// - Returns: the appended entries, in the order of the lines.
  /// - Throws: also if the history is damaged.
  package func run() throws(Diagnostic) -> [HistoryEntry] {
    var entries: [HistoryEntry] = []
    var origins: [HistorySeries: String] = [:]
    for named in documents {
      let added = try named.document.entries(
        commit: commit.name, time: commit.time, launch: launch,
        architecture: { (image) throws(Diagnostic) in try architecture(of: image) })
      for entry in added {
        guard let other = origins.updateValue(named.path, forKey: entry.series) else { continue }
        throw Self.duplicate(entry.series, other, named.path)
      }
      entries += added
    }
    let file = try AppendedFile(history)
    var index = try HistoryIndex(parsing: file.contents(), path: history)
    var added: [HistoryEntry] = []
    for entry in entries where !index.has(entry) {
      // A line that could not be read again would damage the history.
      do { _ = try HistoryEntry(parsing: FileBytes(entry.line.dropLast())) } catch {
        throw Diagnostic("\(error)", context: origins[entry.series].map { [$0] } ?? [])
      }
      do throws(Diagnostic) { try index.add(entry) } catch {
        var error = error
        error.context.insert(history, at: 0)
        throw error
      }
      added.append(entry)
    }
    if !added.isEmpty { try file.append(lines: added.flatMap(\.line)) }
    return added
  }

  /// Checks that lines can be appended to the history at `path`. A history that does not exist is not made.
  ///
  /// - Throws: an error if the history is damaged or can't be written, or if its folder does not exist.
  package static func check(_ path: String) throws(Diagnostic) {
    guard Folder.exists(path) else { return try Folder.checkNewFile(path) }
    _ = try HistoryIndex(parsing: AppendedFile(path).contents(), path: path)
  }

  private static func duplicate(_ series: HistorySeries, _ a: String, _ b: String) -> Diagnostic {
    a == b
      ? Diagnostic(
        "the document has two images with figures of \(series.wording)", context: [b],
        hint: "a history distinguishes images by their file names")
      : Diagnostic(
        "duplicate figures of \(series.wording): '\(a)' has the same figures", context: [b],
        hint: "add each document with a command of its own, and another '--launch-name'")
  }

  /// Returns the architecture that the user gives, else the one that the document states. If there is neither, reads
  /// the image.
  private func architecture(of image: ImageReference) throws(Diagnostic) -> Architecture {
    if let architecture {
      let wanted = ImageReference(path: image.path, architecture: architecture)
      if let difference = image.difference(from: wanted, ofOneBuild: false) {
        throw Diagnostic(
          "the image is of \(difference)", context: [image.path], hint: "leave out '--arch'",
          severity: .mismatch)
      }
      return architecture
    }
    if let stated = image.architecture { return stated }
    do { return try Image.reading(path: image.path).image.architecture } catch {
      var error = error
      error.message = "the architecture of the image is unknown: \(error.message)"
      error.hint = "give '--arch'"
      throw error
    }
  }
}
