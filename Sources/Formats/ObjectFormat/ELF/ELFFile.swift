import Addresses
import ByteReading

/// An ELF file of either class and byte order: its header, its segments and its sections.
///
/// The tables are read by the initializer. The contents of sections are read, and compared with the size of
/// the file, when they are needed.
package struct ELFFile: Sendable {
  package let bytes: FileBytes
  package let header: ELFHeader
  package let segments: [ELFSegment]
  /// The sections by index; the first section is reserved, of type `SHT_NULL`. Empty for a file without a section
  /// table.
  package let sections: [ELFSection]
  /// The range of the program header table in the file. An image and its stripped copy have the same table.
  package let segmentTable: ByteRange

  /// - Throws: the error in the header, in one of the two tables, or in a section's name.
  package init(parsing bytes: FileBytes) throws(ParseError) {
    self.bytes = bytes
    header = try ELFHeader(parsing: bytes)

    // A number that does not fit the header's 16 bits is in section 0.
    // <https://gabi.xinuos.com/elf/02-eheader.html>, e_phnum, e_shnum, e_shstrndx
    var sections: [ELFSection] = []
    var first: ELFSection?
    if header.sectionTableOffset.rawValue != 0 {
      let head = try Self.readSections(bytes, header, count: 1)
      first = head.first
      let count = header.statedSectionCount == 0 ? head[0].size : UInt64(header.statedSectionCount)
      sections = try Self.readSections(bytes, header, count: count)
    }
    var nameSection = UInt32(header.statedNameSection)
    if header.statedNameSection == 0xffff, let first { nameSection = first.link }
    var segmentCount = UInt64(header.statedSegmentCount)
    if header.statedSegmentCount == 0xffff, let first { segmentCount = UInt64(first.info) }

    try Self.name(&sections, bytes, from: nameSection)
    try Self.checkSharing(sections, bytes, at: header.sectionTableOffset)
    self.sections = sections

    if header.segmentTableOffset.rawValue == 0 { segmentCount = 0 }
    segmentTable = try bytes.range(
      offset: header.segmentTableOffset, size: segmentCount * header.segmentEntrySize, "e_phoff")
    var input = ByteCursor(bytes, in: segmentTable, endianness: header.endianness)
    var segments: [ELFSegment] = []
    while !input.isAtEnd {
      segments.append(try ELFSegment(parsing: &input, is64Bit: header.is64Bit))
    }
    self.segments = segments
  }

  private static func readSections(
    _ bytes: FileBytes, _ header: ELFHeader, count: UInt64
  ) throws(ParseError) -> [ELFSection] {
    guard count <= ParsingLimits.sections else {
      throw ParseError(
        .tooLarge(limit: ParsingLimits.sections, found: count), "e_shnum",
        at: header.sectionTableOffset)
    }
    let table = try bytes.range(
      offset: header.sectionTableOffset, size: count * header.sectionEntrySize, "e_shoff")
    var input = ByteCursor(bytes, in: table, endianness: header.endianness)
    var sections: [ELFSection] = []
    sections.reserveCapacity(Int(count))
    while !input.isAtEnd {
      sections.append(
        try ELFSection(parsing: &input, index: sections.count, is64Bit: header.is64Bit))
    }
    return sections
  }

  /// Looks up `sh_name` of all sections in the string table with index `index`; 0 means that the file has no such
  /// table.
  private static func name(
    _ sections: inout [ELFSection], _ bytes: FileBytes, from index: UInt32
  ) throws(ParseError) {
    guard index != 0, !sections.isEmpty else { return }
    guard Int(index) < sections.count else {
      throw ParseError(
        .invalid(expected: "below \(sections.count)", found: "\(index)"), "e_shstrndx",
        at: FileOffset(rawValue: 0))
    }
    let table = sections[Int(index)]
    let names = StringTable(
      bytes, try bytes.range(offset: table.offset, size: table.size, "e_shstrndx"))
    var budget = ByteBudget(namesIn: names.range.byteCount)
    for i in sections.indices {
      guard let name = names.name(at: sections[i].nameOffset) else {
        throw ParseError(
          .invalid(
            expected: "a name within \(table.size) bytes",
            found: hexadecimal(UInt64(sections[i].nameOffset))),
          "sh_name", at: table.offset)
      }
      try budget.take(name.byteCount, "section names", at: table.offset)
      sections[i].name = name
    }
  }

  /// Refuses files whose sections overlap so much that their sizes add up to more than twice the size of the file, because each
  /// section is read separately. Linkers give each byte to one section only.
  private static func checkSharing(
    _ sections: [ELFSection], _ bytes: FileBytes, at table: FileOffset
  ) throws(ParseError) {
    var budget = ByteBudget(limit: 2 * UInt64(bytes.count))
    for section in sections where section.type != .noBits && section.type != .null {
      let contents = try? bytes.range(offset: section.offset, size: section.size, "sh_size")
      try budget.take(contents?.byteCount ?? 0, "sections that share bytes", at: table)
    }
  }
}

extension ELFFile {
  /// The first section called `name`.
  package func section(named name: String) -> ELFSection? {
    let name = Array(name.utf8)
    return sections.first {
      $0.name.byteCount == name.count && bytes.copy($0.name.indices) == name
    }
  }

  /// The first section of `type`.
  package func section(_ type: ELFSectionType) -> ELFSection? {
    sections.first { $0.type == type }
  }

  /// The range of the bytes of `section` in the file, compressed if the section is. Empty for `SHT_NOBITS`.
  ///
  /// - Throws: `truncated` if the file ends before the section does.
  package func contents(of section: ELFSection) throws(ParseError) -> ByteRange {
    guard section.type != .noBits, section.type != .null else {
      return FileOffset(rawValue: 0)..<FileOffset(rawValue: 0)
    }
    return try bytes.range(offset: section.offset, size: section.size, "sh_size")
  }
}
