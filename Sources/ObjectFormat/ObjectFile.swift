import Addresses
import ByteReading

/// A file that holds machine code, in the format that its first bytes name.
package enum ObjectFile: Sendable {
  case elf(ELFFile)
  case machO(MachOFile)
  case fat(FatFile)
  case archive(ArchiveFile)

  /// - Parameter range: a range of `bytes`, for a slice of a fat file or a member of an archive; `nil`
  ///   for all of them.
  /// - Throws: `invalid` for a file of no known kind; `unsupported` for a fat file, or an ELF file,
  ///   within another; what is wrong with the file.
  package init(parsing bytes: FileBytes, at range: ByteRange? = nil) throws(ParseError) {
    let start = (range ?? bytes.all).lowerBound
    var input = ByteCursor(bytes, in: range)
    let magic = try input.readRange(4, "magic").indices
    if bytes.hasPrefix("\u{7f}ELF", at: magic.lowerBound) {
      guard range == nil else {
        throw ParseError(.unsupported(found: "an ELF file within another"), "magic", at: start)
      }
      self = .elf(try ELFFile(parsing: bytes))
    } else if bytes.hasPrefix("!<", at: magic.lowerBound) {
      self = .archive(try ArchiveFile(parsing: bytes, at: range))
    } else {
      switch UInt32(littleEndian: bytes.loadUnaligned(UInt32.self, at: magic.lowerBound)) {
      case 0xfeed_face, 0xfeed_facf, 0xcefa_edfe, 0xcffa_edfe:  // MH_MAGIC, MH_MAGIC_64, swapped
        self = .machO(try MachOFile(parsing: bytes, at: range))
      case 0xbeba_feca, 0xbfba_feca:  // FAT_MAGIC, FAT_MAGIC_64, always big-endian
        guard range == nil else {
          throw ParseError(.unsupported(found: "a fat file within another"), "magic", at: start)
        }
        self = .fat(try FatFile(parsing: bytes))
      default:
        throw ParseError(
          .invalid(
            expected: "an ELF file, a Mach-O file or an archive",
            found: hexadecimalBytes(bytes, magic)),
          "magic", at: start)
      }
    }
  }
}
