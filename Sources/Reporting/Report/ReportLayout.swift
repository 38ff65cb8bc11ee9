import Addresses
import FaultEstimate
import ImageModel
import PagesFormat

/// One of the layouts of a report: what of the image is where, what a launch is predicted to touch, and what one touched.
package struct ReportLayout: Sendable {
  package enum Side: String, Sendable { case before, after }

  package var side: Side
  package var path: String
  package var layout: Layout
  /// What each part of the file is mapped as, ascending; empty if that is unknown, as for a link map.
  package var mappings: [(segment: Segment, range: AddressRange)]
  package var touches: [PageFaultEstimate.Touch]
  /// The module, object file or source file of each of the layout's functions; `nil` if nothing tells.
  package var owners: [SymbolName?]
  /// What `orderfile pages` counted; `nil` if it did not.
  package var measured: Measured?

  package struct Measured: Sendable {
    package var method: String
    package var pages: [PagesDocument.Page]

    package init(method: String, pages: [PagesDocument.Page]) {
      self.method = method
      self.pages = pages
    }
  }

  package init(
    side: Side, path: String, layout: Layout, mappings: [(segment: Segment, range: AddressRange)],
    touches: [PageFaultEstimate.Touch], owners: [SymbolName?], measured: Measured?
  ) {
    precondition(owners.count == layout.functions.count, "parallel arrays")
    self.side = side
    self.path = path
    self.layout = layout
    self.mappings = mappings
    self.touches = touches
    self.owners = owners
    self.measured = measured
  }
}

extension ReportLayout {
  /// The bytes that a report shows, counted from the first. An image that claims to be larger is cut off.
  static let largestImage: UInt64 = 1 << 30
  /// The functions that a report contains at most; those of startup come first.
  static let mostFunctions = 40_000

  /// The start of the first section, rounded down to 64 KiB.
  var base: StatedAddress {
    let first = layout.sections.first?.range.start ?? StatedAddress(rawValue: 0)
    return first.roundedDown(to: 64 << 10)
  }

  /// The part of `range` that is shown, counted from `base`; `nil` for none of it.
  func shown(_ range: AddressRange) -> Range<Int>? {
    guard range.start >= base, range.start - base < Self.largestImage else { return nil }
    let start = range.start - base
    return Int(start)..<Int(start + min(range.size, Self.largestImage - start))
  }

  /// Whether the image has sections that are not shown.
  package var isCutOff: Bool {
    layout.sections.contains { shown($0.range)?.count != Int(exactly: $0.range.size) }
  }

  /// A function of the report; aliases are one.
  struct ShownFunction {
    /// The alias that was used, else the first; an index into the layout's functions.
    var index: Int
    var bytes: Range<Int>
    var isUsed: Bool
  }

  /// The functions on the pages that a launch touches, ascending by address; if they are too many, the used ones, and
  /// as many of the others as there is room for.
  ///
  /// - Complexity: O(*n* log *t*) for *n* functions and *t* touched pages.
  func shownFunctions(_ pageSize: PageSize) -> [ShownFunction] {
    let pages = touchedPages(pageSize)
    let used = Set(touches.compactMap(\.function))
    var found: [ShownFunction] = []
    var index = 0
    while index < layout.functions.count {
      let aliases = layout.functions(at: layout.functions[index].address)
      defer { index = aliases.upperBound }
      let widest = layout.functions[aliases.upperBound - 1]
      guard let bytes = shown(widest.knownBody.withinSection(of: widest, layout)) else { continue }
      let first = bytes.lowerBound / Int(pageSize.bytes)
      let last = max(bytes.lowerBound, bytes.upperBound - 1) / Int(pageSize.bytes)
      let place = pages.partitioningIndex { $0 >= first }
      guard place < pages.count, pages[place] <= last else { continue }
      let usedAlias = aliases.first { used.contains($0) }
      found.append(
        ShownFunction(
          index: usedAlias ?? aliases.lowerBound, bytes: bytes, isUsed: usedAlias != nil))
    }
    guard found.count > Self.mostFunctions else { return found }
    var room = Self.mostFunctions - min(Self.mostFunctions, found.count { $0.isUsed })
    return found.filter { function in
      if function.isUsed { return true }
      room -= 1
      return room >= 0
    }
  }

