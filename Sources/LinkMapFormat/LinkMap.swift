import Addresses
import ByteReading

/// What a linker wrote down about the image it made: which piece of which object file lies where.
///
/// One value for all linkers. What a linker leaves out stays out: GNU ld and gold print global
/// symbols only and no symbol's size, mold no symbol's size. Pieces that the linker folded into others are
/// not laid out, so they are not here; of those it discarded there are the names, where it lists them.
///
/// Names are places in `bytes`. They may hold any byte, blanks, tabs, line feeds and bytes that are not
/// UTF-8 included, and are demangled unless the linker was told otherwise.
package struct LinkMap: Sendable {
  /// The map itself, which all names point into.
  package let bytes: FileBytes
  /// How it is written, which tells who wrote it.
  package let grammar: LinkMapGrammar
  /// What the image was linked for, as `-arch` takes it; only ld64 tells.
  package let architecture: Text?
  /// In the order of the map, whatever their addresses. Sections that are not loaded have address 0.
  package let sections: [OutputSection]
  /// In the order of the map: all pieces of one output section follow one another, except that of ld64 a
  /// symbol's address tells its section.
  package let inputSections: [InputSection]
  /// In the order of the map: all symbols of one input section follow one another.
  package let symbols: [Symbol]
  /// The names of input sections that were discarded, each as often as that happened; GNU ld and gold list
  /// them. gold also lists those that it folded into others.
  package let discardedSections: [Text]
  /// The names of symbols that ld64 dead-stripped, each as often as that happened.
  package let discardedSymbols: [Text]
}

extension LinkMap {
  /// Where a name stands in the map: 8 bytes, so that a symbol costs no allocation.
  package struct Text: Hashable, Sendable {
    /// In bytes from the start of the map.
    package var start: UInt32
    /// In bytes.
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
    /// `.text`; of ld64 segment and section with a tab between them.
    package var name: Text
    package var range: AddressRange
  }

  /// A piece of an output section that came from one object file, or that the linker made itself. Of
  /// ld64 it is a run of symbols from one object file.
  package struct InputSection: Hashable, Sendable {
    /// `.text.f`; gold writes `** PLT` for what it made itself. Of ld64 the name of the output section.
    package var name: Text
    /// The object file, `libx.a(member.o)` for a member of an archive. Empty or `<internal>` for what the
    /// linker made itself.
    package var file: Text
    package var range: AddressRange
    /// Index into `sections`.
    package var section: UInt32
    /// Index into `symbols` of the first symbol that lies in it.
    var firstSymbol: UInt32
  }

  /// A name in an input section.
  package struct Symbol: Hashable, Sendable {
    package var name: Text
    package var address: StatedAddress
    /// In bytes; 0 if the linker knows or prints none.
    package var size: UInt64
  }

  /// The indexes into `symbols` of those that lie in `inputSections[index]`.
  package func symbolIndexes(ofInputSection index: Int) -> Range<Int> {
    let next = index + 1
    let end = next < inputSections.count ? Int(inputSections[next].firstSymbol) : symbols.count
    return Int(inputSections[index].firstSymbol)..<end
  }

  /// For people: bytes that are not UTF-8 become U+FFFD.
  package func string(_ text: Text) -> String { bytes.text(text.indices) }
}

extension LinkMap {
  /// Reads a map in one of `grammars`; its first lines tell in which.
  ///
  /// - Throws: `missing` for an empty file, `unsupported` for a grammar that is not one of ours,
  ///   `truncated` for a map that does not end with a line feed, `invalid` for a line that is neither an
  ///   entry nor the rest of a name, `tooLarge` beyond `ParsingLimits`; for a map of ld64 see
  ///   `LinkMapGrammar.ld64` too.
  /// - Complexity: O(*n*) for *n* bytes; no allocation per symbol.
  package init(
    parsing bytes: FileBytes, among grammars: [LinkMapGrammar] = LinkMapGrammar.all
  ) throws(ParseError) {
    try self.init(parsing: bytes, as: LinkMapGrammar(of: bytes, among: grammars))
  }

  /// Reads a map in the grammar that it was recognized to be in.
  package init(parsing bytes: FileBytes, as grammar: LinkMapGrammar) throws(ParseError) {
    let start = FileOffset(rawValue: 0)
    guard bytes.count > 0 else { throw ParseError(.missing, "link map", at: start) }
    guard UInt64(bytes.count) <= ParsingLimits.linkMap else {
      throw ParseError(
        .tooLarge(limit: ParsingLimits.linkMap, found: UInt64(bytes.count)), "link map", at: start)
    }
    // Every linker ends its map with a line feed, and half a line must not pass for a name.
    guard bytes[bytes.count - 1] == UInt8(ascii: "\n") else {
      throw ParseError(
        .truncated(needed: 1, found: 0), "line feed at the end of the link map",
        at: FileOffset(rawValue: UInt64(bytes.count)))
    }
    self = try grammar.reader(bytes)
  }
}
