import Addresses
import ByteReading

/// A segment: a part of the file as the loader sees it. `segment_command_64` in `mach-o/loader.h`.
package struct MachOSegment: Sendable {
  /// `__TEXT`; empty in an object file, whose only segment contains all sections.
  package var name: [UInt8]
  /// `vmaddr` and `vmsize`.
  package var range: AddressRange
  /// `fileoff` and `filesize`, counted from the start of the Mach-O file, which in a fat file is not the start of the
  /// whole file. Not yet checked against the file.
  package var offset: FileOffset
  /// The size in the file, in bytes. The rest of `range` is zero.
  package var fileSize: UInt64
  /// Whether the loader makes it executable: `VM_PROT_EXECUTE` in `initprot`.
  package var isExecutable: Bool

  /// Parses a `LC_SEGMENT_64` after `cmdsize`, and adds its sections to `sections`.
  init(
    parsing input: inout ByteCursor, index: Int, addingTo sections: inout [MachOSection]
  ) throws(ParseError) {
    name = try input.readName("segname")
    let address = StatedAddress(rawValue: try input.read(UInt64.self, "vmaddr"))
    range = AddressRange(start: address, size: try input.read(UInt64.self, "vmsize"))
    offset = FileOffset(rawValue: try input.read(UInt64.self, "fileoff"))
    fileSize = try input.read(UInt64.self, "filesize")
    try input.skip(4, "maxprot")
    isExecutable = try input.read(UInt32.self, "initprot") & 4 != 0
    let count = try input.read(UInt32.self, "nsects")
    try input.skip(4, "flags")
    for _ in 0..<count {
      sections.append(try MachOSection(parsing: &input, segment: index))
    }
  }
}

extension ByteCursor {
  /// Reads a name of at most 16 bytes; a shorter name ends with a zero.
  mutating func readName(_ field: StaticString) throws(ParseError) -> [UInt8] {
    let name = bytes.copy(try readRange(16, field).indices)
    return Array(name.prefix { $0 != 0 })
  }
}
