import Addresses
import ByteReading

/// A file that holds machine code, in the format that its first bytes name.
package enum ObjectFile: Sendable {
  case elf(ELFFile)

  /// - Throws: `unsupported` for a Mach-O file, a universal file and an archive; `invalid` for a file
  ///   of no known kind.
  package init(parsing bytes: FileBytes) throws(ParseError) {
    let start = FileOffset(rawValue: 0)
    if bytes.hasPrefix("\u{7f}ELF", at: 0) {
      self = .elf(try ELFFile(parsing: bytes))
    } else if bytes.hasPrefix("!<arch>\n", at: 0) || bytes.hasPrefix("!<thin>\n", at: 0) {
      throw ParseError(.unsupported(found: "an archive of object files"), "magic", at: start)
    } else {
      guard bytes.count >= 4 else {
        throw ParseError(.truncated(needed: 4, found: UInt64(bytes.count)), "magic", at: start)
      }
      let magic = UInt32(littleEndian: bytes.loadUnaligned(UInt32.self, at: 0))
      switch magic {
      case 0xfeed_face, 0xfeed_facf, 0xcefa_edfe, 0xcffa_edfe:  // MH_MAGIC, MH_MAGIC_64, swapped
        throw ParseError(.unsupported(found: "a Mach-O file"), "magic", at: start)
      case 0xbeba_feca, 0xbfba_feca:  // FAT_MAGIC, FAT_MAGIC_64, always big-endian
        throw ParseError(.unsupported(found: "a universal Mach-O file"), "magic", at: start)
      default:
        throw ParseError(
          .invalid(expected: "an ELF file", found: hexadecimalBytes(bytes, 0..<4)), "magic",
          at: start)
      }
    }
  }
}
