import Addresses
import ByteReading
import Foundation
import ObjectFormat
import TestSupport
import Testing

/// Tests reading what an image needs from the loader: libraries, relocations, initializers.
@Suite struct ELFLoadingTests {
  private static let strings = Array(
    "\0libz.so.1\0libc.so.6\0$ORIGIN/../lib:/opt/lib\0own.so\0".utf8)

  /// A library that needs two libraries, and has a run path, relocations in each kind of table, and three initializers.
  private static func writer(is64Bit: Bool = true) -> ELFWriter {
    var writer = ELFWriter(is64Bit: is64Bit, machine: is64Bit ? 62 : 3)
    writer.addText()
    var table = ByteWriter()
    func word(_ value: UInt64, _ writer: inout ByteWriter) {
      writer.writeWord(value, is64Bit: is64Bit)
    }
    let entries: [(UInt64, UInt64)] = [
      (1, 1), (1, 11), (29, 21), (14, 45), (12, 0x1010), (5, 0x5000),
      (10, UInt64(strings.count)), (1, 0xffff), (0, 0), (1, 1),
    ]
    for (tag, value) in entries {
      word(tag, &table)
      word(value, &table)
    }
    let dynamic = writer.add(
      .init(".dynamic", type: 6, flags: 3, address: 0x4000, contents: table.bytes))
    let names = writer.add(
      .init(".dynstr", type: 3, flags: 2, address: 0x5000, contents: strings))
    writer.segments = [(1, names), (2, dynamic)]

    var array = ByteWriter()
    for value: UInt64 in [0x1020, 0x1030] { word(value, &array) }
    writer.add(.init(".init_array", type: 14, flags: 3, address: 0x3000, contents: array.bytes))
    var relative = ByteWriter()
    // A relocation of the word at 0x3000; then a bitmap for the first, the third, and the last word that it can reach
    // after that.
    word(0x3000, &relative)
    word(is64Bit ? 0x8000_0000_0000_000b : 0x8000_000b, &relative)
    writer.add(.init(".relr.dyn", type: 19, flags: 2, contents: relative.bytes))
    var slots = ByteWriter()
    for type: UInt64 in [7, 6, 99] {
      word(0x6000, &slots)
      word(type, &slots)
      if is64Bit { word(0, &slots) }
    }
    writer.add(
      .init(
        is64Bit ? ".rela.plt" : ".rel.plt", type: is64Bit ? 4 : 9, flags: 2,
        contents: slots.bytes, entrySize: is64Bit ? 24 : 8))
    return writer
  }

  private static func file(_ bytes: [UInt8]) throws -> ELFFile {
    try ELFFile(parsing: FileBytes(bytes))
  }

  @Test(arguments: [true, false]) func namesAreFoundThroughTheSegments(is64Bit: Bool) throws {
    let file = try Self.file(Self.writer(is64Bit: is64Bit).bytes())
    let table = try #require(try ELFDynamicTable(of: file))
    let needed = try table.names(.needed)
    #expect(needed.names.map { String(decoding: $0, as: UTF8.self) } == ["libz.so.1", "libc.so.6"])
    #expect(needed.unknownCount == 1, "an offset outside the table")
    #expect(try table.names(.soname).names == [Array("own.so".utf8)])
    #expect(try table.names(.runpath).names == [Array("$ORIGIN/../lib:/opt/lib".utf8)])
    #expect(table.value(.initFunction) == 0x1010)
  }

