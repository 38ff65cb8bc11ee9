// What gold and GNU ld have in common: their lists name input sections instead of symbols.

import Addresses
import ByteReading

extension OrderFile {
  /// Adds a glob: as an entry if it matches only one section, otherwise as a pattern. `.text` is a pattern
  /// too: it contains all functions without their own section.
  ///
  /// - Parameters:
  ///   - range: the range of the glob in the file, without quotation marks.
  ///   - function: the function of the section, which the comment before the glob names.
  mutating func appendSection(
    matching glob: [UInt8], objectFile: [UInt8]? = nil, line: Int, range: Range<Int>,
    of function: CommentedFunction? = nil, at position: FileOffset
  ) throws(ParseError) {
    guard let section = onlyName(matchedBy: glob), section != Array(".text".utf8) else {
      try append(OrderFilePattern(text: glob, line: line), at: position)
      return
    }
    let entry = OrderFileEntry(
      symbol: function?.name ?? FunctionSection.symbol(of: section[...]) ?? [],
      objectFile: objectFile, section: section)
    let nameRange = entry.needsComment ? function?.range ?? range : range
    try append(entry, line: line, nameRange: nameRange, at: position)
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

/// Returns the text of the comment that names the function before its section; `nil` if the section is named for the function,
/// or if a comment can't hold the function's name.
func functionInComment(_ entry: OrderFileEntry) -> [UInt8]? {
  let name = entry.symbol
  guard entry.needsComment, let last = name.last, !isBlank(last), !name.contains(0),
    !name.contains(UInt8(ascii: "\n")),
    !zip(name, name.dropFirst()).contains(where: { $0 == (UInt8(ascii: "*"), UInt8(ascii: "/")) })
  else { return nil }
  return Array(OrderFileComment.functionMark.utf8) + name
}
