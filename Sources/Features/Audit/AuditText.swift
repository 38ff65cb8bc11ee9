import Addresses
import ImageModel
import Rendering

/// The text report of `orderfile audit`: a table for each kind of work that a launch causes.
package struct AuditText {
  private let document: AuditDocument
  private let width: Int?
  private let listsInitializers: Bool
  private let names: NameWording

  /// - Parameters:
  ///   - width: the terminal's width, in columns; `nil` shortens no name.
  ///   - listsInitializers: whether each initializer has a row, instead of each image that has any.
  package init(
    _ document: AuditDocument, width: Int? = nil, listsInitializers: Bool = false,
    names: @escaping NameWording = mangled
  ) {
    self.document = document
    self.width = width
    self.listsInitializers = listsInitializers
    self.names = names
  }

  package var text: String {
    let startWork = listsInitializers ? initializers : initializerCounts
    let parts = [
      head, libraries, startWork, tasks, relocations, objectiveC, unused, use, findings,
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
    let hasLoads = document.libraries.contains { $0.loadNanoseconds != nil }
    let hasUses = document.libraries.contains { $0.firstUseNanoseconds != nil }
    var table = Table(
      (hasLoads ? [.init("LOAD MS")] : []) + (hasUses ? [.init("USED AT MS")] : []) + [
        .init("PART OF", .left), .init("HOW", .left), .init("LIBRARY", .left),
        .init("NEEDED BY", .left, shortening: shortenedList),
      ])
    for library in document.libraries {
      let from =
        library.problem != nil
        ? "missing" : library.isEmbedded.map { $0 ? "program" : "system" } ?? "unknown"
      let how = library.unrequested?.rawValue ?? (library.isDirect ? "direct" : "indirect")
      let problem = library.problem.map { " (\($0))" } ?? ""
      let times =
        (hasLoads ? [milliseconds(library.loadNanoseconds)] : [])
        + (hasUses ? [milliseconds(library.firstUseNanoseconds)] : [])
      table.add(
        times + [
          from, how, library.name.description + problem, library.neededBy,
        ])
    }
    return table.text(width: width)
  }

  private func milliseconds(_ nanoseconds: UInt64?) -> String {
    nanoseconds.map { Decimal.milliseconds(nanoseconds: Double($0)) } ?? ""
  }

  /// The number of initializers of each image that has any.
  private var initializerCounts: String {
    guard !document.initializers.isEmpty else { return "" }
    let hasTimes = document.initializers.contains { $0.startNanoseconds != nil }
    var table = Table(
      [.init("INITIALIZERS"), .init("SIZE")] + (hasTimes ? [.init("MS")] : []) + [
        .init("IMAGE", .left)
      ])
    let byImage = Dictionary(grouping: document.initializers, by: \.image)
    var seen: Set<SymbolName> = []
    for image in document.initializers.map(\.image) where seen.insert(image).inserted {
      let all = byImage[image] ?? []
      let sizes = all.compactMap(\.size)
      let times = all.compactMap(\.nanoseconds)
      let time =
        times.isEmpty ? "" : Decimal.milliseconds(nanoseconds: Double(times.saturatingSum()))
      table.add(
        ["\(all.count)", sizes.isEmpty ? "" : "\(sizes.saturatingSum())"] + (hasTimes ? [time] : [])
          + [image.description])
    }
    return table.text(width: width) + "each initializer: --list\n"
  }

  private var initializers: String {
    guard !document.initializers.isEmpty else { return "" }
    let hasTimes = document.initializers.contains { $0.startNanoseconds != nil }
    var table = Table(
      [.init("SIZE"), .init("PAGES")] + (hasTimes ? [.init("START MS"), .init("MS")] : []) + [
        .init("KIND", .left), .init("IMAGE", .left), .init("OBJECT FILE", .left),
        .init("FUNCTION", .left),
      ])
    for initializer in document.initializers {
      let times = [initializer.startNanoseconds, initializer.nanoseconds].map(milliseconds)
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

  private var tasks: String {
    guard !document.tasks.isEmpty else { return "" }
    var table = Table([
      .init("PRIORITY"), .init("STAGE", .left), .init("TASK", .left), .init("PROBLEM", .left),
      .init("IMAGE", .left), .init("OBJECT FILE", .left), .init("FUNCTION", .left),
    ])
    for task in document.tasks {
      table.add([
        "\(task.priority)", task.stage.description, task.name.description,
        task.problem?.rawValue ?? "", task.image.description, task.objectFile?.description ?? "",
        task.function.map(names) ?? task.address?.description ?? "unknown",
      ])
    }
    return table.text(width: width)
  }

  private var relocations: String {
    var table = Table([
      .init("RELOCATIONS"), .init("PAGES"), .init("IMAGE", .left),
      .init("KINDS", .left, shortening: shortenedList),
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
