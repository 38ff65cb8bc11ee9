import Addresses
import ImageModel

extension ReportLayout {
  /// A function that the report shows. Aliases at one address are one function.
  struct ShownFunction {
    /// The alias that launches used, or else the first alias, as an index into the layout's functions.
    var index: Int
    var bytes: Range<Int>
    /// The step of the function's first use; `nil` if no launch uses it.
    var step: Int?
  }

  /// Returns the functions on the pages that a launch touches, ascending by address. If they are too many, the
  /// functions that are used first are kept, and as many other functions as there is room for.
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

  /// Returns the part of a function's body that lies in the function's section and in the part of the image that the
  /// report shows; empty if the size is unknown.
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
