import Addresses
import ImageModel
import JSON
import PagesFormat

/// Tables are stored by column: the members of `functions`, `sections`, `touched` and so on are arrays of equal length.
/// Names are numbers, indexes into `names` (for people) and `symbols` (as in the symbol table; empty if it is the same);
/// -1 is no name. Addresses count in bytes from `base`; those of `functions` and the times of `hits` are stored as what
/// each adds to the one before. A section's `kind` is 1 for read-only, 2 for code, 3 for data. `access` is 0 for
/// execute, 1 read, 2 write, 3 kernel. `touched` is predicted, `measured` is measured, both ascending by `step`.
/// `owners` counts all functions; `functions` has those on touched pages.
extension ReportDocument: JSONDocument {
  package static let schema = "orderfile.report/1"

  package func write(to json: inout JSONWriter) { write(to: &json) { $0.description } }

  /// - Parameter wording: how names are shown to people.
  package func write(to json: inout JSONWriter, wording: NameWording) {
    var names = ReportNames()
    json.array("absent") { json in
      for absent in absentViews {
        json.object { json in
          json.member("command", absent.command)
          json.member("view", absent.view)
        }
      }
    }
    json.object("documents") { writeDocuments(to: &$0) }
    if let launch { json.object("hits") { launch.writeHits(to: &$0, &names) } }
    json.array("layouts") { json in
      for layout in layouts { json.object { layout.write(to: &$0, pageSize, &names) } }
    }
    if let launch { json.object("marks") { launch.writeMarks(to: &$0, &names) } }
    let shown = names.symbols.map { (symbol: $0.description, name: wording($0)) }
    json.column("names", shown.map(\.name))
    json.member("pageSizeBytes", pageSize)
    json.member("schema", Self.schema)
    json.column("symbols", shown.map { $0.symbol == $0.name ? "" : $0.symbol })
    json.member("title", title)
  }

  private func writeDocuments(to json: inout JSONWriter) {
    if let diff { json.object("diff") { diff.write(to: &$0) } }
    if !history.isEmpty {
      json.array("history") { json in
        for entry in history { json.object { entry.write(to: &$0) } }
      }
    }
    if let measure { json.object("measure") { measure.write(to: &$0) } }
    if let trend { json.object("trend") { trend.write(to: &$0) } }
  }
}

extension JSONWriter {
  /// Adds a member that is an array of plain values.
  fileprivate mutating func column(_ key: StaticString, _ values: some Sequence<some JSONValue>) {
    array(key) { json in for value in values { json.element(value) } }
  }
}

/// What each of ascending values adds to the one before.
private func differences(_ values: [Int]) -> [Int] {
  zip(values, [0] + values).map { $0 - $1 }
}

extension ReportLaunch {
  private var start: UInt64 { hits.first?.nanoseconds ?? 0 }

  private func microseconds(_ nanoseconds: UInt64) -> Int {
    nanoseconds < start ? 0 : Int(clamping: (nanoseconds - start) / 1000)
  }

  fileprivate func writeHits(to json: inout JSONWriter, _ names: inout ReportNames) {
    json.column("microseconds", differences(hits.map { microseconds($0.nanoseconds) }))
    json.column("name", hits.map { names.number(of: $0.name) })
    json.column("thread", hits.map(\.thread))
  }

  fileprivate func writeMarks(to json: inout JSONWriter, _ names: inout ReportNames) {
    json.column("microseconds", marks.map { microseconds($0.nanoseconds) })
    json.column("name", marks.map { names.number(of: SymbolName($0.name)) })
  }
}

extension ReportLayout {
  fileprivate func write(
    to json: inout JSONWriter, _ pageSize: PageSize, _ names: inout ReportNames
  ) {
    let functions = shownFunctions(pageSize)
    json.member("base", base)
    json.member("functionCount", Set(layout.functions.map(\.address)).count)
    json.object("functions") { json in
      json.column("address", differences(functions.map(\.bytes.lowerBound)))
      json.column(
        "name",
        functions.map { names.number(of: layout.symbolName(of: layout.functions[$0.index])) })
      json.column("owner", functions.map { names.number(of: owners[$0.index]) })
      json.column("size", functions.map(\.bytes.count))
    }
    if let measured { json.object("measured") { measured.write(to: &$0, self, &names) } }
    let totals = ownerTotals()
    json.object("owners") { json in
      json.column("bytes", totals.map(\.bytes))
      json.column("functions", totals.map(\.functions))
      json.column("name", totals.map { names.number(of: $0.owner) })
      json.column("usedBytes", totals.map(\.usedBytes))
      json.column("usedFunctions", totals.map(\.usedFunctions))
    }
    json.column("pageOwners", pageOwners(pageSize).map { names.number(of: $0) })
    json.member("path", path)
    json.object("sections") { writeSections(to: &$0, &names) }
    json.member("side", side.rawValue)
    json.object("touched") { writeTouches(to: &$0, functions, &names) }
  }

  private func writeSections(to json: inout JSONWriter, _ names: inout ReportNames) {
    let sections = layout.sections.compactMap { section in
      mapped(section).flatMap { shown($0) }.map { (section: section, bytes: $0) }
    }
    json.column("address", sections.map(\.bytes.lowerBound))
    json.column("kind", sections.map { kind(of: $0.section) })
    json.column("name", sections.map { names.number(of: $0.section.name) })
    json.column("size", sections.map(\.bytes.count))
  }

  /// The part of a section that the file fills; all of it if that is unknown, `nil` if it is none.
  private func mapped(_ section: Section) -> AddressRange? {
    guard !mappings.isEmpty else { return section.range }
    return mappings.lazy.compactMap { section.range.intersection($0.range) }.first
  }

  private func kind(of section: Section) -> Int {
    if section.isExecutable { return 2 }
    let mapping = mappings.first { $0.range.contains(section.range.start) }
    return switch mapping?.segment {
    case .text: 2
    case .data: 3
    case .readOnly, nil: 1
    }
  }

  private func writeTouches(
    to json: inout JSONWriter, _ functions: [ShownFunction], _ names: inout ReportNames
  ) {
    var places: [Int: Int] = [:]
    for (place, function) in functions.enumerated() {
      places[layout.aliases(of: function.index).lowerBound] = place
    }
    let placed = touches.compactMap { touch in
      shown(touch.bytes).map { (touch: touch, bytes: $0) }
    }
    json.column("address", placed.map(\.bytes.lowerBound))
    json.column("cause", placed.map { names.number(of: SymbolName($0.touch.cause.rawValue)) })
    json.column(
      "function",
      placed.map { touch in
        touch.touch.function.flatMap { places[layout.aliases(of: $0).lowerBound] } ?? -1
      })
    json.column("size", placed.map(\.bytes.count))
    json.column("step", placed.map(\.touch.step))
  }
}

extension ReportLayout.Measured {
  fileprivate func write(
    to json: inout JSONWriter, _ layout: ReportLayout, _ names: inout ReportNames
  ) {
    let shown = pages.compactMap { page in
      layout.shown(AddressRange(start: page.address, size: 1)).map { (page, $0.lowerBound) }
    }
    json.column("access", shown.map { Access.allCases.firstIndex(of: $0.0.access) ?? 0 })
    json.column("address", shown.map(\.1))
    json.member("method", method)
    json.column("name", shown.map { names.number(of: $0.0.function) })
    json.column("step", shown.map(\.0.step))
  }
}
