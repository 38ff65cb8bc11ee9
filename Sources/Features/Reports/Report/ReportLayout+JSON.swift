import Addresses
import ImageModel
import JSON
import PagesFormat

extension ReportLayout {
  /// - Parameter functions: the result of `shownFunctions(pageSize)`.
  func write(
    _ functions: [ShownFunction], to json: inout JSONWriter, _ pageSize: PageSize,
    _ names: inout ReportNames
  ) {
    if let architecture = image.architecture {
      json.member("architecture", architecture.description)
    }
    json.member("base", base)
    json.object("curve") { $0.curve(curve) }
    json.member("functionCount", functionCount)
    json.object("functions") { writeFunctions(functions, to: &$0, &names) }
    json.optional("id", image.id)
    if let measured { json.object("measured") { measured.write(to: &$0, self, &names) } }
    let (totals, others) = ownerTotals()
    json.member("otherOwners", others)
    json.object("owners") { json in
      json.column("bytes", totals.map(\.bytes))
      json.column("functions", totals.map(\.functions))
      json.column("name", totals.map { names.number(of: $0.owner.name) })
      json.column("object", totals.map { names.number(of: $0.owner.object) })
      json.column("usedBytes", totals.map(\.usedBytes))
      json.column("usedFunctions", totals.map(\.usedFunctions))
    }
    json.column("pageOwners", pageOwners(pageSize).map { names.number(of: $0) })
    json.object("pages") { json in
      let first = Int(base.rawValue / pageSize.bytes)
      json.column("bytes", cells.map(\.bytes))
      json.column("functions", cells.map(\.functions))
      json.column("orderable", cells.map { $0.isOrderable ? 1 : 0 })
      json.column("page", differences(cells.map { Int($0.page.rawValue) - first }))
      json.column("step", cells.map(\.step))
    }
    json.member("path", path)
    json.object("sections") { writeSections(to: &$0, &names) }
    json.member("side", side.rawValue)
    json.object("touched") { writeTouches(to: &$0, functions, &names) }
  }

  private func writeFunctions(
    _ functions: [ShownFunction], to json: inout JSONWriter, _ names: inout ReportNames
  ) {
    let ends = [0] + functions.map(\.bytes.upperBound)
    json.column("gap", zip(functions, ends).map { $0.bytes.lowerBound - $1 })
    if !launchesOfSteps.isEmpty {
      let counts = launchesOfFunctions
      json.column(
        "launches", functions.map { counts[layout.aliases(of: $0.index).lowerBound] ?? 0 })
    }
    json.column("name", differences(functions.map { names.number(of: name(of: $0)) }))
    json.column("object", functions.map { names.number(of: owners[$0.index].object) })
    json.column("owner", functions.map { names.number(of: owners[$0.index].name) })
    json.column("size", functions.map(\.bytes.count))
  }

  func name(of function: ShownFunction) -> SymbolName? {
    layout.symbolName(of: layout.functions[function.index])
  }

  /// The number of launches that use each function, by the function's first alias: the largest number over the
  /// function's parts.
  private var launchesOfFunctions: [Int: Int] {
    var counts: [Int: Int] = [:]
    for touch in touches {
      guard let function = touch.function, launchesOfSteps.indices.contains(touch.step) else {
        continue
      }
      let place = layout.aliases(of: function).lowerBound
      counts[place] = max(counts[place] ?? 0, launchesOfSteps[touch.step])
    }
    return counts
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

  /// Returns the part of a section that the file fills; the whole section if this is unknown, and `nil` if the file
  /// fills nothing of it.
  private func mapped(_ section: Section) -> AddressRange? {
    guard !mappings.isEmpty else { return section.range }
    return mappings.lazy.compactMap { section.range.intersection($0.range) }.first
  }

  /// Returns the section's kind as a number. Sections without code may lie in an executable segment, so the section's
  /// own flags decide.
  private func kind(of section: Section) -> Int {
    if section.isExecutable { return 2 }
    let mapping = mappings.first { $0.range.contains(section.range.start) }
    return mapping?.segment == .data ? 3 : 1
  }

  private func writeTouches(
    to json: inout JSONWriter, _ functions: [ShownFunction], _ names: inout ReportNames
  ) {
    var places: [Int: Int] = [:]
    for (place, function) in functions.enumerated() {
      places[layout.aliases(of: function.index).lowerBound] = place
    }
    let placed = touches.prefix(Self.mostTouches).compactMap { touch in
      shown(touch.bytes).map { (touch: touch, bytes: $0) }
    }
    let numbers = placed.map { touch in
      touch.touch.function.flatMap { places[layout.aliases(of: $0).lowerBound] } ?? -1
    }
    let bodies = numbers.map { $0 < 0 ? 0..<0 : functions[$0].bytes }
    json.column("cause", placed.map { names.number(of: SymbolName($0.touch.cause.rawValue)) })
    json.column("function", numbers)
    json.column("offset", zip(placed, bodies).map { $0.bytes.lowerBound - $1.lowerBound })
    json.column(
      "size", zip(placed, bodies).map { $0.bytes.upperBound == $1.upperBound ? -1 : $0.bytes.count }
    )
    json.column("step", differences(placed.map(\.touch.step)))
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
    json.column("symbol", shown.map { names.number(of: $0.0.symbol) })
  }
}

extension ReportNames {
  fileprivate mutating func number(of owner: ReportLayout.PageOwner) -> Int {
    switch owner {
    case .none: -1
    case .unknown: number(of: "")
    case .named(let name): number(of: name)
    }
  }
}
