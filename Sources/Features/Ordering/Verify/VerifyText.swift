import Rendering

/// The text report of an order file's entries: counts, and a line for each entry that is stale or ambiguous.
package struct VerifyText {
  private let document: VerifyDocument
  private let width: Int?
  private let names: NameWording

  /// - Parameter width: the terminal's width, in columns; `nil` shortens no name.
  package init(
    _ document: VerifyDocument, width: Int? = nil, names: @escaping NameWording = mangled
  ) {
    self.document = document
    self.width = width
    self.names = names
  }

  package var text: String {
    var text = """
      order file \(printable(document.path))
        dialect: \(printable(document.dialect))
        \(document.images.count == 1 ? "image" : "images"): \
      \(document.images.map { printable($0.path) }.joined(separator: ", "))

      \(summary)

      """
    if let prefetch = document.prefetch { text += prefetch.text + "\n" }
    guard !document.problems.isEmpty else { return text }
    var table = Table([.init("LINE", separator: " "), .init("ENTRY", .left)])
    for problem in document.problems { table.add(["\(problem.line)", wording(of: problem)]) }
    text += "\n" + table.text(width: width)
    return text
  }

  /// The result in one line, such as `4 of 120 entries are stale (3.3%): 1 renamed, 2 missing, 1 duplicate; 3
  /// ambiguous`.
  package var summary: String {
    let entries = counted(document.entries, "entry", "entries")
    var text = "\(document.stale) of \(entries) \(document.stale == 1 ? "is" : "are") stale"
    if document.stale > 0 {
      text += " (\(Percentage.share(document.stale, of: document.entries))): "
      text += [VerifyDocument.Kind.renamed, .missing, .duplicate, .unorderable]
        .filter { document.count($0) > 0 }
        .map { "\(document.count($0)) \($0.rawValue)" }.joined(separator: ", ")
    }
    let ambiguous = document.count(.ambiguous)
    if ambiguous > 0 { text += "; \(ambiguous) \(ambiguous == 1 ? "is" : "are") ambiguous" }
    if document.dataEntries > 0 {
      text += "; \(counted(document.dataEntries, "entry names", "entries name")) data"
    }
    let strings = document.strings - document.unverifiedStrings
    if strings > 0 {
      text += "; \(counted(strings, "entry names a string", "entries name strings"))"
    }
    if document.unverifiedStrings > 0 {
      text +=
        "; \(counted(document.unverifiedStrings, "string")) not verified: a link map has no strings"
    }
    if document.unverifiedSections > 0 {
      text +=
        "; \(counted(document.unverifiedSections, "section")) not verified: an image does not have the sections of object files"
    }
    if document.otherArchitectures > 0 {
      text += "; \(document.otherArchitectures) for other architectures"
    }
    if document.otherImages > 0 { text += "; \(document.otherImages) for other images" }
    if document.patterns > 0 {
      text += "; \(counted(document.patterns, "line")) that name no single function"
    }
    if document.update != nil, document.staleAfterUpdate < document.stale {
      text += "; after the update \(stale(document.staleAfterUpdate))"
    }
    return text
  }

  /// Returns the share of stale entries as text, such as `3 of 120 (2.5%)`.
  private func stale(_ count: Int) -> String {
    "\(count) of \(document.entries) (\(Percentage.share(count, of: document.entries)))"
  }

  /// What the update did; `nil` if no update was requested.
  package var updateNote: String? {
    guard let update = document.update else { return nil }
    let output = update.outputPath == "-" ? "stdout" : printable(update.outputPath)
    guard update.lines == 0 else {
      return "wrote the present names of functions into \(counted(update.lines, "line")): \(output)"
    }
    let done = update.outputPath == document.path ? "unchanged" : "copied without changes"
    let left = document.staleAfterUpdate
    let rest =
      left == 0
      ? "" : "; \(counted(left, "entry stays", "entries stay")) stale: record the launch again"
    return "no entry is renamed: \(output): \(done)\(rest)"
  }

  private func wording(of problem: VerifyDocument.Problem) -> String {
    let text = "\(problem.reason): \(names(problem.name))"
    switch problem.presentNames.count {
    case 0: return text
    case 1:
      // The mangled names are shown, because different names may look the same when they are demangled.
      return "\(problem.reason): \(problem.name), now \(problem.presentNames[0])"
    case let count:
      let shown = problem.presentNames.prefix(3).map(\.description).joined(separator: ", ")
      return "\(problem.reason): \(problem.name), now one of \(shown)"
        + (count > 3 ? " and \(count - 3) more" : "")
    }
  }
}
