// The pages that a file fills in memory: which segment each is of, and how its address is stated.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat

/// What the loader maps of one linked ELF image.
package struct ImagePages: Sendable {
  package struct Mapping: Sendable {
    package var segment: Segment
    /// What the file fills of it, in whole pages of 4 KiB.
    package var range: AddressRange
  }

  package var id: ImageID
  /// Ascending, and each with at least one page.
  package var mappings: [Mapping]
  /// The segments have a program interpreter: the image has a loader.
  package var hasLoader: Bool
  /// Code of the image runs before any library's initializer: it has a `.preinit_array`.
  package var runsEarly: Bool

  /// The first page: where the loader maps the image to, as the file states it.
  package var start: StatedAddress { mappings.first?.range.start ?? StatedAddress(rawValue: 0) }

  package static let pageSize: UInt64 = 4096

  /// - Throws: `unsupported` for what is no linked ELF image of 64 bits, besides what is wrong with it.
  package init(of bytes: FileBytes) throws(ParseError) {
    guard case .elf(let file) = try ObjectFile(parsing: bytes), file.header.is64Bit else {
      throw ParseError(
        .unsupported(found: "something other than a 64-bit ELF image"), "e_ident",
        at: FileOffset(rawValue: 4))
    }
    id = ImageID(file)
    mappings = file.segments.filter { $0.type == .load && $0.fileSize > 0 }.map { segment in
      let start = segment.range.start.rawValue & ~(Self.pageSize - 1)
      let filled = AddressRange(
        start: segment.range.start, size: min(segment.fileSize, segment.range.size))
      let end = filled.end.rawValue
      let (rounded, overflow) = end.addingReportingOverflow(Self.pageSize - 1)
      let pages = (overflow ? end : rounded) & ~(Self.pageSize - 1)
      return Mapping(
        segment: segment.isExecutable ? .text : segment.isWritable ? .data : .readOnly,
        range: AddressRange(start: StatedAddress(rawValue: start), size: max(pages, start) - start))
    }.filter { $0.range.size > 0 }.sorted { $0.range.start < $1.range.start }
    hasLoader = file.segments.contains { $0.type == .interpreter }
    runsEarly = file.sections.contains { $0.type == .preinitArray && $0.size > 0 }
  }

  /// The segment that the page at `address` is of; `nil` if the file fills none there.
  package func segment(holding address: StatedAddress) -> Segment? {
    mappings.first { $0.range.contains(address) }?.segment
  }

  /// How many pages of that size, at least 4 KiB, the file fills of a segment.
  ///
  /// - Complexity: O(*m*) for *m* mappings.
  package func count(of segment: Segment, _ size: PageSize) -> Int {
    var count = 0
    var next = StatedPage.first
    for mapping in mappings where mapping.segment == segment {
      let pages = size.pages(of: mapping.range)
      let first = max(pages.lowerBound, next)
      next = max(first, pages.upperBound + 1)
      count += Int(clamping: next - first)
    }
    return count
  }
}
