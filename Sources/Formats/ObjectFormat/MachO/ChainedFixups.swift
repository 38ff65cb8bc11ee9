// The encoding of pointers in an image's data before the loader has processed them.
//
// Without LC_DYLD_CHAINED_FIXUPS a slot contains the stated address, and a list elsewhere tells the loader
// which slots to slide: LC_DYLD_INFO, or relocations in old and in freestanding images. A slot that the
// loader fills with an address in another image contains zero.
//
// With LC_DYLD_CHAINED_FIXUPS, all slots of a page form a linked list: in addition to its value, each slot contains the
// distance to the next slot, so no slot contains a plain address. Each segment has its own format:
//
//   DYLD_CHAINED_PTR_64            36 bits of address, 8 of tag, 7 unused, 12 of distance, 1 of bind
//   DYLD_CHAINED_PTR_64_OFFSET     the same, but the 36 bits count from the Mach-O header
//   DYLD_CHAINED_PTR_ARM64E        43 bits of address, 8 of tag, 11 of distance, 1 of bind, 1 of auth
//   ..._KERNEL, _USERLAND, _USERLAND24  the same, but the 43 bits count from the Mach-O header
//   ..._FIRMWARE                   as the first, with another unit of distance
//
// In all formats of arm64e, a signed pointer (auth) contains 32 bits that count from the Mach-O header. If
// bind is 1, a slot contains the number of a symbol to look up.
//
// arm64e is older than the command: its first images store pointers as in DYLD_CHAINED_PTR_ARM64E, and state this in
// the bind opcodes. In that format a plain address has the same encoding.
//
// The other formats are for 32-bit images, kernel collections and shared caches. The code here does not walk the lists:
// the code that reads a slot knows from the format of Objective-C or of the section that it is a pointer. A slot that
// is in no list contains zero. The address of the Mach-O header, in the last slot of a list, is also stored as zero,
// but there is no function or class at that address.
//
// <https://github.com/apple-oss-distributions/dyld/blob/main/include/mach-o/fixup-chains.h>

import Addresses
import ByteReading

/// `pointer_format`: the encoding of a segment's pointers.
struct ChainedPointerFormat: RawRepresentable, Hashable, Sendable {
  var rawValue: UInt16

  static let arm64e = Self(rawValue: 1)  // DYLD_CHAINED_PTR_ARM64E
  static let plain64 = Self(rawValue: 2)  // DYLD_CHAINED_PTR_64
  static let plain64Offset = Self(rawValue: 6)  // DYLD_CHAINED_PTR_64_OFFSET
  static let arm64eKernel = Self(rawValue: 7)  // DYLD_CHAINED_PTR_ARM64E_KERNEL
  static let arm64eUserland = Self(rawValue: 9)  // DYLD_CHAINED_PTR_ARM64E_USERLAND
  static let arm64eFirmware = Self(rawValue: 10)  // DYLD_CHAINED_PTR_ARM64E_FIRMWARE
  static let arm64eUserland24 = Self(rawValue: 12)  // DYLD_CHAINED_PTR_ARM64E_USERLAND24

  /// The value that the loader writes for `stored`, minus the slide.
  ///
  /// - Parameter base: the stated address of the Mach-O header.
  /// - Returns: `nil` for an unknown format.
  func pointer(_ stored: UInt64, base: StatedAddress) -> MachOPointer? {
    guard stored != 0 else { return .null }
    switch self {
    case .plain64, .plain64Offset:
      if stored >> 63 == 1 { return .bound }
      let target = stored & (1 << 36 - 1)
      let start = self == .plain64 ? 0 : base.rawValue
      return .address(target &+ start, tag: stored >> 36)
    case .arm64e, .arm64eFirmware, .arm64eKernel, .arm64eUserland, .arm64eUserland24:
      if stored >> 62 & 1 == 1 { return .bound }
      if stored >> 63 == 1 { return .address(base.rawValue &+ stored & 0xffff_ffff, tag: 0) }
      let target = stored & (1 << 43 - 1)
      let start = self == .arm64e || self == .arm64eFirmware ? 0 : base.rawValue
      return .address(target &+ start, tag: stored >> 43)
    default: return nil
    }
  }
}

extension MachOPointer {
  /// - Parameter tag: its lowest 8 bits are the highest of the pointer.
  fileprivate static func address(_ address: UInt64, tag: UInt64) -> Self {
    .address(StatedAddress(rawValue: address | tag << 56))
  }
}

extension MachOFile {
  /// The format of the pointers in each segment, by index; `nil` if they are stored as plain addresses.
  ///
  /// Reads `dyld_chained_fixups_header`, `dyld_chained_starts_in_image` and `..._in_segment`.
  ///
  /// - Throws: `truncated`, `unsupported` for another version, `invalid` for more segments than the image has.
  func chainedPointerFormats() throws(ParseError) -> [ChainedPointerFormat?] {
    guard let command = command(.chainedFixups) else {
      let format: ChainedPointerFormat? = header.architecture == .arm64e ? .arm64e : nil
      return [ChainedPointerFormat?](repeating: format, count: segments.count)
    }
    var formats = [ChainedPointerFormat?](repeating: nil, count: segments.count)
    let data = try linkEditData(command)
    var header = ByteCursor(bytes, in: data)
    let version = try header.read(UInt32.self, "fixups_version")
    guard version == 0 else {
      throw ParseError(.unsupported(found: "\(version)"), "fixups_version", at: data.lowerBound)
    }
    let startsOffset = UInt64(try header.read(UInt32.self, "starts_offset"))
    var starts = ByteCursor(bytes, in: data)
    try starts.skip(startsOffset, "starts_offset")
    let image = starts
    let count = try starts.read(UInt32.self, "seg_count")
    guard count <= segments.count else {
      throw ParseError(
        .invalid(expected: "at most \(segments.count)", found: "\(count)"), "seg_count",
        at: image.position)
    }
    for index in 0..<Int(count) {
      let offset = UInt64(try starts.read(UInt32.self, "seg_info_offset"))
      guard offset != 0 else { continue }  // this segment has no fixups
      var segment = image
      try segment.skip(offset, "seg_info_offset")
      try segment.skip(6, "page_size")
      formats[index] = ChainedPointerFormat(
        rawValue: try segment.read(UInt16.self, "pointer_format"))
    }
    return formats
  }
}