  @Test(arguments: [true, false]) func eachWordThatTheLoaderWritesIsCounted(is64Bit: Bool) throws {
    let file = try Self.file(Self.writer(is64Bit: is64Bit).bytes())
    var words: [(ELFRelocationKind, UInt64)] = []
    try file.forEachRelocatedWord { words.append(($0, $1.rawValue)) }
    let size: UInt64 = is64Bit ? 8 : 4
    let last = 0x3000 + size * (is64Bit ? 63 : 31)
    #expect(
      words.map(\.0) == [.jumpSlot, .globalData, .other, .relr, .relr, .relr, .relr])
    #expect(
      words.map(\.1)
        == [0x6000, 0x6000, 0x6000, 0x3000, 0x3000 + size, 0x3000 + 3 * size, last])
  }

  @Test func initializersAreInTheOrderOfTheCalls() throws {
    var writer = Self.writer()
    var ctors = ByteWriter()
    for value: UInt64 in [.max, 0x1040, 0x1050, 0] { ctors.write(value) }
    writer.add(.init(".ctors", flags: 3, address: 0x7000, contents: ctors.bytes))
    let found = try Self.file(writer.bytes()).initializers()
    #expect(found.map(\.kind) == [.initFunction, .ctors, .ctors, .initArray, .initArray])
    #expect(found.map { $0.address?.rawValue } == [0x1010, 0x1050, 0x1040, 0x1020, 0x1030])
  }

  @Test func relrThatNamesMoreWordsThanTheFileHasBytesIsRefused() throws {
    var writer = ELFWriter()
    var table = ByteWriter()
    for _ in 0..<4096 { table.write(UInt64.max) }
    writer.add(.init(".relr.dyn", type: 19, flags: 2, contents: table.bytes))
    let file = try Self.file(writer.bytes())
    #expect(throws: ParseError.self) { try file.forEachRelocatedWord { _, _ in } }
  }

  /// `numbers` as signed LEB128, after the letters "APS2".
  private static func packed(_ numbers: [Int]) -> [UInt8] {
    var bytes = Array("APS2".utf8)
    for number in numbers {
      var rest = number
      while !(-64..<64 ~= rest) {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(truncatingIfNeeded: rest) & 0x7f)
    }
    return bytes
  }

  private static func packedWriter(_ numbers: [Int], hasAddend: Bool = true) -> ELFWriter {
    var writer = ELFWriter()
    writer.add(
      .init(
        ".rela.dyn", type: hasAddend ? 0x6000_0002 : 0x6000_0001, flags: 2,
        contents: packed(numbers), entrySize: 1))
    return writer
  }

  private static let packedNumbers = [
    6, 0x3000,  // relocations, address
    2, 1 | 2 | 4 | 8, 8, 8, 0x1020,  // R_X86_64_RELATIVE, each 8 bytes further on, both of 0x1020
    2, 8, 16, 8, 0x10, -24, 1 | 5 << 32, -0x20,  // each with its own address, r_info and addend
    2, 1, 7 | 6 << 32, 0x100, 8,  // R_X86_64_JUMP_SLOT without addends
  ]

  @Test(arguments: [true, false]) func packedRelocationsAreUnpacked(hasAddend: Bool) throws {
    let file = try Self.file(Self.packedWriter(Self.packedNumbers, hasAddend: hasAddend).bytes())
    var found: [ELFRelocation] = []
    let everything = AddressRange(start: StatedAddress(rawValue: 0), size: .max)
    try file.forEachDynamicRelocation(in: everything) { found.append($0) }
    #expect(found.map(\.address.rawValue) == [0x3008, 0x3010, 0x3020, 0x3008, 0x3108, 0x3110])
    #expect(found.map(\.type.rawValue) == [8, 8, 8, 1, 7, 7])
    #expect(found.map(\.symbol) == [0, 0, 0, 5, 6, 6])
    let addends: [Int64?] = [0x1020, 0x1020, 0x1030, 0x1010, 0, 0]
    #expect(found.map(\.addend) == (hasAddend ? addends : addends.map { _ in nil }))
  }

  @Test(
    arguments: [
      [1 << 40, 0, 1 << 40, 3, 8, 8],  // more relocations than the file has room for
      [2, 0, 3, 3, 8, 8], [2, 0, 0, 3, 8, 8], [2, 0, -1, 3, 8, 8],  // groups of 3, 0 and -1 of two
      [2, 0, 2, 0, 8], [1],
    ]) func packedRelocationsThatNoLinkerWritesAreRefused(numbers: [Int]) throws
  {
    let file = try Self.file(Self.packedWriter(numbers).bytes())
    #expect(throws: ParseError.self) { try file.forEachRelocatedWord { _, _ in } }
  }

  @Test func withoutSectionHeadersTheDynamicSectionHasAllTables() throws {
    for is64Bit in [true, false] {
      var bytes = Self.tagged(is64Bit: is64Bit).bytes()
      // e_shoff; e_shnum and e_shstrndx.
      let fields = is64Bit ? [0x28..<0x30, 0x3c..<0x40] : [0x20..<0x24, 0x30..<0x34]
      for field in fields { for place in field { bytes[place] = 0 } }
      let file = try Self.file(bytes)
      #expect(file.sections.isEmpty)
      var words: [String] = []
      try file.forEachRelocatedWord { words.append("\($0) \(hexadecimal($1.rawValue))") }
      #expect(words == ["jumpSlot 0x6000", "relr 0x3000"])
      let found = try file.initializers()
      #expect(found.map(\.kind) == [.preinitArray, .initFunction, .initArray])
      #expect(found.map { $0.address?.rawValue } == [0x1040, 0x1010, 0x1020])
    }
  }

  /// An image in which each table is a segment of its own, to which the dynamic section refers.
  private static func tagged(is64Bit: Bool) -> ELFWriter {
    var writer = ELFWriter(is64Bit: is64Bit, machine: is64Bit ? 62 : 3)
    func words(_ values: [UInt64]) -> [UInt8] {
      var table = ByteWriter()
      for value in values { table.writeWord(value, is64Bit: is64Bit) }
      return table.bytes
    }
    let size: UInt64 = is64Bit ? 8 : 4
    let slots: [UInt64] = is64Bit ? [0x6000, 7, 0] : [0x6000, 7]
    let contents: [(address: UInt64, bytes: [UInt8])] = [
      (0x3000, words([0x1020])), (0x3100, words([0x1040])), (0x3200, words([0x3000])),
      (0x3300, words(slots)),
    ]
    let entries: [UInt64] = [
      25, 0x3000, 27, size, 32, 0x3100, 33, size,  // DT_INIT_ARRAY, DT_PREINIT_ARRAY
      36, 0x3200, 35, size,  // DT_RELR
      23, 0x3300, 2, UInt64(slots.count) * size, 20, is64Bit ? 7 : 17,  // DT_JMPREL, DT_PLTREL
      12, 0x1010, 0, 0,
    ]
    for (address, bytes) in contents {
      writer.segments.append((1, writer.add(.init("", address: address, contents: bytes))))
    }
    writer.segments.append(
      (2, writer.add(.init("", address: 0x4000, contents: words(entries)))))
    return writer
  }

  @Test(arguments: [0, 1, 2]) func damagedFilesAreRefusedOrRead(number: Int) throws {
    let good = [Self.writer(), Self.packedWriter(Self.packedNumbers), Self.tagged(is64Bit: true)][
      number
    ].bytes()
    let prefixes = hostilePrefixLengths(of: good).map { Array(good.prefix($0)) }
    var read = 0
    for bytes in prefixes + Array(byteFlips(of: good)) {
      guard let file = try? Self.file(bytes) else { continue }
      _ = try? file.interpreter()
      _ = try? file.forEachRelocatedWord { _, _ in }
      if (try? file.initializers()) != nil { read += 1 }
      guard let table = try? ELFDynamicTable(of: file) else { continue }
      for tag in [ELFDynamicTag.needed, .soname, .rpath] { _ = try? table.names(tag) }
    }
    #expect(read > 0)
  }

  @Test func manyRequestsThatShareALongNameAreRefused() throws {
    var writer = ELFWriter()
    var table = ByteWriter()
    let name = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
    for field: UInt64 in [5, 0x5000, 10, UInt64(name.count + 1)] { table.write(field) }
    for _ in 0..<10_000 { for field: UInt64 in [1, 0] { table.write(field) } }
    let dynamic = writer.add(.init(".dynamic", type: 6, contents: table.bytes))
    let names = writer.add(.init(".dynstr", type: 3, address: 0x5000, contents: name + [0]))
    writer.segments = [(1, names), (2, dynamic)]
    let found = try #require(try ELFDynamicTable(of: Self.file(writer.bytes())))
    #expect(throws: ParseError.self) { try found.names(.needed) }
  }
}

