import ByteReading

/// A section of debug information, decompressed.
package struct DebugSection: Sendable {
  /// The name in DWARF, regardless of the object format: `.debug_info`.
  package var name: String
  package var bytes: FileBytes
  /// The range of the section in `bytes`.
  package var range: ByteRange

  package init(name: String, bytes: FileBytes, range: ByteRange) {
    self.name = name
    self.bytes = bytes
    self.range = range
  }

  /// The sections that `DebugFunctions` reads. DWARF 5, section 7 and appendix B.
  package static let names = [
    ".debug_info", ".debug_abbrev", ".debug_str", ".debug_line_str", ".debug_str_offsets",
    ".debug_addr", ".debug_ranges", ".debug_rnglists",
  ]
}
