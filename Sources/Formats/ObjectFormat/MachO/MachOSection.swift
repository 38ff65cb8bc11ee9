import Addresses
import ByteReading

/// A section. `section_64` in `mach-o/loader.h`.
package struct MachOSection: Sendable {
  /// `segname`, `__TEXT`; in an object file this is not the name of the containing segment.
  package var segmentName: [UInt8]
  /// `sectname`, `__text`.
  package var sectionName: [UInt8]
  /// `addr` and `size`.
  package var range: AddressRange
  /// `offset`, counted like the offset of a segment; `MachOFile.contents(of:)` checks it against the file.
  package var offset: FileOffset
  package var type: MachOSectionType
  package var attributes: MachOSectionAttributes
  /// The index of the segment that contains the section.
  package var segment: Int

  init(parsing input: inout ByteCursor, segment: Int) throws(ParseError) {
    sectionName = try input.readName("sectname")
    segmentName = try input.readName("segname")
    let address = StatedAddress(rawValue: try input.read(UInt64.self, "addr"))
    range = AddressRange(start: address, size: try input.read(UInt64.self, "size"))
    offset = FileOffset(rawValue: UInt64(try input.read(UInt32.self, "offset")))
    try input.skip(12, "align")
    let flags = try input.read(UInt32.self, "flags")
    type = MachOSectionType(rawValue: UInt8(truncatingIfNeeded: flags))  // SECTION_TYPE
    attributes = MachOSectionAttributes(rawValue: flags & 0xffff_ff00)  // SECTION_ATTRIBUTES
    try input.skip(12, "reserved1")
    self.segment = segment
  }

  /// The name in the notation of linkers and link maps: `__TEXT,__text`.
  package var name: [UInt8] { segmentName + [UInt8(ascii: ",")] + sectionName }

  /// Whether the linker or the compiler marked it as containing instructions.
  package var holdsInstructions: Bool {
    !attributes.isDisjoint(with: [.pureInstructions, .someInstructions])
  }
}

/// The type of a section: the lowest 8 bits of `flags`.
package struct MachOSectionType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let regular = Self(rawValue: 0x0)  // S_REGULAR
  package static let zeroFill = Self(rawValue: 0x1)  // S_ZEROFILL
  package static let cStringLiterals = Self(rawValue: 0x2)  // S_CSTRING_LITERALS
  package static let symbolStubs = Self(rawValue: 0x8)  // S_SYMBOL_STUBS
  package static let initializerPointers = Self(rawValue: 0x9)  // S_MOD_INIT_FUNC_POINTERS
  package static let zeroFillOfGigabytes = Self(rawValue: 0xc)  // S_GB_ZEROFILL
  package static let threadLocalZeroFill = Self(rawValue: 0x12)  // S_THREAD_LOCAL_ZEROFILL
  package static let initializerOffsets = Self(rawValue: 0x16)  // S_INIT_FUNC_OFFSETS

  /// Whether the file contains no bytes for the section.
  package var isZeroFill: Bool {
    self == .zeroFill || self == .zeroFillOfGigabytes || self == .threadLocalZeroFill
  }
}

extension MachOSectionType: CustomStringConvertible {
  private static let names: [Self: String] = [
    .regular: "S_REGULAR", .zeroFill: "S_ZEROFILL", .cStringLiterals: "S_CSTRING_LITERALS",
    .symbolStubs: "S_SYMBOL_STUBS", .initializerPointers: "S_MOD_INIT_FUNC_POINTERS",
    .zeroFillOfGigabytes: "S_GB_ZEROFILL", .threadLocalZeroFill: "S_THREAD_LOCAL_ZEROFILL",
    .initializerOffsets: "S_INIT_FUNC_OFFSETS",
  ]
  package var description: String { Self.names[self] ?? "S_\(hexadecimal(UInt64(rawValue)))" }
}

/// The attributes of a section: the upper 24 bits of `flags`.
package struct MachOSectionAttributes: OptionSet, Hashable, Sendable {
  package var rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let someInstructions = Self(rawValue: 0x400)  // S_ATTR_SOME_INSTRUCTIONS
  package static let debug = Self(rawValue: 0x200_0000)  // S_ATTR_DEBUG
  package static let pureInstructions = Self(rawValue: 0x8000_0000)  // S_ATTR_PURE_INSTRUCTIONS
}
