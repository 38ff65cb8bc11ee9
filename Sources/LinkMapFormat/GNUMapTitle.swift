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

  /// Whether a line of `bytes` places a section as GNU ld and gold do:
  /// ` .text.f  0x0000000000001130  0x2c f.o`. A map with such a line and no known title is in another
  /// language, because linkers translate the titles.
  ///
  /// - Complexity: O(*n*) for *n* bytes up to the first such line.
  static func mayBeTranslated(in bytes: FileBytes) -> Bool {
    var lines = LineScanner(bytes)
    while let line = lines.next() {
      guard let first = line.first,
        bytes[first] == UInt8(ascii: " ") || bytes[first] == UInt8(ascii: ".")
      else { continue }
      let words = bytes.text(line.prefix(400)).split(separator: " ").prefix(3)
      let numbers = words.drop { !$0.hasPrefix("0x") }.prefix(2)
      let isPlaced =
        numbers.count == 2 && numbers.first?.utf8.count == 18
        && numbers.allSatisfy { $0.hasPrefix("0x") && $0.dropFirst(2).allSatisfy(\.isHexDigit) }
      if isPlaced { return true }
    }
    return false
  }

  /// Titles with which a map may begin; each is the beginning of a line.
  private static let firstTitles: [StaticString] = [
    "Archive member included ", "As-needed library included ", "Merging program properties",
    "Allocating common symbols", "Common symbol", "Discarded input sections",
    "There are no discarded input sections", "Memory Configuration",
    "Linker script and memory map", "Memory map",
  ]
}
