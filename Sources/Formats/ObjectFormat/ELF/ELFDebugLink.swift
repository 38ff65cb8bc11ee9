import Addresses
import ByteReading
import CZlib

/// `.gnu_debuglink`: the name of the separate debug file, and its checksum.
/// <https://sourceware.org/gdb/current/onlinedocs/gdb.html/Separate-Debug-Files.html>
package struct ELFDebugLink: Hashable, Sendable {
  /// The name without a folder. Bytes that are not UTF-8 become U+FFFD; such a file is not found.
  package var name: String
  /// The CRC-32 checksum of the whole debug file.
  package var checksum: UInt32

  /// Returns the CRC-32 checksum of `bytes`, as gzip and `.gnu_debuglink` compute it.
  package static func checksum(of bytes: FileBytes) -> UInt32 {
    UInt32(
      truncatingIfNeeded: bytes.withBytes(bytes.all.indices) {
        orderfile_crc32($0.baseAddress, UInt($0.count))
      })
  }
}

extension ELFFile {
  /// The link to the debug file; `nil` if the image has none.
  ///
  /// - Throws: `truncated`; `invalid` for an empty name, and for a name with a folder, which could refer to
  ///   any file.
  package func debugLink() throws(ParseError) -> ELFDebugLink? {
    guard let section = section(named: ".gnu_debuglink"), section.type != .noBits else {
      return nil
    }
    let contents = try contents(of: section)
    var input = ByteCursor(bytes, in: contents, endianness: header.endianness)
    let name = bytes.text(try input.readZeroTerminated("debuglink name").indices)
    guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else {
      throw ParseError(
        .invalid(expected: "a file name", found: "'\(name)'"), "debuglink name",
        at: contents.lowerBound)
    }
    // The padding counts from the start of the section, which need not be aligned in the file.
    let size = input.position.rawValue - contents.lowerBound.rawValue
    try input.skip((4 - size % 4) % 4, "debuglink padding")
    return ELFDebugLink(name: name, checksum: try input.read(UInt32.self, "debuglink CRC"))
  }
}
