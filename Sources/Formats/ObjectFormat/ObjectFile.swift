import Addresses
import ByteReading

/// A file of machine code, in the format that its first bytes identify.
package enum ObjectFile: Sendable {
  case elf(ELFFile)
  case machO(MachOFile)
  case fat(FatFile)
  case archive(ArchiveFile)

  /// - Parameter range: a range of `bytes`, for a slice of a fat file or a member of an archive; `nil` for all bytes.
  /// - Throws: `invalid` for a file of no known kind; `unsupported` for a fat file or an ELF file within another file;
  ///   the error in the file.
  package init(parsing bytes: FileBytes, at range: ByteRange? = nil) throws(ParseError) {
    let start = (range ?? bytes.all).lowerBound
    let contents = (range ?? bytes.all).indices
    switch contents.isEmpty ? nil : Kind(recognizing: bytes, at: contents.lowerBound) {
    case .elf:
      guard range == nil else {
        throw ParseError(.unsupported(found: "an ELF file within another"), "file", at: start)
      }
      self = .elf(try ELFFile(parsing: bytes))
    case .machO: self = .machO(try MachOFile(parsing: bytes, at: range))
    case .fat:
      guard range == nil else {
        throw ParseError(.unsupported(found: "a fat file within another"), "file", at: start)
      }
      self = .fat(try FatFile(parsing: bytes))
    case .archive: self = .archive(try ArchiveFile(parsing: bytes, at: range))
    case nil:
      throw ParseError(
        .invalid(
          expected: "an ELF file, a Mach-O file or an archive",
          found: Self.beginning(of: bytes, contents)),
        "file", at: start)
    }
  }
}

extension ObjectFile {
  /// Describes the beginning of a file that is not an object file, for a message: `text`, or its first bytes.
  private static func beginning(of bytes: FileBytes, _ range: Range<Int>) -> String {
    if range.isEmpty { return "an empty file" }
    let isText = range.prefix(64).allSatisfy { index in
      (0x20..<0x7f).contains(bytes[index]) || (0x09...0x0d).contains(bytes[index])
    }
    return isText ? "text" : hexadecimalBytes(bytes, range.prefix(4))
  }

  /// The kind of file that the first bytes identify.
  package enum Kind: Hashable, Sendable {
    case elf, machO, fat, archive

    /// - Returns: `nil` if there is no such file at `index`.
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
