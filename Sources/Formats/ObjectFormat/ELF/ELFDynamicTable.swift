// The requests of an image to the loader: the entries of PT_DYNAMIC, and the names that they refer to. As in the
// loader, everything is found through the segments, so that an image without section headers can be read, too.
//
// A tag is either a number, or an address; DT_NEEDED, DT_SONAME, DT_RPATH and DT_RUNPATH are offsets into the string
// table at DT_STRTAB.
// <https://gabi.xinuos.com/elf/08-dynamic.html>; ld.so(8)

import Addresses
import ByteReading

/// `d_tag` of an entry of the dynamic section.
package struct ELFDynamicTag: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt64
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static let needed = Self(rawValue: 1)  // DT_NEEDED
  package static let stringTable = Self(rawValue: 5)  // DT_STRTAB
  package static let symbolTable = Self(rawValue: 6)  // DT_SYMTAB
  package static let stringTableSize = Self(rawValue: 10)  // DT_STRSZ
  package static let initFunction = Self(rawValue: 12)  // DT_INIT
  package static let soname = Self(rawValue: 14)  // DT_SONAME
  package static let rpath = Self(rawValue: 15)  // DT_RPATH
  package static let runpath = Self(rawValue: 29)  // DT_RUNPATH
  package static let flags1 = Self(rawValue: 0x6fff_fffb)  // DT_FLAGS_1
  package static let auxiliary = Self(rawValue: 0x7fff_fffd)  // DT_AUXILIARY
  package static let filter = Self(rawValue: 0x7fff_ffff)  // DT_FILTER
}

/// The dynamic section of an image, with its strings.
package struct ELFDynamicTable: Sendable {
  let entries: [ELFDynamicEntry]
  let names: StringTable
  private let bytes: FileBytes

  /// - Returns: `nil` for an image without `PT_DYNAMIC`, such as a static program.
  /// - Throws: `truncated` if the table or its strings are not in the file.
  package init?(of file: ELFFile) throws(ParseError) {
    guard let dynamic = file.segments.first(where: { $0.type == .dynamic }), dynamic.fileSize > 0
    else { return nil }
    bytes = file.bytes
    let range = try file.bytes.range(offset: dynamic.offset, size: dynamic.fileSize, "p_filesz")
    let entries = try file.dynamicEntries(in: range)
    self.entries = entries
    func value(_ tag: ELFDynamicTag) -> UInt64? {
      entries.first { $0.tag == tag.rawValue }?.value
    }
    let start = StatedAddress(rawValue: value(.stringTable) ?? 0)
    let size = value(.stringTableSize) ?? 0
    guard size > 0 else {
      names = StringTable(file.bytes, range.lowerBound..<range.lowerBound)
      return
    }
    names = StringTable(
      file.bytes, try file.range(of: AddressRange(start: start, size: size), "DT_STRSZ"))
  }

  /// Returns the value of the first entry with the tag `tag`.
  package func value(_ tag: ELFDynamicTag) -> UInt64? {
    entries.first { $0.tag == tag.rawValue }?.value
  }

  /// The names of all entries of `tag`, in their order. An entry whose name is not in the table counts as unknown.
  ///
  /// - Throws: `tooLarge` if many entries share a long name.
  /// - Complexity: O(*n*) for *n* entries and the bytes of their names.
  package func names(
    _ tag: ELFDynamicTag
  ) throws(ParseError) -> (names: [[UInt8]], unknownCount: Int) {
    var budget = ByteBudget(namesIn: names.range.byteCount)
    var found: [[UInt8]] = []
    var unknownCount = 0
    for entry in entries where entry.tag == tag.rawValue {
      guard let offset = UInt32(exactly: entry.value), let name = names.name(at: offset) else {
        unknownCount += 1
        continue
      }
      try budget.take(name.byteCount + 1, "names of DT_NEEDED", at: names.range.lowerBound)
      found.append(bytes.copy(name.indices))
    }
    return (found, unknownCount)
  }
}

extension ELFFile {
  /// The range in the file of the bytes that the loader maps at `addresses`.
  ///
  /// - Throws: `truncated` unless one segment fills them from the file.
  /// - Complexity: O(*s*) for *s* segments.
  package func range(
    of addresses: AddressRange, _ field: String
  ) throws(ParseError) -> ByteRange {
    let rest = try range(from: addresses.start, field)
    guard addresses.size <= UInt64(rest.byteCount) else {
      throw ParseError(
        .truncated(needed: addresses.size, found: UInt64(rest.byteCount)), field,
        at: rest.lowerBound)
    }
    return try bytes.range(offset: rest.lowerBound, size: addresses.size, field)
  }

  /// The range in the file of the bytes that the loader maps from `address` on, to the end of their segment.
  ///
  /// - Throws: `truncated` unless a segment fills `address` from the file.
  /// - Complexity: O(*s*) for *s* segments.
  func range(from address: StatedAddress, _ field: String) throws(ParseError) -> ByteRange {
    for segment in segments where segment.type == .load && segment.range.contains(address) {
      let distance = address.rawValue - segment.range.start.rawValue
      guard distance <= segment.fileSize, let offset = segment.offset.advanced(by: distance) else {
        continue
      }
      return try bytes.range(offset: offset, size: segment.fileSize - distance, field)
    }
    throw ParseError(
      .truncated(needed: 1, found: 0), field, at: FileOffset(rawValue: 0))
  }

  /// The path of the loader that the program asks the kernel for: `PT_INTERP`, without its terminating zero.
  ///
  /// - Throws: `truncated` if it is not in the file.
  package func interpreter() throws(ParseError) -> [UInt8]? {
    guard let segment = segments.first(where: { $0.type == .interpreter }) else { return nil }
    let range = try bytes.range(offset: segment.offset, size: segment.fileSize, "p_filesz")
    return Array(bytes.copy(range.indices).prefix { $0 != 0 })
  }
}
