import ByteReading
import CommandSupport
import ImageModel
import Symbolication

/// The work of `orderfile history add`: makes lines from documents, and appends them to a history.
package struct HistoryAddition: Sendable {
  /// The path of the history; it is made if it does not exist.
  package var history: String
  /// The paths of the documents; `-` is stdin.
  package var documents: [String]
  /// The commit; `nil` for the commit that is checked out in the current folder, according to git. Without a time, this
  /// is a revision of git, and the history gets its full hash.
  package var commit: String?
  /// The time of the commit; `nil` for the time that git has.
  package var time: HistoryTime?
  /// A name that distinguishes several launches of an image.
  package var launch: String?
  /// The architecture; `nil` for the architecture that the documents state. If they state none, the images are read.
  package var architecture: Architecture?

  package init(history: String, documents: [String]) {
    self.history = history
    self.documents = documents
  }

  /// Appends a line for each image and series of the documents; all lines or none.
  ///
  /// - Returns: the entries, in the order of the lines.
  /// - Throws: also if the history is damaged, or has figures of the same commit and series.
  package func run(in environment: LaunchEnvironment) throws -> [HistoryEntry] {
    let commit = try commit(in: environment)
    var entries: [HistoryEntry] = []
    var origins: [HistorySeries: String] = [:]
    for path in documents {
      let document = try CommittedDocument(parsing: try InputFile.bytes(path), path: path)
      let added = try document.entries(
        commit: commit.name, time: commit.time, launch: launch,
        architecture: { (image) throws(Diagnostic) in try architecture(of: image) })
      for entry in added {
        guard let other = origins.updateValue(path, forKey: entry.series) else { continue }
        throw Self.duplicate(entry.series, other, path)
      }
      entries += added
    }
    let file = try AppendedFile(history)
    var index = try HistoryIndex(parsing: file.contents(), path: history)
    for entry in entries {
      do throws(Diagnostic) { try index.add(entry) } catch {
        var error = error
        error.context.insert(history, at: 0)
        throw error
      }
    }
    try file.append(lines: entries.flatMap(\.line))
    return entries
  }

  private static func duplicate(_ series: HistorySeries, _ a: String, _ b: String) -> Diagnostic {
    a == b
      ? Diagnostic(
        "the document has two images with figures of \(series.wording)", context: [b],
        hint: "a history tells images apart by their file names")
      : Diagnostic(
        "duplicate figures of \(series.wording): '\(a)' has them, too", context: [b],
        hint: "add each document by a call of its own, with '--launch-name'")
  }

  private func commit(in environment: LaunchEnvironment) throws -> GitCommit {
    if let commit, let time { return GitCommit(name: commit, time: time) }
    var found = try GitCommit(commit ?? "HEAD", in: environment)
    if let time { found.time = time }
    return found
  }

  /// Returns the architecture that the user gives, else the one that the document states. If there is neither, reads
  /// the image.
  private func architecture(of image: ImageReference) throws(Diagnostic) -> Architecture {
    if let architecture {
      let wanted = ImageReference(path: image.path, architecture: architecture)
      if let difference = image.difference(from: wanted, ofOneBuild: false) {
        throw Diagnostic(
          "it is of \(difference)", context: [image.path], hint: "leave out '--arch'",
          severity: .mismatch)
      }
      return architecture
    }
    if let stated = image.architecture { return stated }
    do { return try Image.reading(path: image.path).image.architecture } catch {
      var error = error
      error.message = "unable to tell the architecture: \(error.message)"
      error.hint = "give '--arch'"
      throw error
    }
  }
}
