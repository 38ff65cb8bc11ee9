import Addresses
import ByteReading
import DebugInfo
import ImageModel
import ObjectFormat
import Symbolication

extension FuzzTarget {
  static let images = [
    FuzzTarget("elf") { bytes in
      let file = try ELFFile(parsing: bytes)
      _ = try? file.symbolTable()?.forEachSymbol { _ in }
      _ = try? file.dynamicSymbolTable()?.forEachSymbol { _ in }
      _ = try? file.inputSections { _ in true }
      _ = try? file.debugLink()
      _ = try? file.bindsAtLoad()
      _ = try? file.soname()
      for section in file.sections { _ = try? file.pointers(in: section) }
    },
    FuzzTarget("elf-loading") { bytes in
      let file = try ELFFile(parsing: bytes)
      _ = try? file.interpreter()
      _ = try? file.initializers()
      _ = try? file.forEachRelocatedWord { _, _ in }
      let table = try ELFDynamicTable(of: file)
      for tag in [ELFDynamicTag.needed, .soname, .rpath, .runpath] { _ = try? table?.names(tag) }
    },
    FuzzTarget("library-cache") { _ = try ELFLibraryCache(parsing: $0) },
    FuzzTarget("elf-notes") { _ = try ELFFile(parsing: $0).buildID() },
    FuzzTarget("elf-frames") { _ = try ELFFile(parsing: $0).frameRanges() },
    FuzzTarget("elf-blocks") { _ = try ELFFile(parsing: $0).blockMap() },
    FuzzTarget("elf-compression") { bytes in
      let file = try ELFFile(parsing: bytes)
      for section in file.sections { _ = try? file.decompressedContents(of: section) }
    },
    FuzzTarget("macho") { bytes in
      let file = try MachOFile(parsing: bytes)
      _ = try? file.symbolTable()?.forEachSymbol { _ in }
      _ = try? file.platform()
      _ = try? file.uuid()
      _ = try? file.installName()
      _ = try? file.functionStarts()
      for section in file.sections { _ = try? file.contents(of: section) }
    },
    FuzzTarget("macho-start") { bytes in
      let file = try MachOFile(parsing: bytes)
      _ = try? file.initializers()
      _ = try? file.loadMethods()
    },
    FuzzTarget("macho-loading") { bytes in
      let file = try MachOFile(parsing: bytes)
      _ = try? file.libraryLoads()
      _ = try? file.runPaths()
      _ = try? file.forEachFixup { _ in }
      _ = try? ObjCMetadata(of: file)
      for section in file.sections.prefix(4) { _ = try? file.slots(readByCodeIn: section.range) }
    },
    FuzzTarget("archive") { bytes in
      let archive = try ArchiveFile(parsing: bytes)
      for member in archive.members { _ = try? ObjectFile(parsing: bytes, at: member.range) }
    },
    FuzzTarget("fat") { bytes in
      for slice in try FatFile(parsing: bytes).slices {
        _ = try? ObjectFile(parsing: bytes, at: slice.range)
      }
    },
    FuzzTarget("dwarf", readDebugSections),
    // All that a command reads from an image, with names, starts of functions and debug information.
    FuzzTarget("image") { bytes in
      let image = try Image.reading(
        bytes, path: "image", debugRoots: [],
        opening: { (_: String) throws(SystemError) in throw SystemError("open", errno: 2) }
      ).image
      _ = SymbolMap(image.layout)
      let pages = try? ImagePages(of: bytes)
      _ = pages?.segment(holding: StatedAddress(rawValue: 0x1000))
      let contents = try? ImageContents(of: bytes)
      for address in [0, 0x1000, UInt64.max].map(StatedAddress.init(rawValue:)) {
        _ = (contents?.section(at: address), contents?.symbol(at: address))
        _ = contents?.isRelocated(at: address)
      }
      let startup = Array(image.layout.functions.indices.prefix(1000))
      _ = try? ImageCode(of: bytes)?.facts(
        of: image.layout, initializers: image.initializers, startup: startup)
      _ = try? BlockMap(of: bytes, functions: image.layout.functions.map(\.address))
      _ = try? BreakpointPlaces(of: bytes, at: "image", withBlocks: true)
      _ = try? BOLTImage(of: bytes)
      _ = BuildFacts(of: bytes, image.layout)
      _ = try? EmulatedMachine(of: bytes)
    },
  ]

  /// The input is one byte of flags, then for each section of `DebugSection.names` a length of four bytes, the lowest
  /// byte first, then the sections.
  private static func readDebugSections(_ bytes: FileBytes) throws {
    var input = ByteCursor(bytes)
    let flags = try input.read(UInt8.self, "flags")
    var lengths: [UInt64] = []
    for _ in DebugSection.names { lengths.append(UInt64(try input.read(UInt32.self, "length"))) }
    var sections: [DebugSection] = []
    for (name, length) in zip(DebugSection.names, lengths) {
      let range = try input.readRange(min(length, input.remaining), "section")
      sections.append(DebugSection(name: name, bytes: bytes, range: range))
    }
    _ = try DebugFunctions(
      sections, is64Bit: flags & 1 == 0, endianness: flags & 2 == 0 ? .little : .big)
  }
}
