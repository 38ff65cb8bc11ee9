import ImageModel
import Rendering

extension Diagnostic.Kind {
  /// All traces are missing, or nothing was recorded in any of them; nothing else is wrong.
  package static let missingTraces = Self("missingTraces")
}

/// The errors of some files among many.
package struct FileProblems {
  private let keepsGoing: Bool
  package private(set) var errors: [Diagnostic] = []

  /// Whether all errors are about files that do not exist.
  private var areOfMissingFiles = true

  package init(keepsGoing: Bool) { self.keepsGoing = keepsGoing }

  /// - Parameter isMissing: whether `error` is about a file that does not exist.
  package mutating func append(_ error: Diagnostic, isMissing: Bool = false) {
    errors.append(error)
    areOfMissingFiles = areOfMissingFiles && isMissing
  }

  /// - Throws: the first error, with the paths of the other files, unless files are left out and some remain.
  package func check(count: Int) throws(Diagnostic) {
    guard var error = errors.first, !keepsGoing || errors.count == count else { return }
    if errors.count > 1 {
      let paths = errors.dropFirst().compactMap(\.context.first)
      let named = paths.prefix(10).joined(separator: ", ")
      let more = paths.count > 10 ? ", and \(paths.count - 10) more" : ""
      error.message +=
        "; \(counted(errors.count - 1, "more file")) can't be read: \(named)\(more)"
    }
    error.kind = areOfMissingFiles ? .missingTraces : nil
    if errors.count < count {
      error.remedies = [
        Remedy("give --keep-going to leave out files that can't be read", option: "--keep-going")
      ]
    }
    throw error
  }

  /// One warning for each file that is left out.
  package var warnings: [Diagnostic] {
    errors.map { Diagnostic("left out: \($0.message)", context: $0.context, hint: $0.hint) }
  }
}
