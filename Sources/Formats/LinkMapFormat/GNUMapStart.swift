import Addresses
import ByteReading

/// Where a map of GNU ld or gold begins to list the placed sections, and which of the two linkers wrote the map.
///
/// The linkers translate the titles of a map's parts, or some of them, into the user's language. So other lines also mark the
/// beginning of the list. GNU ld lists the memory regions before the placed sections, and calls the last region `*default*` in
/// every language. gold has no regions. Its list begins with pieces of its own, ` ** file header`.
struct GNUMapStart {
  enum Linker { case gnu, gold }

  let linker: Linker
  /// The lines of the map; the next line is the first line of the list.
  let lines: LineScanner

  /// - Parameter firstLine: the first line of the map that is not empty.
  /// - Returns: `nil` for a file of another kind.
  /// - Throws: `missing` for a map that ends before the list.
  /// - Complexity: O(*n*) for *n* bytes before the list; for a file of another kind O(*n*) for all of its bytes, unless
  ///   its first line begins with a blank or `#`.
  init?(of bytes: FileBytes, beginningWith firstLine: Range<Int>) throws(ParseError) {
    guard let first = firstLine.first, bytes[first] != UInt8(ascii: " "),
      bytes[first] != UInt8(ascii: "#")
    else { return nil }
    var lines = LineScanner(bytes)
    while true {
      let here = lines
      guard let line = lines.next() else { break }
      if bytes.isEqual(line, to: Self.title) || Self.isDefaultRegion(line, bytes) {
        (linker, self.lines) = (.gnu, lines)
        return
      }
      if bytes.isEqual(line, to: Self.goldTitle) {
        (linker, self.lines) = (.gold, lines)
        return
      }
      if Self.isPieceOfGold(line, bytes) {
        (linker, self.lines) = (.gold, here)
        return
      }
    }
    guard Self.firstTitles.contains(where: { bytes.hasPrefix($0, at: firstLine.lowerBound) }) else {
      return nil
    }
    throw ParseError(
      .missing, "'\(Self.title)' or '\(Self.goldTitle)'",
      at: FileOffset(rawValue: UInt64(bytes.count)), line: lines.lineNumber)
  }

  /// Finds the list in a map that was recognized.
  ///
  /// - Throws: `missing` if there is no list.
  init(of bytes: FileBytes) throws(ParseError) {
    var lines = LineScanner(bytes)
    var first = lines.next()
    while let line = first, line.isEmpty { first = lines.next() }
    guard let first, let start = try Self(of: bytes, beginningWith: first) else {
      throw ParseError(
        .missing, "'\(Self.title)' or '\(Self.goldTitle)'", at: FileOffset(rawValue: 0))
    }
    self = start
  }

  /// The sections that the linker discarded, which are listed before the placed sections:
  ///
  ///      .text.gone     0x0000000000000000        0x4 a.o
  ///      .text.gone_with_a_long_name
  ///                     0x0000000000000000        0x4 a.o
  ///
  /// No other line before the placed sections has one blank, a name, and numbers. If a name has a line feed, only the last line
  /// of the name is kept. An explanation may then be missing, but no function.
  func discardedSections() -> [LinkMap.Text] {
    let bytes = lines.bytes
    var names: [LinkMap.Text] = []
    var all = LineScanner(bytes)
    while let line = all.next(), line.upperBound <= lines.position {
      guard line.count > 1, bytes[line.lowerBound] == UInt8(ascii: " "),
        bytes[line.lowerBound + 1] != UInt8(ascii: " "),
        let end = Self.endOfNumberedName(line, bytes)
      else { continue }
      names.append(LinkMap.Text(bytes.trimmingBlanksAtEnd(of: line.lowerBound + 1..<end)))
    }
    return names
  }

  /// Whether the line is `*default*        0x0000000000000000 0xffffffffffffffff`.
  private static func isDefaultRegion(_ line: Range<Int>, _ bytes: FileBytes) -> Bool {
    let name: StaticString = "*default*"
    guard bytes.hasPrefix(name, at: line.lowerBound) else { return false }
    let rest = line.dropFirst(name.utf8CodeUnitCount).drop { bytes[$0] == UInt8(ascii: " ") }
    return bytes.hasPrefix("0x", at: rest.lowerBound)
  }

  /// ` ** fill        0x00000000000002a0       0x10`
  private static func isPieceOfGold(_ line: Range<Int>, _ bytes: FileBytes) -> Bool {
    bytes.hasPrefix(" ** ", at: line.lowerBound) && endOfNumberedName(line, bytes) != nil
  }

  /// Returns the end of the name that begins with `line`; `nil` if no numbers follow the name, neither in their column of the
  /// line nor at the beginning of the next line.
  private static func endOfNumberedName(_ line: Range<Int>, _ bytes: FileBytes) -> Int? {
    let column = line.lowerBound + GNUMapReader.numberColumn
    if column < line.upperBound, bytes.hasPrefix("0x", at: column) { return column }
    guard let lineFeed = bytes.firstIndex(of: UInt8(ascii: "\n"), in: line.upperBound..<bytes.count)
    else { return nil }
    return bytes.hasPrefix("                0x", at: lineFeed + 1) ? line.upperBound : nil
  }

  /// Whether a line of `bytes` places a section as GNU ld and gold do:
  /// ` .text.f  0x0000000000001130  0x2c f.o`.
  ///
  /// - Complexity: O(*n*) for *n* bytes up to the first such line.
  static func placesSections(_ bytes: FileBytes) -> Bool {
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

  private static let title: StaticString = "Linker script and memory map"
  private static let goldTitle: StaticString = "Memory map"

  /// English titles with which a map may begin; each is the beginning of a line.
  private static let firstTitles: [StaticString] = [
    "Archive member included ", "As-needed library included ", "Merging program properties",
    "Allocating common symbols", "Common symbol", "Discarded input sections",
    "There are no discarded input sections", "Memory Configuration", title, goldTitle,
  ]
}
