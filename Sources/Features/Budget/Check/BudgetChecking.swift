import ByteReading
import CommandSupport
import Counting
import ImageModel
import PagesFormat

/// A run of `orderfile check`: reads documents and a base, and compares them with a budget.
package struct BudgetChecking: Sendable {
  /// The documents that were read or added.
  package private(set) var documents: [NamedDocument] = []
  /// Why the added documents lack figures.
  package var absences: [FigureAbsence] = []
  /// Whether a limit fails that the base exceeds as much as the documents, or more.
  package var failsOnBase = false
  private var images: [CheckedImage] = []
  private let baseImages: [CheckedImage]?
  /// The paths of the base's documents that exist.
  private let base: [String]
  private let baseIsMissing: String?

  /// Reads the documents of the check and the documents of the base.
  ///
  /// - Parameters:
  ///   - documents: paths; `-` is stdin.
  ///   - base: the paths of the base's documents. A path without a file is no error: the first build of a project has
  ///     no base, and the first build with another kind of document has only a part of a base. The newest
  ///     figures of a history count.
  ///   - checked: the commit and the launch that are checked.
  package init(
    documents: [String], base: [String] = [], checked: CheckedCommit = CheckedCommit()
  ) throws(Diagnostic) {
    let found = base.filter { $0 == "-" || Folder.exists($0) }
    self.base = found
    baseImages = try Self.images(ofBase: found, checked)
    // The history of a first build has no figures of an earlier commit.
    baseIsMissing =
      Self.baseIsMissing(base, found)
      ?? (baseImages == nil
        ? "\(found.joined(separator: ", ")): no figures of an earlier commit and of this launch"
        : nil)
    for path in documents { try add(NamedDocument(reading: path)) }
  }

  /// Returns the commands that wrote the documents about `image`.
  ///
  /// - Parameter image: a file name.
  package func sources(of image: String) -> Set<HistorySeries.Source> {
    let images = documents.flatMap(\.document.images).filter { $0.reference.name == image }
    return Set(images.flatMap(\.sets).map(\.source))
  }

  /// Adds a document.
  ///
  /// - Throws: if another document has the same figures, or is of another build.
  package mutating func add(_ document: NamedDocument) throws(Diagnostic) {
    try images.add(document.document, path: document.path)
    documents.append(document)
  }

  /// Reads the budget at `path`.
  package static func budget(at path: String) throws(Diagnostic) -> Budget {
    let bytes = try InputFile.bytes(path)
    do { return try Budget(parsing: bytes) } catch {
      throw Diagnostic(
        "\(error)", context: [path],
        hint: error.field == "schema" ? "'orderfile check --init' writes a budget" : nil)
    }
  }

  /// Compares the documents with `budget`, which was read from `path`.
  package func check(_ budget: Budget, at path: String) throws(Diagnostic) -> CheckDocument {
    var check = BudgetCheck(
      budget, images: images, base: baseImages, baseIsMissing: baseIsMissing)
    check.absences = absences
    check.failsOnBase = failsOnBase
    let results: [CheckResult]
    do { results = try check.results() } catch {
      // An error about one limit of the command line names the option.
      var error = error
      if error.context.isEmpty { error.context = [path] }
      throw error
    }
    var document = CheckDocument(
      budget: path, base: base, baseIsMissing: baseIsMissing, results: results, images: images)
    document.nextSteps = nextSteps
    return document
  }

  /// The steps that the documents state. A comparison of layouts knows more about code than a count of pages.
  private var nextSteps: [NextStep] {
    var ofLayouts: [[NextStep]] = []
    var ofPages: [NextStep] = []
    for named in documents {
      switch named.document.content {
      case .diff(let document): ofLayouts.append(document.nextSteps)
      case .auto(let figures): ofLayouts.append(figures.nextSteps)
      case .pages(let document): ofPages += PagesNextSteps(document).steps
      case .audit, .faults, .gen, .measure, .stages, .verify: break
      }
    }
    if ofLayouts.allSatisfy(\.isEmpty) { return NextStep.inSequence([ofPages]) }
    return NextStep.inSequence(ofLayouts + [ofPages.filter { $0.kind == .advise }])
  }

  /// Returns a budget that the documents just meet, with notes about figures that get no limit.
  package func draft() throws(Diagnostic) -> (budget: Budget, notes: [String]) {
    (try BudgetDraft.budget(for: images), BudgetDraft.notes(for: images))
  }

  /// Returns the figures of the base; `nil` without a base.
  private static func images(
    ofBase found: [String], _ checked: CheckedCommit
  ) throws(Diagnostic) -> [CheckedImage]? {
    if found.isEmpty { return nil }
    var images: [CheckedImage] = []
    for path in found {
      try images.addBase(try InputFile.bytes(path), path: path, checked: checked)
    }
    return images.isEmpty ? nil : images
  }

  /// Returns why the base or a part of it is missing; `nil` if all of the base exists.
  private static func baseIsMissing(_ base: [String], _ found: [String]) -> String? {
    if base.isEmpty { return "no --base was given" }
    let missing = base.filter { !found.contains($0) }
    if missing.isEmpty { return nil }
    return missing.joined(separator: ", ") + (missing.count == 1 ? " does" : " do") + " not exist"
  }
}
