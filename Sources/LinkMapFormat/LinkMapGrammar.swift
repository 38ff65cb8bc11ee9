import Addresses
import ByteReading
import ImageModel

/// How one linker writes its link maps.
///
/// Each grammar has a file of its own, with how such a map begins and how it is read; to add one, write such
/// a file and name the grammar in `all`.
package struct LinkMapGrammar: Sendable {
  /// Of the linker, for people: `ld.lld`, `GNU ld`.
  package let name: String
  /// Of the images that the linker writes: it tells how a map names sections and what lies in them.
  package let imageFormat: ImageFormat
  /// Whether the map has local symbols, too.
  package let listsLocalSymbols: Bool

  /// Whether a map of this grammar begins with `firstLine`, which is not empty.
  ///
  /// - Throws: `missing` for one that lacks what should follow.
  package let recognizes:
    @Sendable (_ bytes: FileBytes, _ firstLine: Range<Int>) throws(ParseError) -> Bool
  package let reader: @Sendable (FileBytes) throws(ParseError) -> LinkMap

  package init(
    name: String, imageFormat: ImageFormat, listsLocalSymbols: Bool,
    recognizes: @escaping @Sendable (FileBytes, Range<Int>) throws(ParseError) -> Bool,
    reader: @escaping @Sendable (FileBytes) throws(ParseError) -> LinkMap
  ) {
    self.name = name
    self.imageFormat = imageFormat
    self.listsLocalSymbols = listsLocalSymbols
    self.recognizes = recognizes
    self.reader = reader
  }
}

extension LinkMapGrammar {
  package static let all: [LinkMapGrammar] = [.lld, .gnu, .gold, .mold, .ld64]

  /// The linkers whose maps are read: `ld.lld, GNU ld or gold`.
  package static func names(_ grammars: [LinkMapGrammar] = all) -> String {
    let names = grammars.map(\.name)
    return (names.count > 1 ? names.dropLast().joined(separator: ", ") + " or " : "")
      + (names.last ?? "none")
  }

  /// The one of `grammars` that `bytes` begin like.
  ///
  /// - Throws: `missing` for an empty file and for a map that lacks what tells its grammar, `unsupported` for
  ///   anything else, with what was expected and found.
  package init(of bytes: FileBytes, among grammars: [LinkMapGrammar] = all) throws(ParseError) {
    var lines = LineScanner(bytes)
    var first = lines.next()
    while let line = first, line.isEmpty { first = lines.next() }
    guard let line = first else {
      throw ParseError(.missing, "link map", at: FileOffset(rawValue: 0))
    }
    for grammar in grammars {
      if try grammar.recognizes(bytes, line) {
        self = grammar
        return
      }
    }
    throw ParseError(
      .unsupported(
        found:
          "'\(bytes.text(line.prefix(60)))', expected a map of \(Self.names(grammars))"),
      "link map", at: FileOffset(rawValue: UInt64(line.lowerBound)), line: lines.lineNumber)
  }
}

extension LinkMapGrammar: Hashable, CustomStringConvertible {
  package static func == (a: Self, b: Self) -> Bool { a.name == b.name }
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
  package var description: String { name }
}
