import Addresses
import ByteReading

/// The map while it is being read: entries arrive in the order of the file.
struct LinkMapBuilder {
  let bytes: FileBytes
  private var sections: [LinkMap.OutputSection] = []
  private var inputSections: [LinkMap.InputSection] = []
  private var symbols: [LinkMap.Symbol] = []
  /// The current output section has an input section already.
  private var hasInputSection = false

  init(_ bytes: FileBytes) {
    self.bytes = bytes
    // A line with a name has 80 bytes and more, and about every other is a symbol. Growing by doubling
    // costs more time than all parsing: fresh pages must be cleared. What is reserved and not used is
    // never touched.
    inputSections.reserveCapacity(bytes.count / 128)
    symbols.reserveCapacity(bytes.count / 128)
  }

  /// - Throws: `tooLarge` beyond `ParsingLimits.sections`.
  mutating func addSection(
    _ name: Range<Int>, at address: UInt64, size: UInt64
  ) throws(ParseError) {
    guard sections.count < ParsingLimits.sections else {
      throw ParseError(
        .tooLarge(limit: ParsingLimits.sections, found: UInt64(sections.count) + 1),
        "number of output sections", at: FileOffset(rawValue: UInt64(name.lowerBound)))
    }
    let range = AddressRange(start: StatedAddress(rawValue: address), size: size)
    sections.append(LinkMap.OutputSection(name: LinkMap.Text(name), range: range))
    hasInputSection = false
  }

  /// Adds a piece of the output section added last.
  ///
  /// - Returns: `false` if there is none.
  mutating func addInputSection(
    _ name: Range<Int>, file: Range<Int>, at address: UInt64, size: UInt64
  ) -> Bool {
    guard !sections.isEmpty else { return false }
    inputSections.append(
      LinkMap.InputSection(
        name: LinkMap.Text(name), file: LinkMap.Text(file),
        range: AddressRange(start: StatedAddress(rawValue: address), size: size),
        // Both fit: the limits on sections and on the map's bytes are below 2^32.
        section: UInt32(truncatingIfNeeded: sections.count - 1),
        firstSymbol: UInt32(truncatingIfNeeded: symbols.count)))
    hasInputSection = true
    return true
  }

  /// Adds a symbol of the input section added last. An output section without any is its own.
  ///
  /// - Returns: `false` if there is no section.
  mutating func addSymbol(_ name: Range<Int>, at address: UInt64, size: UInt64) -> Bool {
    if !hasInputSection {
      guard let section = sections.last else { return false }
      let end = Int(section.name.start)
      guard
        addInputSection(
          section.name.indices, file: end..<end, at: section.range.start.rawValue,
          size: section.range.size)
      else { return false }
    }
    symbols.append(
      LinkMap.Symbol(
        name: LinkMap.Text(name), address: StatedAddress(rawValue: address), size: size))
    return true
  }

  // A line feed inside a name breaks its line in two; these take the rest of it.

  mutating func extendSectionName(to end: Int) {
    Self.extend(&sections[sections.count - 1].name, end)
  }
  mutating func extendInputSectionName(to end: Int) {
    Self.extend(&inputSections[inputSections.count - 1].name, end)
  }
  mutating func extendInputSectionFile(to end: Int) {
    Self.extend(&inputSections[inputSections.count - 1].file, end)
  }
  mutating func extendSymbolName(to end: Int) {
    Self.extend(&symbols[symbols.count - 1].name, end)
  }

  private static func extend(_ text: inout LinkMap.Text, _ end: Int) {
    text = LinkMap.Text(Int(text.start)..<max(end, Int(text.start)))
  }

  func finish(_ linker: LinkMap.Linker) -> LinkMap {
    LinkMap(
      bytes: bytes, linker: linker, sections: sections, inputSections: inputSections,
      symbols: symbols)
  }
}
