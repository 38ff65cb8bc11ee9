import Addresses
import ByteReading

/// One entry of the dynamic section. <https://gabi.xinuos.com/elf/08-dynamic.html>
struct ELFDynamicEntry {
  /// `d_tag`: 24 is `DT_BIND_NOW`.
  var tag: UInt64
  /// `d_val` or `d_ptr`.
  var value: UInt64
}

extension ELFFile {
  /// The entries in `range` up to `DT_NULL`. Bytes at the end that are too few for an entry are ignored.
  ///
  /// - Complexity: O(*n*) for *n* entries.
  func dynamicEntries(in range: ByteRange) throws(ParseError) -> [ELFDynamicEntry] {
    var input = ByteCursor(bytes, in: range, endianness: header.endianness)
    let entrySize: UInt64 = header.is64Bit ? 16 : 8
    var entries: [ELFDynamicEntry] = []
    while input.remaining >= entrySize {
      let tag = try input.readWord(is64Bit: header.is64Bit, "d_tag")
      let value = try input.readWord(is64Bit: header.is64Bit, "d_val")
      if tag == 0 { break }  // DT_NULL
      entries.append(ELFDynamicEntry(tag: tag, value: value))
    }
    return entries
  }

  /// Whether the linker has marked the image as a position-independent executable: `DF_1_PIE` in `DT_FLAGS_1`. GNU ld
  /// before 2.26 did not.
  ///
  /// - Throws: the error in the dynamic section.
  /// - Complexity: O(*n*) for *n* entries.
  package func isMarkedAsPIE() throws(ParseError) -> Bool {
    guard let section = section(.dynamic) else { return false }
    let flags = try dynamicEntries(in: try contents(of: section)).first { $0.tag == 0x6fff_fffb }
    return (flags?.value ?? 0) & 0x0800_0000 != 0
  }

  /// The range of `DT_SONAME`, the name by which the loader knows a library, without its terminating zero; `nil` if the
  /// image has no such name, like a program.
  ///
  /// - Throws: the error in the dynamic section or its string table.
  /// - Complexity: O(*n*) for *n* entries.
  package func soname() throws(ParseError) -> ByteRange? {
    guard let section = section(.dynamic), section.size > 0 else { return nil }
    let contents = try contents(of: section)
    let entries = try dynamicEntries(in: contents)
    guard let value = entries.first(where: { $0.tag == 14 })?.value else { return nil }
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
}
