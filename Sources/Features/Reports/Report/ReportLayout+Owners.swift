import Addresses
import ImageModel
import Prediction

extension ReportLayout {
  /// The largest number of owners of functions that a report lists; the sizes of all other owners are added up.
  static let mostOwners = 2_000

  /// The number and size of all functions of an owner, or of those in one object file of the owner.
  struct OwnerTotal {
    var owner: FunctionOwner
    var functions = 0
    var bytes: UInt64 = 0
    var usedFunctions = 0
    var usedBytes: UInt64 = 0
  }

  /// Returns the owners of functions, by the address of each owner's first function. If there are too many, the owners
  /// with the most bytes are kept. Aliases count once.
  ///
  /// - Returns: the owners, and the number of owners that were left out.
  /// - Complexity: O(*n* log *n*) for *n* functions and touches.
  func ownerTotals() -> (totals: [OwnerTotal], others: Int) {
    var ranges: [Int: UInt64] = [:]
    for touch in touches {
      guard let function = touch.function else { continue }
      ranges[layout.aliases(of: function).lowerBound, default: 0] += min(
        touch.bytes.size, UInt64(UInt32.max))
    }
    var totals: [OwnerTotal] = []
    var places: [FunctionOwner: Int] = [:]
    var index = 0
    while index < layout.functions.count {
      let aliases = layout.functions(at: layout.functions[index].address)
      defer { index = aliases.upperBound }
      let size = layout.functions[aliases.upperBound - 1].knownBytes
      let place = places[owners[index]] ?? totals.count
      if place == totals.count {
        places[owners[index]] = place
        totals.append(OwnerTotal(owner: owners[index]))
      }
      totals[place].functions += 1
      totals[place].bytes = [totals[place].bytes, size].saturatingSum()
      if let used = ranges[index] {
        totals[place].usedFunctions += 1
        totals[place].usedBytes = [totals[place].usedBytes, min(size, used)].saturatingSum()
      }
    }
    guard totals.count > Self.mostOwners else { return (totals, 0) }
    let kept = totals.indices.sorted { (totals[$1].bytes, $0) < (totals[$0].bytes, $1) }
      .prefix(Self.mostOwners)
    return (kept.sorted().map { totals[$0] }, totals.count - Self.mostOwners)
  }

  /// The owner of a page: the module, archive or file that owns the most bytes of the functions on the page.
  enum PageOwner: Equatable {
    /// No function lies on the page.
    case none
    /// Most bytes of functions on the page are of functions whose owner is unknown.
    case unknown
    case named(SymbolName)
  }

  /// Returns the owners of the pages, in the order of the pages. A known owner is preferred to an unknown owner of
  /// equally many bytes. Of known owners with equally many bytes, the first on the page is chosen.
  ///
  /// - Complexity: O(*n* + *p*) on average for *n* functions and *p* pages.
  func pageOwners(_ pageSize: PageSize) -> [PageOwner] {
    let size = Int(pageSize.bytes)
    let end = layout.sections.compactMap { shown($0.range)?.upperBound }.max() ?? 0
    var pageOwners = [PageOwner](repeating: .none, count: (end + size - 1) / size)
    var page = -1
    var bytes: [SymbolName?: Int] = [:]
    func finish() {
      guard pageOwners.indices.contains(page), !bytes.isEmpty else { return }
      let ascending = bytes.sorted { a, b in
        guard a.value == b.value else { return a.value < b.value }
        guard let nameOfA = a.key, let nameOfB = b.key else { return a.key == nil }
        return nameOfA > nameOfB
      }
      pageOwners[page] = ascending.last?.key.map { .named($0) } ?? .unknown
    }
    var countedUpTo = 0
    for index in layout.functions.indices {
      guard let body = shownBody(ofFunction: index) else { continue }
      var start = max(body.lowerBound, countedUpTo)
      while start < body.upperBound {
        if start / size != page {
          finish()
          page = start / size
          bytes = [:]
        }
        let stop = min(body.upperBound, (page + 1) * size)
        bytes[owners[index].name, default: 0] += stop - start
        start = stop
      }
      countedUpTo = max(countedUpTo, body.upperBound)
    }
    finish()
    return pageOwners
  }
}
