import Addresses
import ByteReading

extension ELFFile {
  /// Where the name stands by which the loader knows a library, `DT_SONAME`, without its zero; `nil` if the linker
  /// wrote none, as for a program. <https://gabi.xinuos.com/elf/08-dynamic.html>
  ///
  /// - Throws: what is wrong with the dynamic section or its string table.
  /// - Complexity: O(*n*) for *n* entries.
  package func soname() throws(ParseError) -> ByteRange? {
    guard let section = section(.dynamic), section.size > 0 else { return nil }
    let contents = try contents(of: section)
    var input = ByteCursor(bytes, in: contents, endianness: header.endianness)
    while !input.isAtEnd {
      let tag = try input.readWord(is64Bit: header.is64Bit, "d_tag")
      let value = try input.readWord(is64Bit: header.is64Bit, "d_val")
      if tag == 0 { return nil }  // DT_NULL
      guard tag == 14 else { continue }  // DT_SONAME
      guard Int(section.link) < sections.count, sections[Int(section.link)].type == .stringTable
      else {
        throw ParseError(
          .invalid(expected: "a string table", found: "section \(section.link)"), "sh_link",
          at: section.offset)
      }
      let names = StringTable(bytes, try self.contents(of: sections[Int(section.link)]))
      guard let offset = UInt32(exactly: value), let name = names.name(at: offset) else {
        throw ParseError(
          .invalid(
            expected: "a name within \(names.range.byteCount) bytes", found: hexadecimal(value)),
          "DT_SONAME", at: contents.lowerBound)
      }
      return name.byteCount == 0 ? nil : name
    }
    return nil
  }
}
