import Addresses
import ByteReading

/// The header of an ELF file: what it is, and where its two tables are.
/// <https://gabi.xinuos.com/elf/02-eheader.html>
package struct ELFHeader: Sendable {
  package var is64Bit: Bool
  package var endianness: Endianness
  package var type: ELFFileType
  package var machine: ELFMachine
  /// `e_entry`: the address where the process begins; 0 for a library.
  package var entry: StatedAddress
  /// `e_phoff`; 0 if there are no segments.
  package var segmentTableOffset: FileOffset
  /// `e_shoff`; 0 if there are no sections.
  package var sectionTableOffset: FileOffset
  /// `e_phnum` as stored: `PN_XNUM` (0xffff) means that section 0 has the number.
  package var statedSegmentCount: UInt16
  /// `e_shnum` as stored: 0 means that section 0 has the number.
  package var statedSectionCount: UInt16
  /// `e_shstrndx` as stored: `SHN_XINDEX` (0xffff) means that section 0 has the index.
  package var statedNameSection: UInt16

  /// The size of an entry of the program header table, in bytes; each class defines only one size.
  package var segmentEntrySize: UInt64 { is64Bit ? 56 : 32 }
  package var sectionEntrySize: UInt64 { is64Bit ? 64 : 40 }

  /// Parses `Elf32_Ehdr` or `Elf64_Ehdr`.
  ///
  /// - Throws: `truncated`; `invalid` for another magic, class, byte order or entry size.
  package init(parsing bytes: FileBytes) throws(ParseError) {
    guard bytes.count >= 4 else {
      throw ParseError(
        .truncated(needed: 4, found: UInt64(bytes.count)), "e_ident", at: FileOffset(rawValue: 0))
    }
    guard bytes.hasPrefix("\u{7f}ELF", at: 0) else {
      throw ParseError(
        .invalid(expected: "7f 45 4c 46", found: hexadecimalBytes(bytes, 0..<4)),
        "e_ident", at: FileOffset(rawValue: 0))
    }
    var identification = ByteCursor(bytes)
    try identification.skip(4, "e_ident")
    is64Bit = try Self.choice(&identification, "EI_CLASS") == 2
    endianness = try Self.choice(&identification, "EI_DATA") == 1 ? .little : .big

    var input = ByteCursor(bytes, endianness: endianness)
    try input.skip(16, "e_ident")
    type = ELFFileType(rawValue: try input.read(UInt16.self, "e_type"))
    machine = ELFMachine(rawValue: try input.read(UInt16.self, "e_machine"))
    try input.skip(4, "e_version")
    entry = StatedAddress(rawValue: try input.readWord(is64Bit: is64Bit, "e_entry"))
    segmentTableOffset = FileOffset(rawValue: try input.readWord(is64Bit: is64Bit, "e_phoff"))
    sectionTableOffset = FileOffset(rawValue: try input.readWord(is64Bit: is64Bit, "e_shoff"))
    try input.skip(4, "e_flags")
    try input.skip(2, "e_ehsize")
    let segmentSizePosition = input.position
    let statedSegmentSize = UInt64(try input.read(UInt16.self, "e_phentsize"))
    statedSegmentCount = try input.read(UInt16.self, "e_phnum")
    let sectionSizePosition = input.position
    let statedSectionSize = UInt64(try input.read(UInt16.self, "e_shentsize"))
    statedSectionCount = try input.read(UInt16.self, "e_shnum")
    statedNameSection = try input.read(UInt16.self, "e_shstrndx")

    // A table that does not exist may state any entry size; many writers leave 0.
    if segmentTableOffset.rawValue != 0, statedSegmentCount != 0 {
      try Self.expect(segmentEntrySize, statedSegmentSize, "e_phentsize", segmentSizePosition)
    }
    if sectionTableOffset.rawValue != 0 {
      try Self.expect(sectionEntrySize, statedSectionSize, "e_shentsize", sectionSizePosition)
    }
  }

  /// Reads a byte that must be 1 or 2.
  private static func choice(
    _ input: inout ByteCursor, _ field: StaticString
  ) throws(ParseError) -> UInt8 {
    let position = input.position
    let value = try input.read(UInt8.self, field)
    guard value == 1 || value == 2 else {
      throw ParseError(.invalid(expected: "1 or 2", found: "\(value)"), "\(field)", at: position)
    }
    return value
  }

  private static func expect(
    _ expected: UInt64, _ found: UInt64, _ field: String, _ position: FileOffset
  ) throws(ParseError) {
    guard found != expected else { return }
    throw ParseError(.invalid(expected: "\(expected)", found: "\(found)"), field, at: position)
  }
}

/// Returns bytes in the notation of a hex dump: `7f 45 4c 46`.
func hexadecimalBytes(_ bytes: FileBytes, _ range: Range<Int>) -> String {
  range.map { (bytes[$0] < 16 ? "0" : "") + String(bytes[$0], radix: 16) }.joined(separator: " ")
}
