// The page map of a layout
//
// A launch is predicted to touch ranges of bytes, each for a cause. A measured launch touched pages, each by an access.
// The map lists the predicted and the touched pages by segment. All other pages of a segment are untouched:
//
//     segment        text, 0x1000 to 0x5000
//     touches        main 0x1ff0 + 32, constant 0x4000 + 8
//     pages of 4 KiB 0x1000: 16 bytes, startup function     0x2000: 16 bytes, startup function
//                    0x4000: 8 bytes, constant              0x3000 is untouched
//
// Overlapping ranges count their bytes once: ranges are added by ascending address, and the map remembers the end of
// the counted bytes.

import Addresses
import FaultEstimate
import ImageModel
import PagesFormat

/// The pages of a layout that a launch is predicted to touch, and the pages that a measured launch touched.
package struct PageMap: Hashable, Sendable {
  /// The ranges of the image that the loader maps, ascending by address. From a link map, only code is known.
  package var segments: [Segment]
  /// The pages that are predicted or measured to be touched, ascending by address, each in a segment.
  package var pages: [Page]
  /// The range of functions that the linker placed as the order file asks, from the first to the last; `nil` if none
  /// are known.
  package var ordered: AddressRange?
  /// Whether a launch was measured, so that pages without accesses were not touched by the launch.
  package var isMeasured: Bool
  /// Whether the image has more pages than a map can have; not part of the document.
  package private(set) var isCutOff = false
  /// The predicted touches that lie in no segment; not part of the document.
  package private(set) var touchesOutside = 0

  package struct Segment: Hashable, Sendable {
    package var kind: ImageModel.Segment
    package var range: AddressRange

    package init(kind: ImageModel.Segment, range: AddressRange) {
      self.kind = kind
      self.range = range
    }
  }

  /// A page that is touched.
  package struct Page: Hashable, Sendable {
    /// The address of the page's first byte.
    package var address: StatedAddress
    /// The number of bytes on the page that a launch is predicted to touch; 0 if there are none, or if their number is
    /// unknown.
    package var usedBytes = 0
    /// The causes for which the page is predicted to be touched, ascending; empty if the page is not predicted to be
    /// touched.
    package var causes: [TouchCause] = []
    /// How the page was touched, in the order of the cases; empty if it was not touched, or if nothing was measured.
    package var accesses: [Access] = []

    package var isPredicted: Bool { !causes.isEmpty }
    package var isMeasured: Bool { !accesses.isEmpty }
  }

  package init(segments: [Segment], pages: [Page], ordered: AddressRange?, isMeasured: Bool) {
    self.segments = segments
    self.pages = pages
    self.ordered = ordered
    self.isMeasured = isMeasured
  }
}

extension PageMap {
  /// The largest number of pages of a map: 1 GiB in pages of 4 KiB. An image that claims to be larger is cut off there.
  package static let mostPages = 1 << 18

  /// - Parameters:
  ///   - mappings: the mapped ranges of the image's file, ascending; empty if they are unknown.
  ///   - mostPages: the largest number of pages of the segments that are kept.
  ///   - measured: the touches that `orderfile pages` noted, in pages of 4 KiB; `nil` if no launch was measured.
  /// - Complexity: O(*t* log *t* + *p*) for *t* touches that lie on *p* pages.
  package init(
    of layout: Layout, mappings: [(segment: ImageModel.Segment, range: AddressRange)],
    touches: [PageFaultEstimate.Touch], measured: [PagesDocument.Page]?, ordered: AddressRange?,
    pageSize: PageSize, mostPages: Int = Self.mostPages
  ) {
    let touches = touches.sorted {
      ($0.bytes.start, $0.bytes.size, $0.cause) < ($1.bytes.start, $1.bytes.size, $1.cause)
    }
    let all =
      mappings.isEmpty
      ? Self.code(of: layout, touches.map(\.bytes))
      : mappings.map { Segment(kind: $0.segment, range: $0.range) }
    segments = Self.first(mostPages, of: all, pageSize)
    isCutOff = !segments.map(\.range).elementsEqual(all.map(\.range).filter { $0.size > 0 })
    var collected = Collected(segments, pageSize)
    for touch in touches where !collected.add(touch) { touchesOutside += 1 }
    for page in measured ?? [] { collected.add(page) }
    pages = collected.pages
    self.ordered = ordered
    isMeasured = measured != nil
  }

  /// Returns one segment with all executable sections, and with the ranges of `touched` outside of them.
  private static func code(of layout: Layout, _ touched: [AddressRange]) -> [Segment] {
    let ranges = layout.sections.filter(\.isExecutable).map(\.range) + touched
    guard let start = ranges.map(\.start).min(), let end = ranges.map(\.end).max() else {
      return []
    }
    return [Segment(kind: .text, range: AddressRange(start: start, size: end - start))]
  }

