import Addresses
import ByteReading

extension ELFFile {
  /// Whether the loader binds all imported functions before the first one runs (`-z now`): then an entry
  /// of a linkage table never goes through the table's first one. `true` where nothing is imported.
  ///
  /// <https://gabi.xinuos.com/elf/08-dynamic.html>: `DT_BIND_NOW`, `DF_BIND_NOW`, `DF_1_NOW`.
  ///
  /// - Throws: `truncated` if the dynamic section does not lie in the file.
  package func bindsAtLoad() throws(ParseError) -> Bool {
    guard let dynamic = segments.first(where: { $0.type == .dynamic }) else { return true }
    let range = try bytes.range(offset: dynamic.offset, size: dynamic.fileSize, "p_filesz")
    var input = ByteCursor(bytes, in: range, endianness: header.endianness)
    let entrySize: UInt64 = header.is64Bit ? 16 : 8
    while input.remaining >= entrySize {
      let tag = try input.readWord(is64Bit: header.is64Bit, "d_tag")
      let value = try input.readWord(is64Bit: header.is64Bit, "d_val")
      switch tag {
      case 0: return false  // DT_NULL
      case 24: return true  // DT_BIND_NOW
      case 30 where value & 0x8 != 0: return true  // DT_FLAGS, DF_BIND_NOW
      case 0x6fff_fffb where value & 0x1 != 0: return true  // DT_FLAGS_1, DF_1_NOW
      default: break
      }
    }
    return false
  }
}
