import Addresses
import ByteReading
import ObjectFormat
import TestSupport
import Testing

/// Tests reading what a Mach-O image needs from the loader: libraries, rebases and binds.
@Suite struct MachOLoadingTests {
  private static func bytes(_ fields: UInt32..., text: String = "") -> [UInt8] {
    var writer = ByteWriter()
    for field in fields { writer.write(field) }
    writer.write(Array(text.utf8))
    writer.align(to: 8)
    return writer.bytes
  }

  private static func image() -> MachOWriter {
    var writer = MachOWriter()
    writer.segments = [
      .init("__TEXT", address: 0x1_0000_0000, size: 0x4000, isExecutable: true),
      .init(
        "__DATA", address: 0x1_0000_4000, size: 0x4000,
        contents: [UInt8](repeating: 0, count: 0x4000)),
    ]
    return writer
  }

  private static func file(_ bytes: [UInt8]) throws -> MachOFile {
    try MachOFile(parsing: FileBytes(bytes))
  }

  /// Formats fixups such as `rebase 0x4000`. A bind has the library's number and the symbol. Addresses are relative to
  /// the header.
  private static func fixups(_ bytes: [UInt8]) throws -> [String] {
    let file = try file(bytes)
    var found: [String] = []
    try file.forEachFixup { fixup in
      let place = hexadecimal(fixup.address.rawValue &- 0x1_0000_0000)
      let symbol = fixup.symbol.map { " \(file.bytes.text($0.indices))" } ?? ""
      let library = fixup.kind == .rebase ? "" : " \(fixup.library)"
      found.append("\(fixup.kind) \(place)\(library)\(symbol)")
    }
    return found
  }

