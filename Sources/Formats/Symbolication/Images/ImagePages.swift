// The pages that a file fills in memory: the segment and the stated address of each.

import Addresses
import ByteReading
import ImageModel
import ObjectFormat
import OrderFileFormat

/// The mappings of a linked ELF image.
package struct ImagePages: Sendable {
  package struct Mapping: Sendable {
    package var segment: Segment
    /// The part of the mapping that the file fills, in whole pages of 4 KiB.
    package var range: AddressRange
    /// The offset in the file of the first byte of `range`.
    package var fileOffset: FileOffset
  }

  package var id: ImageID
  /// The mappings of the image, ascending by address; each has at least one page.
  package var mappings: [Mapping]
  /// Whether the segments include a program interpreter, so that the image has a loader.
  package var hasLoader: Bool
  /// Whether code of the image runs before the initializers of libraries, because the image has a `.preinit_array`. An
  /// array with only `PrefetchAnchor.initializer` does not count: this function touches no page but its own.
  package var runsEarly: Bool
  /// Whether the image has resolvers of ifuncs, which the loader calls while it relocates images.
  package var hasResolvers: Bool
  /// Whether LeakSanitizer is in the image, or in a library that it needs: at its end the program then traces
  /// itself, which is impossible if it is already traced.
  package var hasLeakSanitizer: Bool

  /// The stated address of the first page.
  package var start: StatedAddress { mappings.first?.range.start ?? StatedAddress(rawValue: 0) }

  package static let pageSize: UInt64 = 4096

  /// - Throws: `unsupported` for anything but a linked 64-bit ELF image, and the errors in the image.
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
        range: AddressRange(start: StatedAddress(rawValue: start), size: max(pages, start) - start),
        // The loader demands that address and offset are at the same place of a page.
        fileOffset: FileOffset(rawValue: segment.offset.rawValue & ~(Self.pageSize - 1)))
    }.filter { $0.range.size > 0 }.sorted { $0.range.start < $1.range.start }
    hasLoader = file.segments.contains { $0.type == .interpreter }
    runsEarly =
      file.sections.contains { $0.type == .preinitArray && $0.size > 0 }
      && !Self.onlyPrefetchesEarly(file)
    hasResolvers = Self.hasResolvers(file)
    hasLeakSanitizer = Self.hasLeakSanitizer(file)
  }

  /// Returns whether `PrefetchAnchor.initializer` is the only function in `.preinit_array`; false if the image has no
  /// symbols.
  private static func onlyPrefetchesEarly(_ file: ELFFile) -> Bool {
    guard let early = try? file.initializers().filter({ $0.kind == .preinitArray }),
      early.count == 1, let address = early[0].address,
      let table = (try? file.symbolTable()) ?? nil
    else { return false }
    var isFound = false
    table.forEachSymbol { symbol in
      guard symbol.value == address, symbol.type == .function,
        let name = table.names.name(at: symbol.nameOffset)
      else { return }
      if table.names.bytes.text(name.indices) == PrefetchAnchor.initializer { isFound = true }
    }
    return isFound
  }

  private static func hasResolvers(_ file: ELFFile) -> Bool {
    var isFound = false
    if let table = (try? file.dynamicSymbolTable()) ?? nil {
      table.forEachSymbol { symbol in
        if symbol.type == .indirectFunction, symbol.sectionIndex != .undefined { isFound = true }
      }
    }
    guard !isFound, let type = file.header.machine.indirectRelative else { return isFound }
    let all = AddressRange(start: StatedAddress(rawValue: 0), size: .max)
    try? file.forEachDynamicRelocation(in: all) { if $0.type == type { isFound = true } }
    return isFound
  }

  /// Whether an image has LeakSanitizer, or a sanitizer that contains it, such as AddressSanitizer. Such an image
  /// exports or imports the sanitizer's functions.
  private static func hasLeakSanitizer(_ file: ELFFile) -> Bool {
    guard let table = (try? file.dynamicSymbolTable()) ?? nil else { return false }
    var isFound = false
    table.forEachSymbol { symbol in
      guard let name = table.names.name(at: symbol.nameOffset) else { return }
      let isInit = ["__asan_init", "__hwasan_init", "__lsan_init"].contains {
        $0.utf8.count == name.indices.count && table.names.bytes.text(name.indices) == $0
      }
      if isInit { isFound = true }
    }
    return isFound
  }

  /// The segment of the page at `address`; `nil` if the file fills no page there.
  package func segment(holding address: StatedAddress) -> Segment? {
    mappings.first { $0.range.contains(address) }?.segment
  }

  /// The stated addresses of the byte at `offset` of the file: two, if two segments meet at its page.
  package func addresses(of offset: FileOffset) -> [StatedAddress] {
    mappings.compactMap { mapping in
      guard offset >= mapping.fileOffset, offset - mapping.fileOffset < mapping.range.size else {
        return nil
      }
      return mapping.range.start.advanced(by: offset - mapping.fileOffset)
    }
  }

  /// The number of pages of that size, at least 4 KiB, that the file fills in a segment.
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
