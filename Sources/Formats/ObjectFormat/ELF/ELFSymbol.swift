import Addresses

/// One symbol. <https://gabi.xinuos.com/elf/05-symtab.html>
package struct ELFSymbol: Sendable {
  /// `st_name`, an offset into the table's names.
  package var nameOffset: UInt32
  package var type: ELFSymbolType
  package var binding: ELFSymbolBinding
  /// `STV_HIDDEN` in `st_other`: invisible to other images. A linker makes it local, and places it after the symbols of
  /// all files.
  package var isHidden: Bool
  package var sectionIndex: ELFSectionIndex
  /// `st_value`; for a common symbol an alignment, for a thread-local symbol an offset.
  package var value: StatedAddress
  /// `st_size`, in bytes; 0 means "unknown", not "empty".
  package var size: UInt64
}

/// The type of a symbol: the low four bits of `st_info`.
package struct ELFSymbolType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let none = Self(rawValue: 0)  // STT_NOTYPE: labels of assembly code, among others
  package static let object = Self(rawValue: 1)  // STT_OBJECT
  package static let function = Self(rawValue: 2)  // STT_FUNC
  package static let section = Self(rawValue: 3)  // STT_SECTION
  package static let file = Self(rawValue: 4)  // STT_FILE
  package static let threadLocal = Self(rawValue: 6)  // STT_TLS
  // STT_GNU_IFUNC: the address is the resolver's
  package static let indirectFunction = Self(rawValue: 10)
}

extension ELFSymbolType: CustomStringConvertible {
  private static let names: [Self: String] = [
    .none: "STT_NOTYPE", .object: "STT_OBJECT", .function: "STT_FUNC", .section: "STT_SECTION",
    .file: "STT_FILE", .threadLocal: "STT_TLS", .indirectFunction: "STT_GNU_IFUNC",
  ]
  package var description: String { Self.names[self] ?? "STT_\(rawValue)" }
}

/// The binding of a symbol: the high four bits of `st_info`.
package struct ELFSymbolBinding: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let local = Self(rawValue: 0)  // STB_LOCAL
  package static let global = Self(rawValue: 1)  // STB_GLOBAL
  package static let weak = Self(rawValue: 2)  // STB_WEAK
}

extension ELFSymbolBinding: CustomStringConvertible {
  private static let names: [Self: String] = [
    .local: "STB_LOCAL", .global: "STB_GLOBAL", .weak: "STB_WEAK",
  ]
  package var description: String { Self.names[self] ?? "STB_\(rawValue)" }
}

/// `st_shndx`. Values of 0xff00 and more are reserved and refer to no section.
package struct ELFSectionIndex: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let undefined = Self(rawValue: 0)  // SHN_UNDEF
  package static let absolute = Self(rawValue: 0xfff1)  // SHN_ABS
  package static let common = Self(rawValue: 0xfff2)  // SHN_COMMON
  /// The index does not fit and is in `SHT_SYMTAB_SHNDX`. It is not needed: addresses in a linked image are
  /// unique, so the section can be found by the address.
  package static let extended = Self(rawValue: 0xffff)  // SHN_XINDEX

  /// Whether the symbol is in a section of this file.
  package var isInSection: Bool { self == .extended || (rawValue != 0 && rawValue < 0xff00) }
}
