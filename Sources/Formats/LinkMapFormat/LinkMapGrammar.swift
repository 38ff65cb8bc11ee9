import Addresses
import ByteReading
import ImageModel

/// The syntax of one linker's link maps.
///
/// Each grammar has its own file, with the code that recognizes and reads such a map. To add one, write such a file and
/// add the grammar to `all`.
package struct LinkMapGrammar: Sendable {
  /// The name of the linker, for people: `ld.lld`, `GNU ld`.
  package let name: String
  /// The format of the images that the linker writes; it determines the names and contents of sections.
  package let imageFormat: ImageFormat
  /// Whether the map lists local symbols too.
  package let listsLocalSymbols: Bool

  /// Whether a map of this grammar begins with `firstLine`, which is not empty.
  ///
  /// - Throws: `missing` for a map without the parts that must follow.
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

  /// The linkers whose maps can be read: `ld.lld, GNU ld or gold`.
  package static func names(_ grammars: [LinkMapGrammar] = all) -> String {
    let names = grammars.map(\.name)
    return (names.count > 1 ? names.dropLast().joined(separator: ", ") + " or " : "")
      + (names.last ?? "none")
  }

  /// Whether `bytes`, which no grammar recognizes, list placed sections in the form of GNU ld or gold. A title of the map may
  /// then be in another language than English.
  package static func mayBeTranslated(_ bytes: FileBytes) -> Bool {
    GNUMapStart.placesSections(bytes)
  }

  /// The hint for a map whose titles may be in another language.
  package static let remedyForTranslation =
    "this looks like a map of GNU ld or gold in another language: link again with LC_ALL=C"

  /// Finds the grammar among `grammars` that recognizes the beginning of `bytes`.
  ///
  /// - Throws: `missing` for an empty file and for a map without the part that identifies its grammar, `unsupported`
  ///   for anything else. The errors contain what was expected and found.
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
          "'\(bytes.text(line.prefix(60)))', expected a map of \(Self.names(grammars))"
          + (Self.mayBeTranslated(bytes) ? "; \(Self.remedyForTranslation)" : "")),
      "link map", at: FileOffset(rawValue: UInt64(line.lowerBound)), line: lines.lineNumber)
  }
}

extension LinkMapGrammar: Hashable, CustomStringConvertible {
  package static func == (a: Self, b: Self) -> Bool { a.name == b.name }
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
  package var description: String { name }
}
