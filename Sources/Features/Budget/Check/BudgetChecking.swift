import ByteReading
import CommandSupport
import ImageModel

/// What `orderfile check` does: it reads documents and a budget, and compares them.
package struct BudgetChecking: Sendable {
  /// The paths of the documents; `-` is stdin.
  package var documents: [String]
  /// The paths of the base's documents.
  package var base: [String] = []

  package init(documents: [String]) { self.documents = documents }

  /// The figures of the documents, by image.
  package func images() throws(Diagnostic) -> [CheckedImage] {
    var images: [CheckedImage] = []
    for path in documents {
      let document = try CommittedDocument(parsing: try InputFile.bytes(path), path: path)
      try images.add(document, path: path)
    }
    return images
  }

  /// The verdict of the budget at a path.
  package func check(_ path: String) throws(Diagnostic) -> CheckDocument {
    let bytes = try InputFile.bytes(path)
    let budget: Budget
    do { budget = try Budget(parsing: bytes) } catch {
      throw Diagnostic(
        "\(error)", context: [path],
        hint: error.field == "schema" ? "'orderfile check --init' writes a budget" : nil)
    }
    let images = try images()
    let found = base.filter { $0 == "-" || Folder.exists($0) }
    let baseImages = try baseImages(found)
    let missing = baseIsMissing(found)
    let check = BudgetCheck(
      budget, images: images, base: baseImages, baseIsMissing: missing)
    let results: [CheckResult]
    do { results = try check.results() } catch {
      var error = error
      error.context.insert(path, at: 0)
      throw error
    }
    return CheckDocument(
      budget: path, base: found, baseIsMissing: missing, results: results, images: images)
  }

  /// The figures of the base; `nil` without one.
  private func baseImages(_ found: [String]) throws(Diagnostic) -> [CheckedImage]? {
    if found.isEmpty { return nil }
    var images: [CheckedImage] = []
    for path in found { try images.addBase(try InputFile.bytes(path), path: path) }
    return images
  }

  /// Why a part of the base is missing; `nil` if none is. The first build of a project has no base, and the first with
  /// another kind of document has a part of it: it is no error if files do not exist.
  private func baseIsMissing(_ found: [String]) -> String? {
    if base.isEmpty { return "no --base was given" }
    let missing = base.filter { !found.contains($0) }
    if missing.isEmpty { return nil }
    return missing.joined(separator: ", ") + (missing.count == 1 ? " does" : " do") + " not exist"
  }
}
