// What gold and GNU ld have in common: their lists name input sections instead of symbols.

import Addresses
import ByteReading

extension OrderFile {
  /// Adds a glob: as an entry if it matches only one section, otherwise as a pattern. `.text` is a pattern
  /// too: it contains all functions without their own section.
  ///
  /// - Parameter range: where the file has the glob, without quotation marks.
  mutating func appendSection(
    matching glob: [UInt8], objectFile: [UInt8]? = nil, line: Int, range: Range<Int>,
    at position: FileOffset
  ) throws(ParseError) {
    guard let section = onlyName(matchedBy: glob), section != Array(".text".utf8) else {
      try append(OrderFilePattern(text: glob, line: line), at: position)
      return
    }
    let entry = OrderFileEntry(
      symbol: FunctionSection.symbol(of: section[...]) ?? [],
      objectFile: objectFile, section: section)
    try append(entry, line: line, nameRange: range, at: position)
  }
}

/// The reason why a dialect that names sections can't write `section`; `nil` if it can.
func reasonAgainstSection(
  _ section: [UInt8], of entry: OrderFileEntry
) -> UnwritableEntry.Reason? {
  if section.isEmpty { return .emptyName }
  if section.contains(0) { return .zeroByte }
  if section.contains(UInt8(ascii: "\n")) { return .lineBreak }
  return FunctionSection.isShared(section[...], of: entry.symbol[...]) ? .sharedInputSection : nil
}
