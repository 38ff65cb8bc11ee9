import Addresses
import ByteReading

/// The title of the part of a GNU ld or gold map that lists the placed sections. It distinguishes the two
/// linkers; the first title of the map does not, because a map may begin with one of many parts.
enum GNUMapTitle {
  case gnu, gold

  /// - Returns: `nil` if no map of these linkers begins with `line`.
  /// - Throws: `missing` if neither title follows.
  init?(of bytes: FileBytes, beginningWith line: Range<Int>) throws(ParseError) {
    guard Self.firstTitles.contains(where: { bytes.hasPrefix($0, at: line.lowerBound) }) else {
      return nil
    }
    var lines = LineScanner(bytes)
    while let line = lines.next() {
      if Self.gnu.stands(in: line, of: bytes) {
        self = .gnu
        return
      }
      if Self.gold.stands(in: line, of: bytes) {
        self = .gold
        return
      }
    }
    throw ParseError(
      .missing, "'\(Self.gnu.text)' or '\(Self.gold.text)'",
      at: FileOffset(rawValue: UInt64(bytes.count)), line: lines.lineNumber)
  }

  /// Whether the line is this title.
  func stands(in line: Range<Int>, of bytes: FileBytes) -> Bool {
    bytes.isEqual(line, to: text)
  }

  private var text: StaticString {
    switch self {
    case .gnu: "Linker script and memory map"
    case .gold: "Memory map"
    }
  }

  /// Titles with which a map may begin; each is the beginning of a line.
  private static let firstTitles: [StaticString] = [
    "Archive member included ", "As-needed library included ", "Merging program properties",
    "Allocating common symbols", "Common symbol", "Discarded input sections",
    "There are no discarded input sections", "Memory Configuration",
    "Linker script and memory map", "Memory map",
  ]
}