  @Test func librariesAreInTheOrderOfTheCommands() throws {
    var writer = Self.image()
    let plain: [(UInt32, String)] = [
      (0xc, "/usr/lib/libSystem.B.dylib"), (0x8000_0018, "@rpath/Weak.framework/Weak"),
      (0x8000_001f, "re"), (0x8000_0023, "up"), (0x20, "lazy"),
    ]
    for (command, name) in plain {
      writer.addCommand(command, Self.bytes(24, 2, 0x10000, 0x10000, text: name))
    }
    for flags: UInt32 in [1, 2, 4, 8, 0] {
      writer.addCommand(
        0xc, Self.bytes(28, 0x1a74_1800, 1, 1, flags, text: "use\(flags)"))
    }
    writer.addCommand(0x8000_001c, Self.bytes(12, text: "@loader_path/Frameworks"))
    let file = try Self.file(writer.bytes())
    let loads = try file.libraryLoads()
    #expect(
      loads.map { String(decoding: $0.name, as: UTF8.self) }
        == plain.map(\.1) + ["use1", "use2", "use4", "use8", "use0"])
    #expect(
      loads.map(\.kind) == [
        .required, .weak, .reexported, .upward, .lazy, .weak, .reexported, .upward,
        .delayedInitialization, .required,
      ])
    #expect(try file.runPaths() == [Array("@loader_path/Frameworks".utf8)])
  }

  @Test func aNameOutsideItsCommandIsRefused() throws {
    var writer = Self.image()
    writer.addCommand(0xc, Self.bytes(400, 2, 1, 1, text: "libz"))
    let file = try Self.file(writer.bytes())
    #expect(throws: ParseError.self) { try file.libraryLoads() }
  }

  /// An `LC_DYLD_INFO_ONLY` whose programs are in a segment of their own.
  private static func image(rebase: [UInt8], bind: [UInt8], lazy: [UInt8] = []) -> [UInt8] {
    var writer = image()
    writer.segments.append(
      .init("__LINKEDIT", address: 0x1_0000_8000, size: 0x4000, contents: rebase + bind + lazy))
    func command(at start: UInt32) -> [UInt8] {
      let place = start + UInt32(rebase.count)
      return bytes(
        start, UInt32(rebase.count), place, UInt32(bind.count), 0, 0,
        place + UInt32(bind.count), UInt32(lazy.count), 0, 0)
    }
    var copy = writer
    copy.addCommand(0x8000_0022, command(at: 0))
    let size = copy.bytes().count
    writer.addCommand(
      0x8000_0022, command(at: UInt32(size - rebase.count - bind.count - lazy.count)))
    return writer.bytes()
  }

  private static let rebases: [UInt8] = [
    0x11, 0x21, 0x10,  // __DATA + 0x10
    0x52, 0x30, 0x08, 0x51,  // two; 8 further on one
    0x70, 0x18, 0x41, 0x60, 0x01,  // one, 0x18 after it; 8 further on one
    0x80, 0x02, 0x08, 0x00,  // two, each 8 apart
  ]
  private static let binds: [UInt8] =
    [0x12, 0x40] + Array("_a\0".utf8) + [
      0x51, 0x60, 0x7f, 0x71, 0x80, 0x01, 0x90,  // __DATA + 0x80
      0x3e, 0x40,
    ] + Array("_b\0".utf8) + [0xb1, 0xc0, 0x02, 0x08, 0x00]

  @Test func programsOfDyldInformationAreRun() throws {
    let lazy = [0x71, 0x00, 0x11, 0x40] + Array("_c\0".utf8) + [0x90, 0x00, 0x11, 0x90, 0x00]
    let found = try Self.fixups(Self.image(rebase: Self.rebases, bind: Self.binds, lazy: lazy))
    #expect(
      found == [
        "rebase 0x4010", "rebase 0x4018", "rebase 0x4028", "rebase 0x4030", "rebase 0x4058",
        "rebase 0x4060", "rebase 0x4070",
        "bind 0x4080 2 _a", "bind 0x4088 -2 _b", "bind 0x4098 -2 _b", "bind 0x40a8 -2 _b",
        "lazyBind 0x4000 1 _c", "lazyBind 0x4008 1 _c",
      ])
  }

  @Test(
    arguments: [
      [0x21, 0x00, 0x60, 0xff, 0xff, 0xff, 0xff, 0x7f], [0x2f, 0x00], [0x21], [0xf0],
    ] as [[UInt8]]) func whatNoLinkerWritesIsRefused(program: [UInt8])
  {
    #expect(throws: ParseError.self) { try Self.fixups(Self.image(rebase: program, bind: [])) }
  }

  /// A `__DATA` segment with a chain of fixups in its first page: a rebase, a bind, and a bind that looks up its symbol
  /// in all images.
  private static func chained() -> [UInt8] {
    var data = ByteWriter()
    data.write(UInt64(0x10 | 2 << 51))  // the next is 2 * 4 bytes further on
    data.write(UInt64(1) << 63 | 4 << 51)
    data.write(0 as UInt64)
    data.write(UInt64(1) << 63 | 1)
    var writer = image()
    let rest = [UInt8](repeating: 0, count: 0x4000 - data.count)
    writer.segments[1].contents = data.bytes + rest
    var fixups = ByteWriter()
    for field: UInt32 in [0, 28, 72, 80, 2, 1, 0] { fixups.write(field) }
    for field: UInt32 in [2, 0, 12] { fixups.write(field) }  // seg_count, seg_info_offset
    fixups.write(24 as UInt32)
    for field: UInt16 in [0x4000, 6] { fixups.write(field) }
    fixups.write(0x4000 as UInt64)
    fixups.write(0 as UInt32)
    for field: UInt16 in [1, 0] { fixups.write(field) }
    while fixups.count < 72 { fixups.write([0]) }
    fixups.write(UInt32(1 | 1 << 9))  // library 1, name at 1
    fixups.write(UInt32(0xfd | 4 << 9))  // all images, name at 4
    fixups.write(Array("\0_a\0_b\0".utf8))
    writer.addLinkEdit(0x8000_0034, fixups.bytes)
    return writer.bytes()
  }

  @Test func listsInDataAreWalked() throws {
    #expect(
      try Self.fixups(Self.chained())
        == ["rebase 0x4000", "bind 0x4008 1 _a", "weakBind 0x4018 -3 _b"])
  }

  @Test func damagedFilesAreRefusedOrRead() throws {
    var read = 0
    for good in [Self.chained(), Self.image(rebase: Self.rebases, bind: Self.binds)] {
      let ends = hostilePrefixLengths(of: good).filter { $0 < 2048 || $0 > good.count - 256 }
      // Only the load commands and the data to which they point are damaged: most of the file is zeros.
      let head = Array(good.prefix(1024))
      let flipped = byteFlips(of: head).map { $0 + good.dropFirst(1024) }
      for bytes in ends.map({ Array(good.prefix($0)) }) + flipped {
        guard let file = try? Self.file(bytes) else { continue }
        _ = try? file.libraryLoads()
        _ = try? file.runPaths()
        if (try? file.forEachFixup { _ in }) != nil { read += 1 }
      }
    }
    #expect(read > 0)
  }
}