@Suite struct ELFLibraryCacheTests {
  private static func sample() throws -> [UInt8] {
    let url = projectFolder.appendingPathComponent("Fuzz/Corpus/library-cache/four")
    return [UInt8](try Data(contentsOf: url))
  }

  private static func paths(_ bytes: [UInt8], _ name: String) throws -> [String] {
    try ELFLibraryCache(parsing: FileBytes(bytes)).paths(of: Array(name.utf8))
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func pathsAreInTheOrderOfTheCacheWithoutThoseForSomeProcessors() throws {
    let found = try Self.paths(Self.sample(), "libz.so.1")
    #expect(found == ["/lib/x86_64-linux-gnu/libz.so.1", "/lib/i386-linux-gnu/libz.so.1"])
    #expect(try Self.paths(Self.sample(), "libm.so.6") == [])
  }

  @Test func aTableInTheOlderFormMayComeFirst() throws {
    let old = Array("ld.so-1.7.0\0".utf8) + [1, 0, 0, 0] + [UInt8](repeating: 0, count: 12 + 4)
    #expect(try Self.paths(old + Self.sample(), "libc.so.6") == ["/lib/x86_64-linux-gnu/libc.so.6"])
  }

  @Test func damagedCachesAreRefusedOrRead() throws {
    let good = try Self.sample()
    let prefixes = hostilePrefixLengths(of: good).map { Array(good.prefix($0)) }
    var read = 0
    for bytes in prefixes + Array(byteFlips(of: good)) {
      if (try? ELFLibraryCache(parsing: FileBytes(bytes))) != nil { read += 1 }
    }
    #expect(read > 0)
  }
}
