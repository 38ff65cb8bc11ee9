import ByteReading

extension ObjectFile {
  /// What the first bytes of a file of machine code name.
  package enum Kind: Hashable, Sendable {
    case elf, machO, fat, archive

    /// - Returns: `nil` if at `index` begins no such file.
    package init?(recognizing bytes: FileBytes, at index: Int = 0) {
      if bytes.hasPrefix("\u{7f}ELF", at: index) {
        self = .elf
        return
      }
      if bytes.hasPrefix("!<arch>\n", at: index) || bytes.hasPrefix("!<thin>\n", at: index) {
        self = .archive
        return
      }
      guard index >= 0, index <= bytes.count - 4 else { return nil }
      switch UInt32(bigEndian: bytes.loadUnaligned(UInt32.self, at: index)) {
      // MH_MAGIC, MH_MAGIC_64, of either byte order
      case 0xfeed_face, 0xfeed_facf, 0xcefa_edfe, 0xcffa_edfe: self = .machO
      case 0xcafe_babe, 0xcafe_babf: self = .fat  // FAT_MAGIC, FAT_MAGIC_64
      default: return nil
      }
    }
  }
}
