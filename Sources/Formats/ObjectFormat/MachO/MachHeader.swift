import Addresses
import ByteReading

/// The first 32 bytes of a 64-bit Mach-O file: what it is, and how many load commands follow.
/// `mach_header_64` in `mach-o/loader.h`.
package struct MachHeader: Sendable {
  package var architecture: MachOArchitecture
  package var type: MachOFileType
  /// The number of load commands: `ncmds`.
  package var commandCount: UInt32
  /// `sizeofcmds`, in bytes; the commands follow the header immediately.
  package var commandsSize: UInt32
  package var flags: MachOFlags

  /// - Throws: `truncated`; `unsupported` for 32-bit and for big-endian files; `invalid` for another
  ///   magic.
  init(parsing input: inout ByteCursor) throws(ParseError) {
    let position = input.position
    let magic = try input.read(UInt32.self, "magic")
    switch magic {
    case 0xfeed_facf: break  // MH_MAGIC_64
    case 0xfeed_face:  // MH_MAGIC
      throw ParseError(.unsupported(found: "a 32-bit Mach-O file"), "file", at: position)
    case 0xcffa_edfe, 0xcefa_edfe:  // MH_CIGAM_64, MH_CIGAM
      throw ParseError(.unsupported(found: "a big-endian Mach-O file"), "file", at: position)
    default:
      throw ParseError(
        .invalid(expected: "0xfeedfacf", found: hexadecimal(UInt64(magic))), "magic", at: position)
    }
    architecture = MachOArchitecture(
      cpuType: try input.read(UInt32.self, "cputype"),
      cpuSubtype: try input.read(UInt32.self, "cpusubtype"))
    type = MachOFileType(rawValue: try input.read(UInt32.self, "filetype"))
    commandCount = try input.read(UInt32.self, "ncmds")
    commandsSize = try input.read(UInt32.self, "sizeofcmds")
    flags = MachOFlags(rawValue: try input.read(UInt32.self, "flags"))
    try input.skip(4, "reserved")
  }
}

/// `filetype`: what the file is for.
package struct MachOFileType: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let object = Self(rawValue: 0x1)  // MH_OBJECT
  package static let executable = Self(rawValue: 0x2)  // MH_EXECUTE
  package static let core = Self(rawValue: 0x4)  // MH_CORE
  package static let dynamicLibrary = Self(rawValue: 0x6)  // MH_DYLIB
  package static let dynamicLinker = Self(rawValue: 0x7)  // MH_DYLINKER
  package static let bundle = Self(rawValue: 0x8)  // MH_BUNDLE
  /// `MH_DYLIB_STUB`: a library's load commands and symbols without its contents.
  package static let dynamicLibraryStub = Self(rawValue: 0x9)
  /// `MH_DSYM`: the debug information of an image, with the image's load commands.
  package static let debugSymbols = Self(rawValue: 0xa)
  package static let kernelExtension = Self(rawValue: 0xb)  // MH_KEXT_BUNDLE
  package static let fileSet = Self(rawValue: 0xc)  // MH_FILESET

  /// Whether it was linked and has contents: its addresses are final except for the slide.
  package var isLinkedImage: Bool {
    self == .executable || self == .dynamicLibrary || self == .dynamicLinker || self == .bundle
  }
}

extension MachOFileType: CustomStringConvertible {
  private static let names: [Self: String] = [
    .object: "MH_OBJECT", .executable: "MH_EXECUTE", .core: "MH_CORE", .dynamicLibrary: "MH_DYLIB",
    .dynamicLinker: "MH_DYLINKER", .bundle: "MH_BUNDLE", .dynamicLibraryStub: "MH_DYLIB_STUB",
    .debugSymbols: "MH_DSYM", .kernelExtension: "MH_KEXT_BUNDLE", .fileSet: "MH_FILESET",
  ]
  package var description: String { Self.names[self] ?? "MH_\(hexadecimal(UInt64(rawValue)))" }
}

/// `flags` of the header.
package struct MachOFlags: OptionSet, Hashable, Sendable {
  package var rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// `MH_SUBSECTIONS_VIA_SYMBOLS`: a linker may move the symbols of this object separately.
  package static let subsectionsViaSymbols = Self(rawValue: 0x2000)
}
