import Addresses
import ByteReading
import ImageModel
import ObjectFormat
import OrderFileFormat

/// The pages of an ELF image that the image prefetches when it starts, as its anchors and the table in the first anchor
/// state them.
package struct PrefetchedPages: Sendable {
  /// The code between the anchors, in whole pages of 4 KiB.
  private let code: AddressRange
  /// The ranges of constants and variables, in whole pages of 4 KiB.
  private let data: [AddressRange]

  /// - Returns: `nil` for an image without anchors, or without symbols, and for an image whose last anchor is before the
  ///   first.
  /// - Complexity: O(*n*) for *n* symbols.
  package init?(of bytes: FileBytes) {
    guard case .elf(let file)? = try? ObjectFile(parsing: bytes),
      let table = (try? file.symbolTable()) ?? nil
    else { return nil }
    var first: StatedAddress?
    var last: StatedAddress?
    table.forEachSymbol { symbol in
      guard symbol.sectionIndex.isInSection, let name = table.names.name(at: symbol.nameOffset),
        [PrefetchAnchor.first.utf8.count, PrefetchAnchor.last.utf8.count].contains(
          name.indices.count)
      else { return }
      let text = table.names.bytes.text(name.indices)
      if text == PrefetchAnchor.first { first = symbol.value }
      if text == PrefetchAnchor.last { last = symbol.value }
    }
    guard let first, let last, first <= last else { return nil }
    code = Self.pages(of: AddressRange(start: first, size: last - first))
    data =
      PrefetchTable(of: file, at: first)?.addresses(in: file).compactMap { $0 }.map(Self.pages)
      ?? []
  }

  private static func pages(of range: AddressRange) -> AddressRange {
    let start = range.start.roundedDown(to: PageSize.fourKibibytes.bytes)
    let (end, overflow) = range.end.rawValue.addingReportingOverflow(
      PageSize.fourKibibytes.bytes - 1)
    let pages = (overflow ? range.end.rawValue : end) / PageSize.fourKibibytes.bytes
    return AddressRange(start: start, size: pages * PageSize.fourKibibytes.bytes - start.rawValue)
  }

  /// The number of pages of code.
  package var codePages: Int { Int(clamping: code.size / PageSize.fourKibibytes.bytes) }
  /// The number of pages of constants and variables; a page of two ranges counts twice.
  package var dataPages: Int {
    Int(clamping: data.map { $0.size / PageSize.fourKibibytes.bytes }.reduce(0, +))
  }

  /// Whether the page with `address` is prefetched.
  package func contains(_ address: StatedAddress) -> Bool {
    code.contains(address) || data.contains { $0.contains(address) }
  }
}
