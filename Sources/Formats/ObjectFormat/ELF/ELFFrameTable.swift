// The functions of an image according to its unwind tables, which stripped files have, too.
//
// .eh_frame_hdr ends with a table for binary search: for each frame description, the first address that it covers and
// the place of the description. A description covers one function, or one cold part of a function, and never data. The
// table begins with the encoding of its numbers (DW_EH_PE_*): linkers write differences from the section's start, four
// bytes each.
//
// The length of the covered range is in the description itself, after its start address, in an encoding that
// its common information entry states:
//
//     length  distance to the entry  begin  range  ...      begin, range: 2, 4 or 8 bytes each
//     length  0  version  "zPLR"  alignments  register  length  P...  L  R: the form
//
// A static image may have no .eh_frame_hdr: then the section .eh_frame is read from start to end.
//
// <https://refspecs.linuxfoundation.org/LSB_5.0.0/LSB-Core-generic/LSB-Core-generic/ehframechpt.html>

import Addresses
import ByteReading

extension ELFFile {
  /// The ranges that all frame descriptions cover, ascending by address; empty if `PT_GNU_EH_FRAME` has no table, or a
  /// table in an encoding that no linker writes. The size is 0 for a description that can't be read.
  ///
  /// - Throws: `truncated` if the segment is not within the file, or its table not within the segment.
  /// - Complexity: O(*n* log *n*) for *n* descriptions.
  package func frameRanges() throws(ParseError) -> [AddressRange] {
    // A debug file states the segment, but does not contain its bytes.
    guard let segment = segments.first(where: { $0.type == .frameHeader }) else {
      return try frameRangesInSection()
    }
    guard segment.fileSize > 0 else { return [] }
    let range = try bytes.range(offset: segment.offset, size: segment.fileSize, "p_filesz")
    var input = ByteCursor(bytes, in: range, endianness: header.endianness)
    let version = try input.read(UInt8.self, "version")
    let frameEncoding = try input.read(UInt8.self, "eh_frame_ptr_enc")
    let countEncoding = try input.read(UInt8.self, "fde_count_enc")
    let tableEncoding = try input.read(UInt8.self, "table_enc")
    let (signed4, unsigned4, relative): (UInt8, UInt8, UInt8) = (0x0b, 0x03, 0x30)
    guard version == 1, frameEncoding & 0x0f == signed4, countEncoding == unsigned4,
      tableEncoding == relative | signed4
    else { return [] }
    try input.skip(4, "eh_frame_ptr")
    let count = try input.read(UInt32.self, "fde_count")
    let table = try input.readRange(8 * UInt64(count), "table").indices
    func address(at index: Int) -> StatedAddress {
      let raw = bytes.loadUnaligned(UInt32.self, at: index)
      let distance = Int32(
        bitPattern: header.endianness == .little
          ? UInt32(littleEndian: raw) : UInt32(bigEndian: raw))
      return StatedAddress(
        rawValue: segment.range.start.rawValue &+ UInt64(bitPattern: Int64(distance)))
    }
    var descriptions = FrameDescriptions(self)
    var ranges: [AddressRange] = []
    ranges.reserveCapacity(Int(count))
    for entry in stride(from: table.lowerBound, to: table.upperBound, by: 8) {
      ranges.append(
        AddressRange(
          start: address(at: entry), size: descriptions.size(at: address(at: entry + 4)) ?? 0))
    }
    return Self.ascending(ranges)
  }

  private static func ascending(_ ranges: [AddressRange]) -> [AddressRange] {
    let ascends = zip(ranges, ranges.dropFirst()).allSatisfy { $0.start <= $1.start }
    return ascends ? ranges : ranges.sorted { ($0.start, $0.size) < ($1.start, $1.size) }
  }

  /// Returns the ranges of an image without the table for binary search. Descriptions that can't be read are left out,
  /// and all descriptions after an entry in the 64-bit form.
  private func frameRangesInSection() throws(ParseError) -> [AddressRange] {
    guard let section = section(named: ".eh_frame"), section.type != .noBits,
      section.flags.contains(.allocated)
    else { return [] }
    let contents = try contents(of: section)
    var descriptions = FrameDescriptions(self)
    var ranges: [AddressRange] = []
    var input = ByteCursor(bytes, in: contents, endianness: header.endianness)
    while !input.isAtEnd {
      let start = input.position
      let length = try input.read(UInt32.self, "length")
      guard length != .max else { break }
      if length == 0 { continue }  // a length of 0 ends the descriptions of one object file
      try input.skip(UInt64(length), "length")
      let distance = start.rawValue - contents.lowerBound.rawValue
      let address = section.range.start.rawValue &+ distance
      ranges += [descriptions.range(at: start, address: StatedAddress(rawValue: address))]
        .compactMap { $0 }
    }
    return Self.ascending(ranges)
  }
}

/// Reads the ranges that frame descriptions cover.
private struct FrameDescriptions {
  private let file: ELFFile
  /// The mapped segments, ascending by address; .eh_frame is mapped, because the unwinder reads it in memory.
  private let segments: [ELFSegment]
  /// The encoding of addresses, by the place of the common information entry; `nil` if unknown.
  private var forms: [FileOffset: UInt8?] = [:]

