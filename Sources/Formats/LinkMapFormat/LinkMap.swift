import Addresses
import ByteReading

/// A linker's report of the image it made: the address of each piece of each object file.
///
/// The same type represents the maps of all linkers. Facts that a linker does not print are missing: GNU ld and gold
/// print only global symbols, and GNU ld, gold and mold print no sizes of symbols. Pieces that the linker folded into
/// others are not placed, so they are not here; discarded pieces appear by name only, if the linker lists them.
///
/// Names are ranges of `bytes`. They may contain any byte, including blanks, tabs, line feeds and bytes that
/// are not UTF-8, and are demangled unless the linker was told otherwise.
package struct LinkMap: Sendable {
  /// The map itself; all names refer to it.
  package let bytes: FileBytes
  /// The grammar of the map, which identifies the linker.
  package let grammar: LinkMapGrammar
  /// The architecture that the image was linked for, as `-arch` takes it; only ld64's maps state it.
  package let architecture: Text?
  /// The output sections, in the order of the map, whatever their addresses. Sections that are not loaded have address
  /// 0.
  package let sections: [OutputSection]
  /// The input sections, in the order of the map: all pieces of an output section are consecutive, except in ld64's
  /// maps, where a symbol's address determines its section.
  package let inputSections: [InputSection]
  /// The symbols, in the order of the map: all symbols of an input section are consecutive.
  package let symbols: [Symbol]
  /// The names of discarded input sections, as often as the map lists them. Only GNU ld and gold list them; gold also
  /// lists sections that it folded into others.
  package let discardedSections: [Text]
  /// The names of symbols that ld64 dead-stripped, as often as the map lists them.
  package let discardedSymbols: [Text]
}

extension LinkMap {
  /// The place of a name in the map: 8 bytes, so that a symbol needs no allocation.
  package struct Text: Hashable, Sendable {
    /// The offset of the text in bytes from the start of the map.
    package var start: UInt32
    /// The length of the text in bytes.
    package var count: UInt32

    /// - Precondition: `indices` lies in a file of at most `ParsingLimits.linkMap` bytes.
    package init(_ indices: Range<Int>) {
      start = UInt32(indices.lowerBound)
      count = UInt32(indices.count)
    }

    /// Indexes into the map's `bytes`.
    package var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  /// A section of the linked image.
  package struct OutputSection: Hashable, Sendable {
    /// `.text`; for ld64, segment and section, separated by a tab.
    package var name: Text
    package var range: AddressRange
  }

  /// A piece of an output section that came from one object file, or that the linker made itself. For ld64 it
  /// is a run of symbols from one object file.
  package struct InputSection: Hashable, Sendable {
    /// `.text.f`; gold writes `** PLT` for its own pieces. For ld64, the name of the output section.
    package var name: Text
    /// The object file; `libx.a(member.o)` for a member of an archive. Empty or `<internal>` for a piece that the
    /// linker made itself.
    package var file: Text
    package var range: AddressRange
    /// The index of the section in `sections`.
    package var section: UInt32
    /// The index into `symbols` of the input section's first symbol.
    var firstSymbol: UInt32
  }

  /// A name in an input section.
  package struct Symbol: Hashable, Sendable {
    package var name: Text
    package var address: StatedAddress
    /// The size in bytes; 0 if the linker does not know or print it.
    package var size: UInt64
  }

  /// The indexes into `symbols` of the symbols in `inputSections[index]`.
  package func symbolIndexes(ofInputSection index: Int) -> Range<Int> {
    let next = index + 1
    let end = next < inputSections.count ? Int(inputSections[next].firstSymbol) : symbols.count
    return Int(inputSections[index].firstSymbol)..<end
  }

  /// Returns a text of the map for people: bytes that are not UTF-8 become U+FFFD.
  package func string(_ text: Text) -> String { bytes.text(text.indices) }
}

extension LinkMap {
  /// Reads a map in one of `grammars`, which is recognized by its first lines.
  ///
  /// - Throws: `missing` for an empty file, `unsupported` for an unknown grammar, `truncated` for a map that
  ///   does not end with a line feed, `invalid` for a line that is neither an entry nor part of a name,
  ///   `tooLarge` beyond `ParsingLimits`; for a map of ld64 see also `LinkMapGrammar.ld64`.
  /// - Complexity: O(*n*) for *n* bytes; no allocation per symbol.
  package init(
    parsing bytes: FileBytes, among grammars: [LinkMapGrammar] = LinkMapGrammar.all
  ) throws(ParseError) {
    try self.init(parsing: bytes, as: LinkMapGrammar(of: bytes, among: grammars))
  }

  /// Reads a map in the grammar in which it was recognized.
  package init(parsing bytes: FileBytes, as grammar: LinkMapGrammar) throws(ParseError) {
    let start = FileOffset(rawValue: 0)
    guard bytes.count > 0 else { throw ParseError(.missing, "link map", at: start) }
    guard UInt64(bytes.count) <= ParsingLimits.linkMap else {
      throw ParseError(
        .tooLarge(limit: ParsingLimits.linkMap, found: UInt64(bytes.count)), "link map", at: start)
    }
    // Every linker ends its map with a line feed, and an incomplete line must not be read as a name.
    guard bytes[bytes.count - 1] == UInt8(ascii: "\n") else {
      throw ParseError(
        .truncated(needed: 1, found: 0), "line feed at the end of the link map",
        at: FileOffset(rawValue: UInt64(bytes.count)))
    }
    self = try grammar.reader(bytes)
  }
}
