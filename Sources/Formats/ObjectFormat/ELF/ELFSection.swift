import Addresses
import ByteReading

/// One section header. <https://gabi.xinuos.com/elf/03-sheader.html>
package struct ELFSection: Sendable {
  /// The index of the section in the section header table.
  package var index: Int
  /// The range of the name in the file, without its terminating zero; empty if the file has no section names.
  package var name: ByteRange
  package var type: ELFSectionType
  package var flags: ELFSectionFlags
  /// `sh_addr` and `sh_size`.
  package var range: AddressRange
  /// `sh_offset`, not yet checked against the file: `ELFFile.contents(of:)` does that.
  package var offset: FileOffset
  /// `sh_size` in bytes; a section without bits has a size, too.
  package var size: UInt64
  /// `sh_link`: the string table of a symbol table, the symbol table of a relocation table.
  package var link: UInt32
  /// `sh_info`.
  package var info: UInt32
  /// `sh_addralign`, in bytes.
  package var alignment: UInt64
  /// `sh_entsize`, in bytes; 0 if the section isn't a table.
  package var entrySize: UInt64
  /// `sh_name`, an offset into the table of section names.
  var nameOffset: UInt32

  /// Parses one `Elf32_Shdr` or `Elf64_Shdr`; `name` stays empty.
  init(parsing input: inout ByteCursor, index: Int, is64Bit: Bool) throws(ParseError) {
    self.index = index
    name = input.position..<input.position
    nameOffset = try input.read(UInt32.self, "sh_name")
    type = ELFSectionType(rawValue: try input.read(UInt32.self, "sh_type"))
    flags = ELFSectionFlags(rawValue: try input.readWord(is64Bit: is64Bit, "sh_flags"))
    let address = StatedAddress(rawValue: try input.readWord(is64Bit: is64Bit, "sh_addr"))
    offset = FileOffset(rawValue: try input.readWord(is64Bit: is64Bit, "sh_offset"))
    size = try input.readWord(is64Bit: is64Bit, "sh_size")
    range = AddressRange(start: address, size: size)
    link = try input.read(UInt32.self, "sh_link")
    info = try input.read(UInt32.self, "sh_info")
    alignment = try input.readWord(is64Bit: is64Bit, "sh_addralign")
    entrySize = try input.readWord(is64Bit: is64Bit, "sh_entsize")
  }
}

/// `sh_type`. A struct and not an enum, because a file may contain unknown values.
package struct ELFSectionType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let null = Self(rawValue: 0)  // SHT_NULL
  package static let programBits = Self(rawValue: 1)  // SHT_PROGBITS
  package static let symbolTable = Self(rawValue: 2)  // SHT_SYMTAB
  package static let stringTable = Self(rawValue: 3)  // SHT_STRTAB
  package static let relocationsWithAddends = Self(rawValue: 4)  // SHT_RELA
  package static let dynamic = Self(rawValue: 6)  // SHT_DYNAMIC
  package static let note = Self(rawValue: 7)  // SHT_NOTE
  package static let noBits = Self(rawValue: 8)  // SHT_NOBITS
  package static let relocations = Self(rawValue: 9)  // SHT_REL
  package static let dynamicSymbolTable = Self(rawValue: 11)  // SHT_DYNSYM
  package static let initArray = Self(rawValue: 14)  // SHT_INIT_ARRAY
  package static let finiArray = Self(rawValue: 15)  // SHT_FINI_ARRAY
  package static let preinitArray = Self(rawValue: 16)  // SHT_PREINIT_ARRAY
  package static let relativeRelocations = Self(rawValue: 19)  // SHT_RELR
  package static let packedRelocations = Self(rawValue: 0x6000_0001)  // SHT_ANDROID_REL
  package static let packedRelocationsWithAddends = Self(rawValue: 0x6000_0002)  // SHT_ANDROID_RELA
  package static let androidRelativeRelocations = Self(rawValue: 0x6fff_ff00)  // SHT_ANDROID_RELR
  package static let blockMap = Self(rawValue: 0x6fff_4c0a)  // SHT_LLVM_BB_ADDR_MAP
}

extension ELFSectionType: CustomStringConvertible {
  private static let names: [Self: String] = [
    .null: "SHT_NULL", .programBits: "SHT_PROGBITS", .symbolTable: "SHT_SYMTAB",
    .stringTable: "SHT_STRTAB", .relocationsWithAddends: "SHT_RELA", .note: "SHT_NOTE",
    .dynamic: "SHT_DYNAMIC", .noBits: "SHT_NOBITS", .relocations: "SHT_REL",
    .dynamicSymbolTable: "SHT_DYNSYM",
    .initArray: "SHT_INIT_ARRAY", .finiArray: "SHT_FINI_ARRAY", .preinitArray: "SHT_PREINIT_ARRAY",
    .relativeRelocations: "SHT_RELR", .packedRelocations: "SHT_ANDROID_REL",
    .packedRelocationsWithAddends: "SHT_ANDROID_RELA",
    .androidRelativeRelocations: "SHT_ANDROID_RELR", .blockMap: "SHT_LLVM_BB_ADDR_MAP",
  ]
  package var description: String { Self.names[self] ?? "SHT_\(hexadecimal(UInt64(rawValue)))" }
}

/// `sh_flags`.
package struct ELFSectionFlags: OptionSet, Hashable, Sendable {
  package var rawValue: UInt64
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  // SHF_ALLOC: the section is in memory at run time
  package static let allocated = Self(rawValue: 0x2)
  package static let executable = Self(rawValue: 0x4)  // SHF_EXECINSTR
  package static let threadLocal = Self(rawValue: 0x400)  // SHF_TLS
  package static let compressed = Self(rawValue: 0x800)  // SHF_COMPRESSED
}