  init(_ file: ELFFile) {
    self.file = file
    segments = file.segments.filter { $0.type == .load }
      .sorted { $0.range.start < $1.range.start }
  }

  /// - Returns: `nil` if the description at `address` is outside the file, or in an unknown encoding.
  mutating func size(at address: StatedAddress) -> UInt64? {
    guard let offset = fileOffset(of: address) else { return nil }
    return (try? read(at: offset, address: address))?.size
  }

  /// - Parameter address: the address of the same entry.
  /// - Returns: `nil` for a common information entry, and for a description in an unknown encoding.
  mutating func range(at offset: FileOffset, address: StatedAddress) -> AddressRange? {
    try? read(at: offset, address: address)
  }

  private func fileOffset(of address: StatedAddress) -> FileOffset? {
    let next = segments.partitioningIndex { $0.range.start > address }
    guard next > 0, segments[next - 1].range.contains(address) else { return nil }
    let segment = segments[next - 1]
    let distance = address.rawValue - segment.range.start.rawValue
    let (offset, overflow) = segment.offset.rawValue.addingReportingOverflow(distance)
    return overflow || offset > UInt64(file.bytes.count) ? nil : FileOffset(rawValue: offset)
  }

  /// The contents of an entry after its length; `nil` if it has the 64-bit form, which linkers don't write.
  private func entry(at offset: FileOffset) throws(ParseError) -> ByteCursor? {
    let rest = try file.bytes.range(
      offset: offset, size: UInt64(file.bytes.count) - offset.rawValue, "eh_frame")
    var input = ByteCursor(file.bytes, in: rest, endianness: file.header.endianness)
    let length = try input.read(UInt32.self, "length")
    guard length != .max else { return nil }
    let contents = try input.readRange(UInt64(length), "length")
    return ByteCursor(file.bytes, in: contents, endianness: file.header.endianness)
  }

  /// Reads the range of a description. The start is valid only for encodings that are absolute or relative to their own
  /// place.
  private mutating func read(
    at offset: FileOffset, address: StatedAddress
  ) throws(ParseError) -> AddressRange? {
    guard var input = try entry(at: offset) else { return nil }
    let here = input.position
    let distance = UInt64(try input.read(UInt32.self, "CIE_pointer"))
    guard distance > 0, distance <= here.rawValue else { return nil }
    let common = FileOffset(rawValue: here.rawValue - distance)
    if forms[common] == nil { forms[common] = .some(try? form(at: common)) }
    guard case .some(.some(let form)) = forms[common], let size = Self.size(ofForm: form, file)
    else { return nil }
    func read(_ field: StaticString, isSigned: Bool) throws(ParseError) -> UInt64 {
      switch size {
      case 2:
        let value = try input.read(UInt16.self, field)
        return isSigned ? UInt64(bitPattern: Int64(Int16(bitPattern: value))) : UInt64(value)
      case 4:
        let value = try input.read(UInt32.self, field)
        return isSigned ? UInt64(bitPattern: Int64(Int32(bitPattern: value))) : UInt64(value)
      default: return try input.read(UInt64.self, field)
      }
    }
    let place = address.rawValue &+ (input.position.rawValue - offset.rawValue)
    let start = try read("initial_location", isSigned: form & 0x08 != 0)
    let isRelative = form & 0x70 == 0x10  // DW_EH_PE_pcrel
    return AddressRange(
      start: StatedAddress(rawValue: isRelative ? place &+ start : start),
      size: try read("address_range", isSigned: false))
  }

  /// The encoding of addresses that a common information entry states, `DW_EH_PE_*`.
  private func form(at offset: FileOffset) throws(ParseError) -> UInt8? {
    guard var input = try entry(at: offset), input.remaining <= 4096 else { return nil }
    try input.skip(4, "CIE_ID")
    let version = try input.read(UInt8.self, "version")
    let augmentation = file.bytes.copy(try input.readZeroTerminated("augmentation").indices)
    guard augmentation.first == UInt8(ascii: "z") || augmentation.isEmpty else { return nil }
    _ = try input.readULEB128("code_alignment_factor")
    _ = try input.readULEB128("data_alignment_factor")
    if version == 1 {
      try input.skip(1, "return_address_register")
    } else {
      _ = try input.readULEB128("return_address_register")
    }
    guard !augmentation.isEmpty else { return 0 }
    _ = try input.readULEB128("augmentation_length")
    for letter in augmentation.dropFirst() {
      switch letter {
      case UInt8(ascii: "R"): return try input.read(UInt8.self, "R")
      case UInt8(ascii: "L"): try input.skip(1, "L")
      case UInt8(ascii: "P"):
        guard let size = Self.size(ofForm: try input.read(UInt8.self, "P"), file) else {
          return nil
        }
        try input.skip(UInt64(size), "personality")
      case UInt8(ascii: "S"), UInt8(ascii: "B"), UInt8(ascii: "G"): break
      default: return nil
      }
    }
    return 0
  }

  /// - Parameter form: `DW_EH_PE_*`; only the size is used, not the base of the address.
  private static func size(ofForm form: UInt8, _ file: ELFFile) -> Int? {
    switch form & 0x0f {
    case 0x00: file.header.is64Bit ? 8 : 4
    case 0x02, 0x0a: 2
    case 0x03, 0x0b: 4
    case 0x04, 0x0c: 8
    default: nil
    }
  }
}
