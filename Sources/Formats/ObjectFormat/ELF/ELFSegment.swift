import Addresses
import ByteReading

/// One program header: a part of the file as the loader sees it.
/// <https://gabi.xinuos.com/elf/07-pheader.html>
package struct ELFSegment: Sendable {
  package var type: ELFSegmentType
  /// `p_offset` and `p_filesz`, not yet checked against the file.
  package var offset: FileOffset
  /// The size of the segment in the file, in bytes.
  package var fileSize: UInt64
  /// `p_vaddr` and `p_memsz`.
  package var range: AddressRange
  /// `PF_X` in `p_flags`.
  package var isExecutable: Bool
  /// `PF_W` in `p_flags`.
  package var isWritable: Bool
  /// `p_align`, in bytes.
  package var alignment: UInt64

  /// Parses one `Elf32_Phdr` or `Elf64_Phdr`; `p_flags` is at different offsets in the two.
  init(parsing input: inout ByteCursor, is64Bit: Bool) throws(ParseError) {
    type = ELFSegmentType(rawValue: try input.read(UInt32.self, "p_type"))
    var flags: UInt32 = 0
    if is64Bit { flags = try input.read(UInt32.self, "p_flags") }
    offset = FileOffset(rawValue: try input.readWord(is64Bit: is64Bit, "p_offset"))
    let address = StatedAddress(rawValue: try input.readWord(is64Bit: is64Bit, "p_vaddr"))
    try input.skip(is64Bit ? 8 : 4, "p_paddr")
    fileSize = try input.readWord(is64Bit: is64Bit, "p_filesz")
    range = AddressRange(start: address, size: try input.readWord(is64Bit: is64Bit, "p_memsz"))
    if !is64Bit { flags = try input.read(UInt32.self, "p_flags") }
    isExecutable = flags & 1 != 0
    isWritable = flags & 2 != 0
    alignment = try input.readWord(is64Bit: is64Bit, "p_align")
  }
}

/// `p_type`.
package struct ELFSegmentType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let load = Self(rawValue: 1)  // PT_LOAD
  package static let dynamic = Self(rawValue: 2)  // PT_DYNAMIC
  package static let interpreter = Self(rawValue: 3)  // PT_INTERP
  package static let note = Self(rawValue: 4)  // PT_NOTE
  package static let frameHeader = Self(rawValue: 0x6474_e550)  // PT_GNU_EH_FRAME
}

extension ELFSegmentType: CustomStringConvertible {
  private static let names: [Self: String] = [
    .load: "PT_LOAD", .dynamic: "PT_DYNAMIC", .interpreter: "PT_INTERP",
    .note: "PT_NOTE", .frameHeader: "PT_GNU_EH_FRAME",
  ]
  package var description: String { Self.names[self] ?? "PT_\(hexadecimal(UInt64(rawValue)))" }
}
