// Where an image lists the words that the loader writes. Section headers name the tables, and so do tags of the dynamic
// section, each with a tag for its size:
//
//   SHT_RELA, SHT_REL                   DT_RELA, DT_REL, and DT_JMPREL in the encoding that DT_PLTREL names
//   SHT_RELR                            DT_RELR
//   SHT_ANDROID_RELA, SHT_ANDROID_REL   DT_ANDROID_RELA, DT_ANDROID_REL
//   SHT_ANDROID_RELR                    DT_ANDROID_RELR
//
// The sections are read if there are any: a static program may have tables, but no dynamic section. Without section
// headers the dynamic section is read, as the loader reads it.
// <https://gabi.xinuos.com/elf/06-reloc.html>; <https://gabi.xinuos.com/elf/08-dynamic.html>;
// `llvm/BinaryFormat/DynamicTags.def` for the tags of Android

import Addresses
import ByteReading

/// A table of dynamic relocations.
struct ELFRelocationTable {
  enum Encoding: Hashable {
    /// The table has one entry for each word.
    case entries(hasAddend: Bool)
    /// The table has Android's packed relocations, see `PackedRelocations`.
    case packed(hasAddend: Bool)
    /// The table has addresses and bitmaps of words to which only the load address is added (`SHT_RELR`).
    case bitmaps
  }

  var encoding: Encoding
  var range: ByteRange
}

extension ELFFile {
  /// The tables of relocations, in the order of the file if it has section headers; else in the order of the dynamic
  /// section's tags above.
  ///
  /// - Throws: `truncated` for a table outside the file; `invalid` for another size of entries.
  func relocationTables() throws(ParseError) -> [ELFRelocationTable] {
    if sections.isEmpty {
      return try ELFDynamicTable(of: self)?.relocationTables(of: self) ?? []
    }
    var tables: [ELFRelocationTable] = []
    for section in sections where section.flags.contains(.allocated) {
      guard let encoding = section.type.relocationEncoding else { continue }
      try checkEntrySize(section.entrySize, of: encoding, "sh_entsize", at: section.offset)
      tables.append(ELFRelocationTable(encoding: encoding, range: try contents(of: section)))
    }
    return tables
  }

  /// The size of an `Elf64_Rela` or of its relatives, in bytes.
  func relocationSize(hasAddend: Bool) -> UInt64 {
    (hasAddend ? 3 : 2) * (header.is64Bit ? 8 : 4)
  }

  fileprivate func checkEntrySize(
    _ size: UInt64, of encoding: ELFRelocationTable.Encoding, _ field: String, at offset: FileOffset
  ) throws(ParseError) {
    guard case .entries(let hasAddend) = encoding else { return }
    let expected = relocationSize(hasAddend: hasAddend)
    guard size == expected else {
      throw ParseError(.invalid(expected: "\(expected)", found: "\(size)"), field, at: offset)
    }
  }
}

extension ELFSectionType {
  fileprivate var relocationEncoding: ELFRelocationTable.Encoding? {
    switch self {
    case .relocations: .entries(hasAddend: false)
    case .relocationsWithAddends: .entries(hasAddend: true)
    case .packedRelocations: .packed(hasAddend: false)
    case .packedRelocationsWithAddends: .packed(hasAddend: true)
    case .relativeRelocations, .androidRelativeRelocations: .bitmaps
    default: nil
    }
  }
}

extension ELFDynamicTable {
  /// The tags of a table, of its size in bytes, and of the size of an entry.
  private struct Tags {
    var start: UInt64
    var size: UInt64
    var entrySize: UInt64?
    var encoding: ELFRelocationTable.Encoding
  }

  private static let tags = [
    Tags(start: 7, size: 8, entrySize: 9, encoding: .entries(hasAddend: true)),  // DT_RELA
    Tags(start: 17, size: 18, entrySize: 19, encoding: .entries(hasAddend: false)),  // DT_REL
    Tags(start: 36, size: 35, encoding: .bitmaps),  // DT_RELR
    // DT_ANDROID_RELA, DT_ANDROID_REL, DT_ANDROID_RELR
    Tags(start: 0x6000_0011, size: 0x6000_0012, encoding: .packed(hasAddend: true)),
    Tags(start: 0x6000_000f, size: 0x6000_0010, encoding: .packed(hasAddend: false)),
    Tags(start: 0x6fff_e000, size: 0x6fff_e001, encoding: .bitmaps),
  ]

  fileprivate func relocationTables(of file: ELFFile) throws(ParseError) -> [ELFRelocationTable] {
    var tables: [ELFRelocationTable] = []
    for tags in Self.tags {
      guard let range = try range(from: tags.start, size: tags.size, of: file) else { continue }
      if let entrySize = tags.entrySize.flatMap({ value(ELFDynamicTag(rawValue: $0)) }) {
        try file.checkEntrySize(entrySize, of: tags.encoding, "DT_RELAENT", at: range.lowerBound)
      }
      tables.append(ELFRelocationTable(encoding: tags.encoding, range: range))
    }
    guard let range = try range(from: 23, size: 2, of: file) else { return tables }  // DT_JMPREL
    // Some linkers count these entries as part of DT_RELA, too.
    let isCounted = tables.contains {
      $0.range.lowerBound <= range.lowerBound && range.upperBound <= $0.range.upperBound
    }
    if !isCounted {
      let hasAddend = value(ELFDynamicTag(rawValue: 20)) == 7  // DT_PLTREL is DT_RELA
      tables.append(ELFRelocationTable(encoding: .entries(hasAddend: hasAddend), range: range))
    }
    return tables
  }

  /// The range in the file that two tags describe, a tag for an address and a tag for a size in bytes; `nil` if a tag
  /// is missing or the size is 0.
  func range(
    from start: UInt64, size: UInt64, of file: ELFFile
  ) throws(ParseError) -> ByteRange? {
    guard let addresses = addresses(from: start, size: size) else { return nil }
    return try file.range(of: addresses, "d_val")
  }

  /// The addresses that two tags describe, a tag for an address and a tag for a size in bytes; `nil` if a tag is
  /// missing or the size is 0.
  func addresses(from start: UInt64, size: UInt64) -> AddressRange? {
    guard let start = value(ELFDynamicTag(rawValue: start)),
      let size = value(ELFDynamicTag(rawValue: size)), size > 0
    else { return nil }
    return AddressRange(start: StatedAddress(rawValue: start), size: size)
  }
}
