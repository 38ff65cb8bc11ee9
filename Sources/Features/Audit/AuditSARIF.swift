import ImageModel
import Rendering

// The findings of an audit for code scanning, <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.
//
// A result is something that a change of the program can mend: a library that is not found, an
// initializer or a +load method of the program's own images, an unused selector or class, a library that could be
// loaded later, and what `doctor` warns about. A fingerprint has the rule and names, but no address, so that a finding
// stays the same in the next build. Results with the same names are numbered in the order of the document: if one of
// them is removed, its number goes to the next one.

/// An audit in SARIF 2.1.0.
package struct AuditSARIF {
  private let document: AuditDocument
  private let path: String
  private let toolVersion: String

  /// - Parameter path: the image's path relative to the repository; `nil` for `document.path`.
  package init(_ document: AuditDocument, path: String? = nil, toolVersion: String) {
    self.document = document
    self.path = path ?? document.path
    self.toolVersion = toolVersion
  }

  private enum Rule: String, CaseIterable {
    case libraryNotFound = "library-not-found"
    case initializer
    case loadMethod = "load-method"
    case unusedSelector = "unused-selector"
    case unusedClass = "unused-class"
    case loadLater = "load-later"
    case build

    var description: String {
      switch self {
      case .libraryNotFound: "A library was not found or could not be read."
      case .initializer: "A function runs before main, or when a library is loaded."
      case .loadMethod: "A +load method runs before main."
      case .unusedSelector: "Nothing refers to a selector."
      case .unusedClass: "Nothing refers to a class."
      case .loadLater: "A launch uses few functions, or none, of a library or archive."
      case .build: "A setting of the build keeps the image from being ordered well."
      }
    }
  }

  private struct Result {
    var rule: Rule
    var level: SARIFLog.Level
    var message: String
    /// What the finding is about: names that the next build has, too.
    var subject: [String]
  }

  package func json() -> [UInt8] {
    var seen: [String: Int] = [:]
    return SARIFLog(
      rules: Rule.allCases.map { SARIFLog.Rule(id: $0.rawValue, description: $0.description) },
      results: results.map {
        let subject = $0.subject.joined(separator: " ")
        let names = "\($0.rule.rawValue) \(subject)"
        let number = seen[names, default: 0] + 1
        seen[names] = number
        return SARIFLog.Result(
          rule: $0.rule.rawValue, level: $0.level, message: $0.message, path: path,
          names: [subject], fingerprint: ("audit/v1", number == 1 ? names : "\(names) #\(number)"))
      }, toolVersion: toolVersion
    ).json()
  }

  private var results: [Result] { libraries + initializers + unused + candidates + build }

  private var libraries: [Result] {
    document.libraries.compactMap { library in
      guard let problem = library.problem else { return nil }
      let images = library.neededBy
      return Result(
        rule: .libraryNotFound, level: library.mayBeMissing ? .note : .warning,
        message: "the library \(library.name): \(problem)"
          + (images.isEmpty ? "" : "; needed by \(images)"),
        subject: [library.name.description])
    }
  }

  private var initializers: [Result] {
    let embedded = document.libraries.filter { $0.isEmbedded == true }.map(\.name)
    let own = Set(embedded + document.images.prefix(1).map(\.name))
    return document.initializers.filter { own.contains($0.image) && !isOfCRuntime($0) }.map {
      let isLoad = $0.kind.hasPrefix("+load")
      let name = $0.name?.description ?? $0.address?.description ?? "unknown"
      let file = $0.objectFile.map { " of \($0)" } ?? ""
      return Result(
        rule: isLoad ? .loadMethod : .initializer, level: .note,
        message: "\(name)\(file) runs when \($0.image) is loaded (\($0.kind))",
        subject: [$0.image.description, $0.name?.description ?? $0.kind])
    }
  }

  /// Whether the initializer comes from a start file, so that a change of the program can't mend it. Without symbols,
  /// only the function of `.init` is known to come from a start file.
  private func isOfCRuntime(_ initializer: AuditedInitializer) -> Bool {
    initializer.origin == "c runtime" || (initializer.name == nil && initializer.kind == "DT_INIT")
  }

  private var unused: [Result] {
    guard let unused = document.unused else { return [] }
    return unused.selectors.map {
      Result(
        rule: .unusedSelector, level: .note,
        message:
          "nothing refers to the selector \($0.name) of \($0.classes.map(\.description).joined(separator: ", "))\(doubt($0.doubt))",
        subject: [
          $0.image.description, $0.classes.map(\.description).joined(separator: ","),
          $0.name.description,
        ])
    }
      + unused.classes.map {
        Result(
          rule: .unusedClass, level: .note,
          message: "nothing refers to the class \($0.name)\(doubt($0.doubt))",
          subject: [$0.image.description, $0.name.description])
      }
  }

  private func doubt(_ doubt: String?) -> String { doubt.map { "; but \($0)" } ?? "" }

  private var candidates: [Result] {
    (document.use?.candidates ?? []).map {
      Result(
        rule: .loadLater, level: .note,
        message:
          "\($0.usedFunctions) of \($0.functions) functions of the \($0.kind.rawValue) \($0.name) ran: it could be loaded later",
        subject: [$0.name.description])
    }
  }

  private var build: [Result] {
    document.findings.filter { $0.severity != .ok }.map {
      Result(
        rule: .build, level: $0.severity == .error ? .error : .warning,
        message: "\($0.check): \($0.finding)\($0.hint.map { "; \($0)" } ?? "")",
        subject: [$0.check])
    }
  }
}
