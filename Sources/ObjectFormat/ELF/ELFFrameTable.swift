// Where the functions of an image begin by its unwinding tables, which are there in stripped files, too.
//
// .eh_frame_hdr ends with a table for binary search: the first address of what each frame description
// covers, and where that description is. It covers one function or one cold part of a function, and never
// data. The table begins with how its numbers are written (DW_EH_PE_*): linkers write differences from the
// section's start, four bytes each.
// <https://refspecs.linuxfoundation.org/LSB_5.0.0/LSB-Core-generic/LSB-Core-generic/ehframechpt.html>

import Addresses
import ByteReading

extension ELFFile {
  /// The first addresses of all frame descriptions, ascending; empty without `PT_GNU_EH_FRAME`, or if that
  /// has no table or one in a form that no linker writes.
  ///
  /// - Throws: `truncated` if the segment is not in the file or its table not in the segment.
  /// - Complexity: O(*n*) for *n* descriptions.
  package func frameStarts() throws(ParseError) -> [StatedAddress] {
    guard let segment = segments.first(where: { $0.type == .frameHeader }) else { return [] }
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
    var starts: [StatedAddress] = []
    starts.reserveCapacity(Int(count))
    for entry in stride(from: table.lowerBound, to: table.upperBound, by: 8) {
      let raw = bytes.loadUnaligned(UInt32.self, at: entry)
      let distance = Int32(
        bitPattern: header.endianness == .little
          ? UInt32(littleEndian: raw) : UInt32(bigEndian: raw))
      let start = segment.range.start.rawValue &+ UInt64(bitPattern: Int64(distance))
      starts.append(StatedAddress(rawValue: start))
    }
    return starts.sorted()
  }
}