  /// The numbers of the pages that are predicted or measured to be touched, ascending, from `base`.
  private func touchedPages(_ pageSize: PageSize) -> [Int] {
    let size = Int(pageSize.bytes)
    var ranges = touches.compactMap { shown($0.bytes) }
    ranges += (measured?.pages ?? []).compactMap {
      shown(AddressRange(start: $0.address, size: 1))
    }
    var pages: [Int] = []
    for bytes in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      let last = max(bytes.lowerBound, bytes.upperBound - 1) / size
      let next = max(bytes.lowerBound / size, (pages.last ?? -1) + 1)
      if next <= last { pages += next...last }
    }
    return pages
  }

  /// What all functions of an owner amount to.
  struct OwnerTotal {
    var owner: SymbolName?
    var functions = 0
    var bytes: UInt64 = 0
    var usedFunctions = 0
    var usedBytes: UInt64 = 0
  }

  /// By the address of an owner's first function. Aliases count once.
  func ownerTotals() -> [OwnerTotal] {
    var ranges: [Int: [AddressRange]] = [:]
    for touch in touches {
      guard let function = touch.function else { continue }
      ranges[layout.aliases(of: function).lowerBound, default: []].append(touch.bytes)
    }
    var totals: [OwnerTotal] = []
    var places: [SymbolName?: Int] = [:]
    var index = 0
    while index < layout.functions.count {
      let aliases = layout.functions(at: layout.functions[index].address)
      let size = layout.functions[aliases.upperBound - 1].knownBytes
      let place = places[owners[index]] ?? totals.count
      if place == totals.count {
        places[owners[index]] = place
        totals.append(OwnerTotal(owner: owners[index]))
      }
      totals[place].functions += 1
      totals[place].bytes = [totals[place].bytes, size].saturatingSum()
      if let uses = ranges[index] {
        totals[place].usedFunctions += 1
        let bytes = min(size, uses.map(\.size).saturatingSum())
        totals[place].usedBytes = [totals[place].usedBytes, bytes].saturatingSum()
      }
      index = aliases.upperBound
    }
    return totals
  }

  /// The owner of the most bytes of each page, in the order of the pages; `nil` for pages without functions.
  func pageOwners(_ pageSize: PageSize) -> [SymbolName?] {
    let size = Int(pageSize.bytes)
    let end = layout.sections.compactMap { shown($0.range)?.upperBound }.max() ?? 0
    var owners = [SymbolName?](repeating: nil, count: (end + size - 1) / size)
    var page = -1
    var bytes: [(owner: SymbolName, count: Int)] = []
    func finish() {
      guard owners.indices.contains(page) else { return }
      owners[page] = bytes.max { ($0.count, $1.owner) < ($1.count, $0.owner) }?.owner
    }
    var countedUpTo = 0
    for (index, function) in layout.functions.enumerated() {
      guard let owner = self.owners[index],
        let body = shown(function.knownBody.withinSection(of: function, layout))
      else { continue }
      var start = max(body.lowerBound, countedUpTo)
      while start < body.upperBound {
        if start / size != page {
          finish()
          page = start / size
          bytes = []
        }
        let stop = min(body.upperBound, (page + 1) * size)
        if let place = bytes.firstIndex(where: { $0.owner == owner }) {
          bytes[place].count += stop - start
        } else {
          bytes.append((owner, stop - start))
        }
        start = stop
      }
      countedUpTo = max(countedUpTo, body.upperBound)
    }
    finish()
    return owners
  }
}

extension AddressRange {
  /// The part of a body that lies in its section; its first byte if none does.
  fileprivate func withinSection(of function: Function, _ layout: Layout) -> AddressRange {
    intersection(layout.sections[Int(function.section)].range)
      ?? AddressRange(start: start, size: 1)
  }
}
