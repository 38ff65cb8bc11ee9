import ByteReading

/// One section of debug information, unpacked.
package struct DebugSection: Sendable {
  /// As DWARF names it, whatever the object format does: `.debug_info`.
  package var name: String
  package var bytes: FileBytes
  /// The section within `bytes`.
  package var range: ByteRange

  package init(name: String, bytes: FileBytes, range: ByteRange) {
    self.name = name
    self.bytes = bytes
    self.range = range
  }

  /// The sections that `DebugFunctions` looks at. DWARF 5, section 7 and appendix B.
  package static let names = [
    ".debug_info", ".debug_abbrev", ".debug_str", ".debug_line_str", ".debug_str_offsets",
    ".debug_addr", ".debug_ranges", ".debug_rnglists",
  ]
}
