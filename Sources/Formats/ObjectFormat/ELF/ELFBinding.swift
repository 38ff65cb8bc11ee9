import Addresses
import ByteReading

extension ELFFile {
  /// Whether the loader binds all imported functions before the first of them is called (`-z now`). Then an entry of a
  /// linkage table never goes through the table's first entry. `true` if nothing is imported.
  ///
  /// <https://gabi.xinuos.com/elf/08-dynamic.html>: `DT_BIND_NOW`, `DF_BIND_NOW`, `DF_1_NOW`.
  ///
  /// - Throws: `truncated` if the dynamic section is not within the file.
  package func bindsAtLoad() throws(ParseError) -> Bool {
    guard let dynamic = segments.first(where: { $0.type == .dynamic }) else { return true }
    let range = try bytes.range(offset: dynamic.offset, size: dynamic.fileSize, "p_filesz")
    return try dynamicEntries(in: range).contains { entry in
      switch entry.tag {
      case 24: true  // DT_BIND_NOW
      case 30: entry.value & 0x8 != 0  // DT_FLAGS, DF_BIND_NOW
      case 0x6fff_fffb: entry.value & 0x1 != 0  // DT_FLAGS_1, DF_1_NOW
      default: false
      }
    }
  }
}
