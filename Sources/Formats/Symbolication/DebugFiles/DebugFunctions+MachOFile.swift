import ByteReading
import DebugInfo
import ObjectFormat

extension DebugFunctions {
  /// The functions that the DWARF in `file`, a dSYM, describes; `nil` if it has none.
  ///
  /// libdwarf 20210528 stops at the first unit of a Clang module that Swift writes in DWARF 5
  /// (`DW_DLE_IMPROPER_DWO_ID`): that unit and all units after it count as one damaged unit.
  ///
  /// - Throws: the error in a section, or in the DWARF as a whole.
  package init?(_ file: MachOFile) throws(ParseError) {
    var found: [DebugSection] = []
    for name in DebugSection.names {
      // For example `__debug_str_offs` for `.debug_str_offsets`: a name has at most 16 bytes.
      let sectionName = ("__" + name.dropFirst()).utf8.prefix(16)
      let section = file.sections.first {
        $0.segmentName.elementsEqual("__DWARF".utf8) && $0.sectionName.elementsEqual(sectionName)
      }
      guard let section else { continue }
      found.append(
        DebugSection(name: name, bytes: file.bytes, range: try file.contents(of: section)))
    }
    guard found.contains(where: { $0.name == ".debug_info" && !$0.range.isEmpty }) else {
      return nil
    }
    try self.init(found, is64Bit: true, endianness: .little)
  }
}
