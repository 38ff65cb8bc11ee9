import Addresses
import ImageModel

extension ReportLayout {
  /// A function of the report; aliases are one.
  struct ShownFunction {
    /// The alias that was used, else the first; an index into the layout's functions.
    var index: Int
    var bytes: Range<Int>
    /// The step of its first use; `nil` if it is not used.
    var step: Int?
  }

  /// The functions on the pages that a launch touches, ascending by address; if they are too many, those that are used
  /// first, and as many of the others as there is room for.
  func shownFunctions(_ pageSize: PageSize) -> [ShownFunction] {
    let found = functionsOnTouchedPages(pageSize)
    guard found.count > Self.mostFunctions else { return found }
    let kept = found.indices.sorted { a, b in
      (found[a].step ?? .max, a) < (found[b].step ?? .max, b)
    }.prefix(Self.mostFunctions)
    return kept.sorted().map { found[$0] }
  }

  /// - Complexity: O(*n* log *t*) for *n* functions and *t* touched pages.
  func functionsOnTouchedPages(_ pageSize: PageSize) -> [ShownFunction] {
    let pages = touchedPages(pageSize)
    var steps: [Int: Int] = [:]
    for touch in touches {
      guard let function = touch.function, steps[function] == nil else { continue }
      steps[function] = touch.step
    }
    var found: [ShownFunction] = []
    var index = 0
    while index < layout.functions.count {
      let aliases = layout.functions(at: layout.functions[index].address)
      defer { index = aliases.upperBound }
      guard let bytes = shownBody(ofFunction: aliases.upperBound - 1) else { continue }
      let first = bytes.lowerBound / Int(pageSize.bytes)
      let last = max(bytes.lowerBound, bytes.upperBound - 1) / Int(pageSize.bytes)
      let place = pages.partitioningIndex { $0 >= first }
      guard place < pages.count, pages[place] <= last else { continue }
      let used = aliases.first { steps[$0] != nil }
      found.append(
        ShownFunction(
          index: used ?? aliases.lowerBound, bytes: bytes,
          step: aliases.compactMap { steps[$0] }.min()))
    }
    return found
  }

  /// The part of a function's body that lies in its section, as far as it is shown; empty if its size is unknown.
  func shownBody(ofFunction index: Int) -> Range<Int>? {
    let function = layout.functions[index]
    let empty = AddressRange(start: function.address, size: 0)
    guard function.size != nil else { return shown(empty) }
    let section = layout.sections[Int(function.section)].range
    return shown(function.knownBody.intersection(section) ?? empty)
  }

  /// The numbers of the pages that are predicted or measured to be touched, ascending, from `base`.
  private func touchedPages(_ pageSize: PageSize) -> [Int] {
    let first = Int(base.rawValue / pageSize.bytes)
    let measured = (measured?.pages ?? []).compactMap {
      shown(AddressRange(start: $0.address, size: 1)).map { $0.lowerBound / Int(pageSize.bytes) }
    }
    return Set(cells.map { Int($0.page.rawValue) - first } + measured).sorted()
  }
}
