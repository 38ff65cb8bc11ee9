import Addresses
import ByteReading

/// A link map under construction: entries arrive in the order of the file.
package struct LinkMapBuilder {
  package let bytes: FileBytes
  private var sections: [LinkMap.OutputSection] = []
  private var inputSections: [LinkMap.InputSection] = []
  private var symbols: [LinkMap.Symbol] = []
  /// Whether the current output section has an input section.
  private var hasInputSection = false
  /// The architecture of the image, which only maps of ld64 state.
  package var architecture: LinkMap.Text?
  package var discardedSymbols: [LinkMap.Text] = []
  package var discardedSections: [LinkMap.Text] = []

  package init(_ bytes: FileBytes) {
    self.bytes = bytes
    // A line has 80 bytes or more in the maps of ELF linkers, where about every other line is a symbol, and
    // about as many in a map of ld64, which consists of symbols only. Growing by doubling would take more
    // time than all parsing, because new pages must be cleared. Reserved memory that is not used is never
    // touched.
    inputSections.reserveLargePages(bytes.count / 128)
    symbols.reserveLargePages(bytes.count / 64)
  }

  /// - Throws: `tooLarge` beyond `ParsingLimits.sections`.
  package mutating func addSection(
    _ name: Range<Int>, at address: StatedAddress, size: UInt64
  ) throws(ParseError) {
    guard sections.count < ParsingLimits.sections else {
      throw ParseError(
        .tooLarge(limit: ParsingLimits.sections, found: UInt64(sections.count) + 1),
        "number of output sections", at: FileOffset(rawValue: UInt64(name.lowerBound)))
    }
    let range = AddressRange(start: address, size: size)
    sections.append(LinkMap.OutputSection(name: LinkMap.Text(name), range: range))
    hasInputSection = false
  }

  /// Adds a piece to the output section added last.
  ///
  /// - Returns: `false` if no output section was added.
  package mutating func addInputSection(
    _ name: Range<Int>, file: Range<Int>, at address: StatedAddress, size: UInt64
  ) -> Bool {
    guard !sections.isEmpty else { return false }
    inputSections.append(
      LinkMap.InputSection(
        name: LinkMap.Text(name), file: LinkMap.Text(file),
        range: AddressRange(start: address, size: size),
        // Both numbers fit in 32 bits, because the limits on sections and on the map's bytes are below 2^32.
        section: UInt32(truncatingIfNeeded: sections.count - 1),
        firstSymbol: UInt32(truncatingIfNeeded: symbols.count)))
    hasInputSection = true
    return true
  }

  /// Adds a symbol to the input section added last. An output section without input sections becomes an input section
  /// itself.
  ///
  /// - Returns: `false` if there is no section.
  package mutating func addSymbol(_ name: Range<Int>, at address: StatedAddress, size: UInt64)
    -> Bool
  {
    if !hasInputSection {
      guard let section = sections.last else { return false }
      let end = Int(section.name.start)
      guard
        addInputSection(
          section.name.indices, file: end..<end, at: section.range.start, size: section.range.size)
      else { return false }
    }
    symbols.append(LinkMap.Symbol(name: LinkMap.Text(name), address: address, size: size))
    return true
  }

  /// Begins a piece of any output section; the symbols that are added next belong to it and extend it.
  ///
  /// - Precondition: `section` is the index of a section that was added.
  package mutating func addInputSection(
    ofSection section: UInt32, file: LinkMap.Text, at address: StatedAddress
  ) {
    inputSections.append(
      LinkMap.InputSection(
        name: sections[Int(section)].name, file: file,
        range: AddressRange(start: address, size: 0), section: section,
        // The number fits in 32 bits, because the limit on the map's bytes is below 2^32.
        firstSymbol: UInt32(truncatingIfNeeded: symbols.count)))
  }

  /// Adds a symbol to the input section added last, and extends the input section to contain the symbol.
  ///
  /// - Precondition: an input section was added.
  package mutating func addSymbol(_ name: Range<Int>, widening address: StatedAddress, size: UInt64)
  {
    let symbol = AddressRange(start: address, size: size)
    symbols.append(
      LinkMap.Symbol(name: LinkMap.Text(name), address: symbol.start, size: size))
    let last = inputSections.count - 1
    let piece = inputSections[last].range
    let start = min(piece.start, symbol.start)
    let end = max(piece.end, symbol.end)
    inputSections[last].range = AddressRange(start: start, size: end - start)
  }

  // A line feed inside a name splits its line in two; these functions add the rest.

  package mutating func extendSectionName(to end: Int) {
    Self.extend(&sections[sections.count - 1].name, end)
  }
  package mutating func extendInputSectionName(to end: Int) {
    Self.extend(&inputSections[inputSections.count - 1].name, end)
  }
  package mutating func extendInputSectionFile(to end: Int) {
    Self.extend(&inputSections[inputSections.count - 1].file, end)
  }
  package mutating func extendSymbolName(to end: Int) {
    Self.extend(&symbols[symbols.count - 1].name, end)
  }

  package mutating func extendDiscardedSymbol(to end: Int) {
    Self.extend(&discardedSymbols[discardedSymbols.count - 1], end)
  }

  private static func extend(_ text: inout LinkMap.Text, _ end: Int) {
    text = LinkMap.Text(Int(text.start)..<max(end, Int(text.start)))
  }

  package func finish(_ grammar: LinkMapGrammar) -> LinkMap {
    LinkMap(
      bytes: bytes, grammar: grammar, architecture: architecture, sections: sections,
      inputSections: inputSections, symbols: symbols, discardedSections: discardedSections,
      discardedSymbols: discardedSymbols)
  }
}
