import Addresses

/// A symbol. `nlist_64` in `mach-o/nlist.h`.
package struct MachOSymbol: Sendable {
  /// `n_strx`, an offset into the table's names; 0 means no name, whatever is at that offset.
  package var nameOffset: UInt32
  package var type: MachOSymbolType
  /// `n_sect`: the section's number from 1, in the order of the load commands; 0 for none.
  package var sectionNumber: UInt8
  package var description: MachOSymbolDescription
  /// `n_value`; for a common symbol its size.
  package var value: StatedAddress

  /// Whether the symbol is in a section of this file.
  package var isInSection: Bool { type.kind == .inSection && sectionNumber != 0 }
}

/// `n_type`: the kind and the visibility of a symbol.
package struct MachOSymbolType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `N_STAB`: an entry for debuggers, whose fields have the meaning defined in `mach-o/stab.h`.
  package var isDebugging: Bool { rawValue & 0xe0 != 0 }
  /// `N_EXT`: visible to other files.
  package var isExternal: Bool { rawValue & 0x01 != 0 }
  /// `N_PEXT`: visible to other files of the same link, but not to other images. A linker keeps this bit and
  /// clears `N_EXT`.
  package var isPrivateExternal: Bool { rawValue & 0x10 != 0 }
  /// `N_TYPE`; meaningless in an entry for debuggers.
  package var kind: MachOSymbolKind { MachOSymbolKind(rawValue: rawValue & 0x0e) }
}

/// `N_TYPE`: where a symbol is defined.
package struct MachOSymbolKind: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  // N_UNDF: undefined, or common if the value is not 0
  package static let undefined = Self(rawValue: 0x0)
  package static let absolute = Self(rawValue: 0x2)  // N_ABS
  package static let indirect = Self(rawValue: 0xa)  // N_INDR: the value is another name's offset
  package static let inSection = Self(rawValue: 0xe)  // N_SECT
}

extension MachOSymbolKind: CustomStringConvertible {
  private static let names: [Self: String] = [
    .undefined: "N_UNDF", .absolute: "N_ABS", .indirect: "N_INDR", .inSection: "N_SECT",
  ]
  package var description: String { Self.names[self] ?? "N_TYPE_\(rawValue)" }
}

/// `n_desc` of a symbol in a section; for an undefined symbol these bits are the number of a library.
package struct MachOSymbolDescription: OptionSet, Hashable, Sendable {
  package var rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let weakDefinition = Self(rawValue: 0x80)  // N_WEAK_DEF
  /// `N_ALT_ENTRY`: the symbol stays with the symbol before it, as a second entry to the same code.
  package static let alternateEntry = Self(rawValue: 0x200)
  /// `N_COLD_FUNC`: the compiler considers the function seldom used.
  package static let cold = Self(rawValue: 0x400)
}