  /// Returns the segments, cut off after `count` pages.
  private static func first(
    _ count: Int, of segments: [Segment], _ pageSize: PageSize
  ) -> [Segment] {
    var room = UInt64(count)
    return segments.compactMap { segment in
      guard room > 0, segment.range.size > 0 else { return nil }
      let pages = pageSize.pages(of: segment.range)
      let known = min(room, (pages.upperBound - pages.lowerBound) + 1)
      room -= known
      let offset = segment.range.start - pageSize.start(of: pages.lowerBound)
      var segment = segment
      segment.range = AddressRange(
        start: segment.range.start,
        size: min(segment.range.size, known * pageSize.bytes - offset))
      return segment
    }
  }
}

extension PageMap {
  /// Returns, for each segment, the numbers of the pages that count for the segment. A page with several segments
  /// counts for the first segment with code, or else for the first segment. So the pages of all segments add up to the
  /// pages of the map.
  ///
  /// - Complexity: O(*s*) for *s* segments.
  package func pageNumbers(_ pageSize: PageSize) -> [Range<StatedPage>] {
    var numbers: [Range<StatedPage>] = []
    for (place, segment) in segments.enumerated() {
      let pages = pageSize.pages(of: segment.range)
      var start = pages.lowerBound
      var before = place - 1
      while before >= 0, numbers[before].upperBound > start {
        if segment.kind != .text || segments[before].kind == .text {
          start = numbers[before].upperBound
        } else {
          numbers[before] = min(numbers[before].lowerBound, start)..<start
          before -= 1
        }
      }
      numbers.append(start..<max(start, pages.upperBound + 1))
    }
    return numbers
  }
}

/// The pages of segments while touches are added to them.
private struct Collected {
  private let segments: [PageMap.Segment]
  private let pageSize: PageSize
  private var found: [StatedPage: PageMap.Page] = [:]
  /// The end of the bytes that have been counted so far.
  private var countedUpTo = StatedAddress(rawValue: 0)
  /// For each cause, the first page after the pages that have the cause. So overlapping ranges cost nothing.
  private var markedUpTo: [TouchCause: StatedPage] = [:]

  init(_ segments: [PageMap.Segment], _ pageSize: PageSize) {
    self.segments = segments
    self.pageSize = pageSize
  }

  var pages: [PageMap.Page] { found.values.sorted { $0.address < $1.address } }

  private func contains(_ address: StatedAddress) -> Bool {
    let next = segments.partitioningIndex { $0.range.start > address }
    return next > 0 && segments[next - 1].range.contains(address)
  }

  /// - Parameter touch: a touch that does not begin before the touches that were added.
  /// - Returns: whether the touch lies in a segment.
  mutating func add(_ touch: PageFaultEstimate.Touch) -> Bool {
    var isInside = false
    let next = segments.partitioningIndex { $0.range.end > touch.bytes.start }
    for segment in segments[next...].prefix(while: { $0.range.start < touch.bytes.lastEnd }) {
      let bytes =
        touch.bytes.intersection(segment.range)
        ?? AddressRange(start: touch.bytes.start, size: 0)
      mark(pageSize.pages(of: bytes), touch.cause)
      count(bytes)
      isInside = true
    }
    return isInside
  }

  private mutating func mark(_ pages: ClosedRange<StatedPage>, _ cause: TouchCause) {
    let first = max(pages.lowerBound, markedUpTo[cause] ?? pages.lowerBound)
    guard first <= pages.upperBound else { return }
    for number in first...pages.upperBound {
      found[number, default: PageMap.Page(address: pageSize.start(of: number))].add(cause)
    }
    markedUpTo[cause] = pages.upperBound + 1
  }

  private mutating func count(_ bytes: AddressRange) {
    let start = max(bytes.start, countedUpTo)
    guard start < bytes.end else { return }
    countedUpTo = bytes.end
    let new = AddressRange(start: start, size: bytes.end - start)
    for number in pageSize.pages(of: new) {
      let page = AddressRange(start: pageSize.start(of: number), size: pageSize.bytes)
      found[number]?.usedBytes += Int(new.intersection(page)?.size ?? 0)
    }
  }

  mutating func add(_ touched: PagesDocument.Page) {
    guard contains(touched.address) || contains(touched.address.endOfPage) else { return }
    let number = pageSize.page(of: touched.address)
    var page = found[number] ?? PageMap.Page(address: pageSize.start(of: number))
    if !page.accesses.contains(touched.access) {
      page.accesses = Access.allCases.filter {
        $0 == touched.access || page.accesses.contains($0)
      }
    }
    found[number] = page
  }
}

extension PageMap.Page {
  fileprivate mutating func add(_ cause: TouchCause) {
    guard !causes.contains(cause) else { return }
    causes.append(cause)
    causes.sort()
  }
}

extension AddressRange {
  /// The end of the range. For an empty range, the address after its start, because the empty range is on a page, too.
  fileprivate var lastEnd: StatedAddress {
    size == 0 ? AddressRange(start: start, size: 1).end : end
  }
}

extension StatedAddress {
  /// The last byte of the page of 4 KiB that contains this address: a segment may begin in the middle of a page.
  fileprivate var endOfPage: StatedAddress {
    StatedAddress(rawValue: rawValue | (PageSize.fourKibibytes.bytes - 1))
  }
}
