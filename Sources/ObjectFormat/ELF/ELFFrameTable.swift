// Where the functions of an image are by its unwinding tables, which are there in stripped files, too.
//
// .eh_frame_hdr ends with a table for binary search: the first address of what each frame description
// covers, and where that description is. It covers one function or one cold part of a function, and never
// data. The table begins with how its numbers are written (DW_EH_PE_*): linkers write differences from the
// section's start, four bytes each.
//
// How much a description covers stands in itself, behind where that begins, in a form that its common
// information entry states:
//
//     length  distance to the entry  begin  range  ...      begin, range: 2, 4 or 8 bytes each
//     length  0  version  "zPLR"  alignments  register  length  P...  L  R: the form
//
// <https://refspecs.linuxfoundation.org/LSB_5.0.0/LSB-Core-generic/LSB-Core-generic/ehframechpt.html>

import Addresses
import ByteReading

extension ELFFile {
  /// What all frame descriptions cover, ascending by address; empty without `PT_GNU_EH_FRAME`, or if that
  /// has no table or one in a form that no linker writes. The size is 0 of a description that can't be read.
  ///
  /// - Throws: `truncated` if the segment is not in the file or its table not in the segment.
  /// - Complexity: O(*n* log *n*) for *n* descriptions.
  package func frameRanges() throws(ParseError) -> [AddressRange] {
    // A debug file has the segment, and none of its bytes.
    guard let segment = segments.first(where: { $0.type == .frameHeader }), segment.fileSize > 0
    else { return [] }
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
    let ascends = zip(ranges, ranges.dropFirst()).allSatisfy { $0.start <= $1.start }
    return ascends ? ranges : ranges.sorted { ($0.start, $0.size) < ($1.start, $1.size) }
  }
}

/// Reads how much frame descriptions cover.
private struct FrameDescriptions {
  private let file: ELFFile
  /// What is mapped, ascending by address: .eh_frame is, as the unwinder reads it there.
  private let segments: [ELFSegment]
  /// By where a common information entry is: the bytes of a range, `nil` if its form is unknown.
  private var sizes: [FileOffset: Int?] = [:]

  init(_ file: ELFFile) {
    self.file = file
    segments = file.segments.filter { $0.type == .load }
      .sorted { $0.range.start < $1.range.start }
  }

  /// - Returns: `nil` if the description at `address` is outside the file or in an unknown form.
  mutating func size(at address: StatedAddress) -> UInt64? {
    guard let offset = fileOffset(of: address) else { return nil }
    return try? read(at: offset)
  }

  private func fileOffset(of address: StatedAddress) -> FileOffset? {
    let next = segments.partitioningIndex { $0.range.start > address }
    guard next > 0, segments[next - 1].range.contains(address) else { return nil }
    let segment = segments[next - 1]
    let distance = address.rawValue - segment.range.start.rawValue
    let (offset, overflow) = segment.offset.rawValue.addingReportingOverflow(distance)
    return overflow || offset > UInt64(file.bytes.count) ? nil : FileOffset(rawValue: offset)
  }

  /// An entry from its length on, without that; `nil` if it has the 64-bit form, which linkers don't write.
  private func entry(at offset: FileOffset) throws(ParseError) -> ByteCursor? {
    let rest = try file.bytes.range(
      offset: offset, size: UInt64(file.bytes.count) - offset.rawValue, "eh_frame")
    var input = ByteCursor(file.bytes, in: rest, endianness: file.header.endianness)
    let length = try input.read(UInt32.self, "length")
    guard length != .max else { return nil }
    let contents = try input.readRange(UInt64(length), "length")
    return ByteCursor(file.bytes, in: contents, endianness: file.header.endianness)
  }

  private mutating func read(at offset: FileOffset) throws(ParseError) -> UInt64? {
    guard var input = try entry(at: offset) else { return nil }
    let here = input.position
    let distance = UInt64(try input.read(UInt32.self, "CIE_pointer"))
    guard distance > 0, distance <= here.rawValue else { return nil }
    let common = FileOffset(rawValue: here.rawValue - distance)
    if sizes[common] == nil { sizes[common] = .some(try? formSize(at: common)) }
    guard case .some(.some(let size)) = sizes[common] else { return nil }
    try input.skip(UInt64(size), "initial_location")
    return switch size {
    case 2: UInt64(try input.read(UInt16.self, "address_range"))
    case 4: UInt64(try input.read(UInt32.self, "address_range"))
    default: try input.read(UInt64.self, "address_range")
    }
  }

  /// How many bytes a common information entry says that addresses have.
  private func formSize(at offset: FileOffset) throws(ParseError) -> Int? {
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
    guard !augmentation.isEmpty else { return Self.size(ofForm: 0, file) }
    _ = try input.readULEB128("augmentation_length")
    for letter in augmentation.dropFirst() {
      switch letter {
      case UInt8(ascii: "R"): return Self.size(ofForm: try input.read(UInt8.self, "R"), file)
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
    return Self.size(ofForm: 0, file)
  }

  /// - Parameter form: `DW_EH_PE_*`; what it is relative to does not count.
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
