import Addresses
import ImageModel

/// The text report of `orderfile audit`: a table for each kind of work that a launch causes.
package struct AuditText {
  private let document: AuditDocument
  private let width: Int?
  private let names: NameWording

  /// - Parameter width: the terminal's, in columns; `nil` shortens no name.
  package init(
    _ document: AuditDocument, width: Int? = nil, names: @escaping NameWording = mangled
  ) {
    self.document = document
    self.width = width
    self.names = names
  }

  package var text: String {
    let parts = [
      head, libraries, initializers, relocations, objectiveC, unused, use, findings,
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var head: String {
    let embedded = document.libraries.count { $0.isEmbedded == true }
    let direct = document.libraries.count { $0.isDirect }
    let problems = document.libraries.count { $0.problem != nil }
    let pages = document.images.map(\.relocations.pages).saturatingSum()
    let words = document.images.map(\.relocations.words).saturatingSum()
    return """
      image \(printable(document.path))
        format:       \(document.architecture) \(document.format.rawValue)
        image ID:     \(document.id?.description ?? "none")
        libraries:    \(document.libraries.count), \(direct) of them direct, \(embedded) embedded\(problems == 0 ? "" : ", \(problems) not read")
        initializers: \(document.initializers.count)
        relocations:  \(words) on \(counted(pages, "page")) of \(document.pageSize.wording)

      """
  }

  private var libraries: String {
    guard !document.libraries.isEmpty else { return "" }
    var table = Table([
      .init("FROM", .left), .init("HOW", .left), .init("LIBRARY", .left),
      .init("NEEDED BY", .left),
    ])
    for library in document.libraries {
      let from =
        library.problem != nil
        ? "missing" : library.isEmbedded.map { $0 ? "program" : "system" } ?? "unknown"
      let kinds = library.kinds.filter { $0 != .required }.map(\.rawValue)
      let how = ([library.isDirect ? "direct" : "indirect"] + kinds).joined(separator: ", ")
      let problem = library.problem.map { " (\($0))" } ?? ""
      table.add([
        from, how, library.name.description + problem,
        library.neededBy.map(\.description).joined(separator: ", "),
      ])
    }
    var text = table.text(width: width)
    if let notAllowed = document.notAllowed {
      text += "\nnot allowed: \(notAllowed.isEmpty ? "none" : "\(notAllowed.count)")\n"
      for name in notAllowed { text += "  \(printable(name.description))\n" }
    }
    return text
  }

  private var initializers: String {
    guard !document.initializers.isEmpty else { return "" }
    let hasTimes = document.initializers.contains { $0.startNanoseconds != nil }
    var table = Table(
      [.init("SIZE"), .init("PAGES")] + (hasTimes ? [.init("START MS"), .init("MS")] : []) + [
        .init("KIND", .left), .init("IMAGE", .left), .init("FROM", .left),
        .init("FUNCTION", .left),
      ])
    for initializer in document.initializers {
      let times = [initializer.startNanoseconds, initializer.nanoseconds].map {
        $0.map { Decimal.milliseconds(nanoseconds: Double($0)) } ?? ""
      }
      table.add(
        [
          initializer.size.map { "\($0)" } ?? "", initializer.pages.map { "\($0)" } ?? "",
        ] + (hasTimes ? times : []) + [
          initializer.kind, initializer.image.description,
          initializer.objectFile?.description ?? initializer.origin ?? "",
          initializer.name.map(names) ?? initializer.address?.description ?? "unknown",
        ])
    }
    return table.text(width: width)
  }

  private var relocations: String {
    var table = Table([
      .init("RELOCATIONS"), .init("PAGES"), .init("IMAGE", .left), .init("KINDS", .left),
    ])
    for image in document.images {
      table.add([
        "\(image.relocations.words)", "\(image.relocations.pages)", image.name.description,
        image.relocations.counts.map { "\($0.kind) \($0.words)" }.joined(separator: ", "),
      ])
    }
    return table.text(width: width)
  }

  private var objectiveC: String {
    let images = document.images.filter { $0.objectiveC != nil }
    guard !images.isEmpty else { return "" }
    var table = Table([
      .init("CLASSES"), .init("CATEGORIES"), .init("PROTOCOLS"), .init("METHODS"),
      .init("SELECTORS"), .init("AT LOAD"), .init("IMAGE", .left),
    ])
    for image in images {
      guard let counts = image.objectiveC else { continue }
      table.add(
        [
          counts.classes, counts.categories, counts.protocols, counts.methods, counts.selectors,
          counts.nonLazy,
        ].map { "\($0)" } + [image.name.description])
    }
    return table.text(width: width)
  }

  private var unused: String {
    guard let unused = document.unused else { return "" }
    var text = "unused selectors: \(unused.selectors.count)\(further(unused.furtherSelectors))\n"
    for found in unused.selectors {
      let classes = found.classes.map(\.description).joined(separator: ", ")
      text +=
        "  \(printable("\(found.name) of \(classes), in \(found.image)"))\(doubt(found.doubt))\n"
    }
    text += "unused classes: \(unused.classes.count)\(further(unused.furtherClasses))\n"
    for found in unused.classes {
      text += "  \(printable("\(found.name), in \(found.image)"))\(doubt(found.doubt))\n"
    }
    return text
  }

  private func further(_ count: Int) -> String {
    count == 0 ? "" : ", \(count) more are possible (--possible)"
  }

  private func doubt(_ doubt: String?) -> String { doubt.map { " (\($0))" } ?? "" }

  private var use: String {
    guard let use = document.use else { return "" }
    var text = "candidates for loading later, of \(counted(use.traceCount, "trace")): "
    text += use.candidates.isEmpty ? "none\n" : "\(use.candidates.count)\n"
    if !use.candidates.isEmpty {
      var table = Table([
        .init("SIZE"), .init("RELOCATIONS"), .init("USED"), .init("FUNCTIONS"),
        .init("KIND", .left), .init("NAME", .left),
      ])
      for unit in use.candidates {
        table.add([
          "\(ByteCount(unit.bytes))", "\(unit.relocations)",
          "\(unit.usedFunctions)", "\(unit.functions)", unit.kind.rawValue, unit.name.description,
        ])
      }
      text += table.text(width: width)
    }
    for name in use.notObserved { text += "not observed: \(printable(name.description))\n" }
    return text
  }

  private var findings: String {
    document.findings.map { $0.lines(isColoured: false) }.joined()
  }
}
