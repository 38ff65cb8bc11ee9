import ByteReading
import DebugInfo
import ObjectFormat

extension DebugFunctions {
  /// The functions that the DWARF in `file` describes; `nil` if it has none.
  ///
  /// - Throws: the error in a section, or in the DWARF as a whole.
  package init?(_ file: ELFFile) throws(ParseError) {
    var found: [DebugSection] = []
    for name in DebugSection.names {
      guard let section = file.section(named: name), section.type != .noBits else { continue }
      if let unpacked = try file.decompressedContents(of: section) {
        found.append(DebugSection(name: name, bytes: unpacked, range: unpacked.all))
      } else {
        let range = try file.contents(of: section)
        found.append(DebugSection(name: name, bytes: file.bytes, range: range))
      }
    }
    guard found.contains(where: { $0.name == ".debug_info" && !$0.range.isEmpty }) else {
      return nil
    }
    try self.init(found, is64Bit: file.header.is64Bit, endianness: file.header.endianness)
  }
}
