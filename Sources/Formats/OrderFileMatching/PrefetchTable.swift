// The constants and variables that an image prefetches
//
// Linkers place only data that have a name of their own, and most constants have none: strings and tables that compilers
// and linkers merge. Other objects can't name `static` data. So no symbols can mark what launches touched. But an order
// of functions moves no data: a link with the order file places the same data at the same distance from the start of
// their segment. So the table states ranges of segments, and the initializer finds the segments of its own image by the
// program headers.
//
// The table is after the text of the first anchor, in words of 32 bits:
//
//   number of segments that have ranges
//   for each segment: its number among the loaded segments, from 0, ascending
//                     its size in the file, in bytes, when the table was made
//   number of ranges
//   for each range: the segment, as an index into the list of segments
//                   the first byte of the range, and the first byte after the range, from the start of the segment
//
// The initializer finds each segment once, because a launch waits for each instruction of the initializer.
//
// If the size of a segment has changed by more than an eighth plus a page, the initializer takes the segment to have
// other data, and skips its ranges. A smaller change, such as a new initializer, moves data by some bytes.
//
// Pages to which the loader writes are left out: the loader relocates an image before it runs the image's first
// function, so these pages are in memory already.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat
import OrderFileFormat

/// The ranges of constants and variables that an ELF image prefetches, in the order of the calls.
package struct PrefetchTable: Hashable, Sendable {
  struct Range: Hashable, Sendable {
    /// The number of the segment among the segments of type `PT_LOAD`.
    var segment: UInt32
    /// `p_filesz` of the segment.
    var fileSize: UInt32
    /// The distances of the first byte, and of the first byte after the range, from the start of the segment.
    var start: UInt32
    var end: UInt32

    /// The range in an image with the segment; `nil` if the initializer skips it.
    func addresses(in loaded: [ELFSegment]) -> AddressRange? {
      guard Int(segment) < loaded.count else { return nil }
      let segment = loaded[Int(segment)]
      let expected = UInt64(fileSize)
      let change = max(segment.fileSize, expected) - min(segment.fileSize, expected)
      let end = min(UInt64(self.end), segment.fileSize, segment.range.size)
      guard change <= expected / 8 + PageSize.fourKibibytes.bytes, start < end,
        let first = segment.range.start.advanced(by: UInt64(start))
      else { return nil }
      return AddressRange(start: first, size: end - UInt64(start))
    }
  }

  private(set) var ranges: [Range] = []

  package init() {}

  /// The largest number of ranges. Each range is a system call or several, takes 12 bytes, and costs a launch 38
  /// instructions. With more ranges, the initializer costs the smallest program more than 2% of its instructions.
  static let mostRanges = 40
  /// The largest number of segments with ranges: the initializer has room for eight segments on its stack. Linkers make
  /// four or five loaded segments.
  package static let mostSegments = 8
  /// The largest number of untouched pages of 4 KiB between touched pages that are prefetched in one range. A request
  /// costs a device as much as reading some tens of KiB.
  static let holePages: UInt64 = 8

  /// Makes a table for builds that have the data of `file`.
  ///
  /// - Parameters:
  ///   - touched: bytes that launches touched, in the order of first use. Bytes are left out if the file does not
  ///     contain them, or if their segment has 4 GiB or more.
  ///   - isInMemory: whether a page is in memory before the initializer runs.
  /// - Complexity: O(*n* log *n* + *n* *s*) for *n* bytes and *s* segments.
  package init(
    touched: some Sequence<StatedAddress>, in file: ELFFile, isInMemory: (StatedPage) -> Bool
  ) {
    let loaded = file.loadedSegments
    let size = PageSize.fourKibibytes
    var places: [StatedPage: (rank: Int, segment: Int)] = [:]
    for address in touched {
      let page = size.page(of: address)
      guard places[page] == nil, !isInMemory(page),
        let segment = loaded.firstIndex(where: { segment in
          segment.fileSize <= UInt64(UInt32.max) && address >= segment.range.start
            && address - segment.range.start < min(segment.fileSize, segment.range.size)
        })
      else { continue }
      places[page] = (places.count, segment)
    }
    let pages = places.map { (page: $0.key, rank: $0.value.rank, segment: $0.value.segment) }
      .sorted { $0.page < $1.page }
    var hole = Self.holePages
    var groups: [(pages: ClosedRange<StatedPage>, rank: Int, segment: Int)] = []
    repeat {
      groups = []
      for (page, rank, segment) in pages {
        if let last = groups.last, last.segment == segment, page - last.pages.upperBound <= hole + 1
        {
          groups[groups.count - 1].pages = last.pages.lowerBound...page
          groups[groups.count - 1].rank = min(last.rank, rank)
        } else {
          groups.append((page...page, rank, segment))
        }
      }
      // Segments are not joined: hostile images may have thousands.
      hole *= 2
    } while groups.count > Self.mostRanges && hole < 1 << 20
    groups.sort { $0.rank < $1.rank }
    var used: Set<Int> = []
    groups.removeAll { group in
      guard used.count == Self.mostSegments else {
        used.insert(group.segment)
        return false
      }
      return !used.contains(group.segment)
    }
    ranges = groups.prefix(Self.mostRanges).compactMap { group in
      let segment = loaded[group.segment]
      let first = segment.range.start.rawValue
      let start = max(group.pages.lowerBound.rawValue * size.bytes, first) - first
      // The last page of the address space ends at 2^64, which wraps around to 0.
      let pagesEnd = (group.pages.upperBound.rawValue + 1) &* size.bytes
      // In a segment with code, the code that prefetches moves the data after it by less than a page.
      let room = segment.isExecutable ? size.bytes : 0
      let end = min(pagesEnd &- first &+ room, segment.fileSize)
      return Range(
        segment: UInt32(group.segment), fileSize: UInt32(segment.fileSize), start: UInt32(start),
        end: UInt32(end))
    }
  }

  /// Reads the table after the text of the first anchor, which is at `anchor`.
  ///
  /// - Returns: `nil` if there is no such anchor, or if the table is not in the file.
  package init?(of file: ELFFile, at anchor: StatedAddress) {
    let title = UInt64(PrefetchAnchor.firstText.utf8.count)
    let size = title + 4
    guard let place = try? file.range(of: AddressRange(start: anchor, size: size), "anchor"),
      file.bytes.text(place.indices.prefix(Int(title))) == PrefetchAnchor.firstText,
      let table = anchor.advanced(by: title),
      let segmentCount = Self.words(1, of: file, at: table)?.first,
      segmentCount <= Self.mostSegments,
      let head = Self.words(2 + 2 * Int(segmentCount), of: file, at: table),
      let count = head.last, count <= Self.mostRanges,
      let words = Self.words(head.count + 3 * Int(count), of: file, at: table)
    else { return nil }
    let segments = stride(from: 1, to: head.count - 1, by: 2).map { (words[$0], words[$0 + 1]) }
    guard zip(segments, segments.dropFirst()).allSatisfy({ $0.0 < $1.0 }) else { return nil }
    for place in stride(from: head.count, to: words.count, by: 3) {
      guard words[place] < segmentCount else { return nil }
      let (segment, fileSize) = segments[Int(words[place])]
      ranges.append(
        Range(
          segment: segment, fileSize: fileSize, start: words[place + 1], end: words[place + 2]))
    }
  }

  private static func words(_ count: Int, of file: ELFFile, at address: StatedAddress) -> [UInt32]?
  {
    let addresses = AddressRange(start: address, size: UInt64(4 * count))
    guard let place = try? file.range(of: addresses, "ranges") else { return nil }
    var input = ByteCursor(file.bytes, in: place, endianness: file.header.endianness)
    return try? (0..<count).map { _ in try input.read(UInt32.self, "ranges") }
  }

  /// The words of the table: those of each line of its description.
  package var words: [[UInt32]] {
    let sizes = Dictionary(ranges.map { ($0.segment, $0.fileSize) }) { first, _ in first }
    let segments = sizes.keys.sorted()
    let indexes = Dictionary(uniqueKeysWithValues: segments.enumerated().map { ($1, $0) })
    return [[UInt32(segments.count)]] + segments.map { [$0, sizes[$0] ?? 0] }
      + [[UInt32(ranges.count)]]
      + ranges.map { [UInt32(indexes[$0.segment] ?? 0), $0.start, $0.end] }
  }

  package var count: Int { ranges.count }
  /// The size of all ranges, in bytes.
  package var byteCount: UInt64 {
    ranges.map { UInt64($0.end) - min(UInt64($0.start), UInt64($0.end)) }.reduce(0, +)
  }

  /// The ranges in the image `file`; `nil` for each range that its initializer skips.
  package func addresses(in file: ELFFile) -> [AddressRange?] {
    let loaded = file.loadedSegments
    return ranges.map { $0.addresses(in: loaded) }
  }
}

extension ELFFile {
  fileprivate var loadedSegments: [ELFSegment] { segments.filter { $0.type == .load } }
}
