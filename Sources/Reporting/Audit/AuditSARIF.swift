import ImageModel
import JSON

// The findings of an audit for code scanning, <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.
//
// A result is something that a change of the program can mend: a library that is not allowed or not found, an
// initializer or a +load method of the program's own images, an unused selector or class, a library that could be loaded
// later, and what `doctor` warns of. A fingerprint has the rule and names, but no address, so that a finding stays the
// same in the next build.

/// An audit in SARIF 2.1.0.
package struct AuditSARIF {
  private let document: AuditDocument
  private let toolVersion: String

  package init(_ document: AuditDocument, toolVersion: String) {
    self.document = document
    self.toolVersion = toolVersion
  }

  private enum Rule: String, CaseIterable {
    case libraryNotAllowed = "library-not-allowed"
    case libraryNotFound = "library-not-found"
    case initializer
    case loadMethod = "load-method"
    case unusedSelector = "unused-selector"
    case unusedClass = "unused-class"
    case loadLater = "load-later"
    case build

    var description: String {
      switch self {
      case .libraryNotAllowed: "A library is not on the list of allowed ones."
      case .libraryNotFound: "A library was not found or could not be read."
      case .initializer: "A function runs before main, or when a library is loaded."
      case .loadMethod: "A +load method runs before main."
      case .unusedSelector: "Nothing refers to a selector."
      case .unusedClass: "Nothing refers to a class."
      case .loadLater: "A launch uses no or few functions of a library or archive."
      case .build: "How the image was built keeps it from being ordered well."
      }
    }
  }

  private struct Result {
    var rule: Rule
    var level: String
    var message: String
    /// What the finding is about: names that the next build has, too.
    var subject: [String]
  }

  package func json() -> [UInt8] {
    JSONWriter.document { json in
      json.member("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
      json.array("runs") { json in
        json.object(isInline: false) { json in
          json.array("results") { json in
            for result in results { json.object { write(result, to: &$0) } }
          }
          json.object("tool") { json in json.object("driver") { writeDriver(to: &$0) } }
        }
      }
      json.member("version", "2.1.0")
    }
  }

  private func writeDriver(to json: inout JSONWriter) {
    json.member("name", "orderfile")
    json.array("rules") { json in
      for rule in Rule.allCases {
        json.object { json in
          json.member("id", rule.rawValue)
          json.object("shortDescription") { $0.member("text", rule.description) }
        }
      }
    }
    json.member("version", toolVersion)
  }

  private func write(_ result: Result, to json: inout JSONWriter) {
    json.member("level", result.level)
    json.array("locations") { json in
      json.object { json in
        json.array("logicalLocations") { json in
          json.object { $0.member("fullyQualifiedName", result.subject.joined(separator: " ")) }
        }
        json.object("physicalLocation") { json in
          json.object("artifactLocation") { $0.member("uri", Self.uri(ofPath: document.path)) }
        }
      }
    }
    json.object("message") { $0.member("text", result.message) }
    json.object("partialFingerprints") { json in
      json.member("audit/v1", ([result.rule.rawValue] + result.subject).joined(separator: " "))
    }
    json.member("ruleId", result.rule.rawValue)
    json.member("ruleIndex", Rule.allCases.firstIndex(of: result.rule) ?? 0)
  }

  private var results: [Result] { libraries + initializers + unused + candidates + build }

  private var libraries: [Result] {
    let notAllowed = (document.notAllowed ?? []).map { name in
      Result(
        rule: .libraryNotAllowed, level: "error",
        message: "the library \(name) is not on the list\(neededBy(name))",
        subject: [name.description])
    }
    return notAllowed
      + document.libraries.compactMap { library in
        guard let problem = library.problem else { return nil }
        return Result(
          rule: .libraryNotFound, level: library.kinds == [.weak] ? "note" : "warning",
          message: "the library \(library.name): \(problem)\(neededBy(library.name))",
          subject: [library.name.description])
      }
  }

  private func neededBy(_ name: SymbolName) -> String {
    let images = document.libraries.first { $0.name == name }?.neededBy ?? []
    return images.isEmpty
      ? "" : "; needed by \(images.map(\.description).joined(separator: ", "))"
  }

  private var initializers: [Result] {
    let embedded = document.libraries.filter { $0.isEmbedded == true }.map(\.name)
    let own = Set(embedded + document.images.prefix(1).map(\.name))
    return document.initializers.filter { own.contains($0.image) && $0.origin != "c runtime" }.map {
      let isLoad = $0.kind.hasPrefix("+load")
      let name = $0.name?.description ?? $0.address?.description ?? "unknown"
      let file = $0.objectFile.map { " of \($0)" } ?? ""
      return Result(
        rule: isLoad ? .loadMethod : .initializer, level: "note",
        message: "\(name)\(file) runs when \($0.image) is loaded (\($0.kind))",
        subject: [$0.image.description, $0.name?.description ?? $0.kind])
    }
  }

  private var unused: [Result] {
    guard let unused = document.unused else { return [] }
    return unused.selectors.map {
      Result(
        rule: .unusedSelector, level: "note",
        message:
          "nothing refers to the selector \($0.name) of \($0.classes.map(\.description).joined(separator: ", "))\(doubt($0.doubt))",
        subject: [
          $0.image.description, $0.classes.map(\.description).joined(separator: ","),
          $0.name.description,
        ])
    }
      + unused.classes.map {
        Result(
          rule: .unusedClass, level: "note",
          message: "nothing refers to the class \($0.name)\(doubt($0.doubt))",
          subject: [$0.image.description, $0.name.description])
      }
  }

  private func doubt(_ doubt: String?) -> String { doubt.map { "; but \($0)" } ?? "" }

  private var candidates: [Result] {
    (document.use?.candidates ?? []).map {
      Result(
        rule: .loadLater, level: "note",
        message:
          "\($0.usedFunctions) of \($0.functions) functions of the \($0.kind.rawValue) \($0.name) ran: it could be loaded later",
        subject: [$0.name.description])
    }
  }

  private var build: [Result] {
    document.findings.filter { $0.severity != .ok }.map {
      Result(
        rule: .build, level: $0.severity == .error ? "error" : "warning",
        message: "\($0.check): \($0.finding)\($0.hint.map { "; \($0)" } ?? "")",
        subject: [$0.check])
    }
  }

  /// `path` as a URI reference: percent-encoded, and with the scheme `file` if it is absolute.
  private static func uri(ofPath path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for byte in path.utf8 {
      let isPlain =
        byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
        || "-._~/".utf8.contains(byte)
      text +=
        isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return (path.hasPrefix("/") ? "file://" : "") + String(decoding: text, as: UTF8.self)
  }
}
