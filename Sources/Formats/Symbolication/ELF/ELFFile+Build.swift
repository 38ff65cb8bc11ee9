import ByteReading
import ObjectFormat

extension ELFFile {
  /// The texts that compilers and linkers have left in `.comment`; empty if there is no such section. Only the
  /// beginning of a large section is read.
  ///
  /// - Throws: the error in the offset and size of the section.
  func comments() throws(ParseError) -> [ArraySlice<UInt8>] {
    guard let section = section(named: ".comment") else { return [] }
    let range = try contents(of: section).indices
    let beginning = range.lowerBound..<range.lowerBound + ParsingLimits.debugProducer
    return bytes.copy(range.clamped(to: beginning)).split(separator: 0)
  }

  /// Whether the linker kept the relocations of code, which BOLT needs: `--emit-relocs`.
  var keepsRelocations: Bool {
    sections.contains { bytes.hasPrefix(".rela.text", at: $0.name.indices.lowerBound) }
  }
}
