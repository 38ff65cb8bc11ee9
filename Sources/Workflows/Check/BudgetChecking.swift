import ByteReading
import History
import ImageModel
import LaunchBudget

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
    let (baseImages, missing) = try baseImages()
    let check = BudgetCheck(
      budget, images: images, base: baseImages, baseIsMissing: missing ?? "")
    let results: [CheckResult]
    do { results = try check.results() } catch {
      var error = error
      error.context.insert(path, at: 0)
      throw error
    }
    return CheckDocument(
      budget: path, base: baseImages == nil ? [] : base, baseIsMissing: missing, results: results,
      images: images)
  }

  /// The figures of the base; or why there are none. The first build of a project has no base: it is no error if its file
  /// does not exist.
  private func baseImages() throws(Diagnostic) -> (images: [CheckedImage]?, missing: String?) {
    if base.isEmpty { return (nil, "no --base was given") }
    for path in base where path != "-" && !Folder.exists(path) {
      return (nil, "\(path) does not exist")
    }
    var images: [CheckedImage] = []
    for path in base { try images.addBase(try InputFile.bytes(path), path: path) }
    return (images, nil)
  }
}
