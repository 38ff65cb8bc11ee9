import Addresses
import ByteReading
import ObjectFormat
import TestSupport
import Testing

/// A kind of ELF file: its class and its byte order.
struct ELFVariant: CustomTestStringConvertible, Sendable {
  var is64Bit: Bool
  var isBigEndian: Bool
  var testDescription: String {
    (is64Bit ? "64-bit" : "32-bit") + (isBigEndian ? " big-endian" : " little-endian")
  }
  static let all = [
    Self(is64Bit: true, isBigEndian: false), Self(is64Bit: true, isBigEndian: true),
    Self(is64Bit: false, isBigEndian: false), Self(is64Bit: false, isBigEndian: true),
  ]

  /// An image with one section, segment and symbol of each kind that the reader knows.
  func sample() -> ELFWriter {
    var writer = ELFWriter(is64Bit: is64Bit, isBigEndian: isBigEndian)
    writer.addText()
    writer.addSymbols([
      .init("main", value: 0x1000, size: 16), .init("helper", info: 0x02, value: 0x1010, size: 8),
    ])
    writer.addBuildID([1, 2, 3, 4, 5])
    writer.segments = [(1, 1), (4, 4)]
    return writer
  }
}

@Suite struct ELFFileTests {
  static func parse(_ writer: ELFWriter) throws -> ELFFile {
    try ELFFile(parsing: FileBytes(writer.bytes()))
  }

  @Test(arguments: ELFVariant.all)
  func tablesAreReadInBothClassesAndByteOrders(_ variant: ELFVariant) throws {
    let file = try Self.parse(variant.sample())
    #expect(file.header.is64Bit == variant.is64Bit)
    #expect(file.header.machine == .x8664)
    #expect(file.header.type.description == "ET_DYN")
    #expect(
      file.sections.map { file.bytes.text($0.name.indices) }
        == ["", ".text", ".symtab", ".strtab", ".note.gnu.build-id", ".shstrtab"])
    let text = try #require(file.section(named: ".text"))
    #expect(text.range == AddressRange(start: StatedAddress(rawValue: 0x1000), size: 0x100))
    #expect(text.flags == [.allocated, .executable])
    #expect(file.segments.map(\.type) == [.load, .note])
    #expect(file.segments[0].range == text.range)
    #expect(file.segments[0].offset == text.offset)
    #expect(file.segmentTable.byteCount == 2 * (variant.is64Bit ? 56 : 32))
    #expect(file.buildID() == [1, 2, 3, 4, 5])
  }

  @Test(arguments: ELFVariant.all)
  func symbolsAreReadInBothClassesAndByteOrders(_ variant: ELFVariant) throws {
    let file = try Self.parse(variant.sample())
    let table = try #require(try file.symbolTable())
    var symbols: [String] = []
    table.forEachSymbol { symbol in
      let name = table.names.name(at: symbol.nameOffset).map { file.bytes.text($0.indices) }
      symbols.append(
        "\(name ?? "?") \(symbol.type) \(symbol.binding) \(symbol.value) \(symbol.size)")
    }
    #expect(
      symbols == ["main STT_FUNC STB_GLOBAL 0x1000 16", "helper STT_FUNC STB_LOCAL 0x1010 8"])
    #expect(try file.dynamicSymbolTable() == nil)
  }

  @Test(arguments: ELFVariant.all)
  func numbersThatDoNotFitTheHeaderStandInSectionZero(_ variant: ELFVariant) throws {
    var writer = variant.sample()
    writer.usesExtendedNumbers = true
    let file = try Self.parse(writer)
    #expect(file.header.statedSectionCount == 0)
    #expect(file.sections.count == 6)
    #expect(file.segments.count == 2)
    #expect(file.section(named: ".shstrtab") != nil)
  }

  @Test func theBuildIDIsFoundInASegmentIfThereAreNoSections() throws {
    var bytes = ELFVariant.all[0].sample().bytes()
    bytes.replaceSubrange(40..<48, with: [UInt8](repeating: 0, count: 8))  // e_shoff
    let file = try ELFFile(parsing: FileBytes(bytes))
    #expect(file.sections.isEmpty)
    #expect(file.buildID() == [1, 2, 3, 4, 5])
  }

  /// A malformed file: how a valid 64-bit little-endian file is damaged, and the error message for it.
  struct Malformation: CustomTestStringConvertible, Sendable {
    var name: String
    var offset: Int
    var bytes: [UInt8]
    var message: String
    var testDescription: String { name }
  }

  @Test(arguments: [
    Malformation(
      name: "class 3", offset: 4, bytes: [3],
      message: "invalid EI_CLASS: expected 1 or 2, found 3 (at offset 0x4)"),
    Malformation(
      name: "byte order 0", offset: 5, bytes: [0],
      message: "invalid EI_DATA: expected 1 or 2, found 0 (at offset 0x5)"),
    Malformation(
      name: "program headers of 57 bytes", offset: 54, bytes: [57],
      message: "invalid e_phentsize: expected 56, found 57 (at offset 0x36)"),
    Malformation(
      name: "section headers of 0 bytes", offset: 58, bytes: [0],
      message: "invalid e_shentsize: expected 64, found 0 (at offset 0x3a)"),
    Malformation(
      name: "names in section 9", offset: 62, bytes: [9],
      message: "invalid e_shstrndx: expected below 6, found 9 (at offset 0x0)"),
    Malformation(
      name: "more sections than the file has room for", offset: 60, bytes: [0xff],
      message: "truncated e_shoff: expected 16320 bytes, found 384 (at offset 0x258)"),
    Malformation(
      name: "segments behind the end", offset: 32, bytes: [0, 0, 1],
      message: "truncated e_phoff: expected 112 bytes, found 0 (at offset 0x10000)"),
    Malformation(
      name: "sections at the end of the address space", offset: 40,
      bytes: [UInt8](repeating: 0xff, count: 8),
      message: "truncated e_shoff: expected 64 bytes, found 0 (at offset 0xffffffffffffffff)"),
  ])
  func aMalformedHeaderIsNamed(_ malformation: Malformation) throws {
    var bytes = ELFVariant.all[0].sample().bytes()
    bytes.replaceSubrange(
      malformation.offset..<malformation.offset + malformation.bytes.count,
      with: malformation.bytes)
    let error = #expect(throws: ParseError.self) { try ELFFile(parsing: FileBytes(bytes)) }
    #expect(error?.description == malformation.message)
  }

  @Test func aSectionCountBeyondBeliefIsTooLarge() throws {
    var writer = ELFVariant.all[0].sample()
    writer.usesExtendedNumbers = true
    var bytes = writer.bytes()
    let table = bytes.count - 6 * 64
    bytes.replaceSubrange(table + 32..<table + 40, with: [UInt8](repeating: 0xff, count: 8))
    let error = #expect(throws: ParseError.self) { try ELFFile(parsing: FileBytes(bytes)) }
    #expect(
      error?.description
        == "e_shnum too large: expected at most 1048576, found 18446744073709551615 (at offset 0x258)"
    )
  }

  @Test func aSectionNameOutsideItsTableIsInvalid() throws {
    var bytes = ELFVariant.all[0].sample().bytes()
    let table = bytes.count - 6 * 64
    bytes.replaceSubrange(table + 64..<table + 68, with: [0xff, 0xff, 0, 0])
    let error = #expect(throws: ParseError.self) { try ELFFile(parsing: FileBytes(bytes)) }
    #expect(error?.field == "sh_name")
  }

  @Test(arguments: ELFVariant.all)
  func damagedFilesNeverTrap(_ variant: ELFVariant) throws {
    var writer = variant.sample()
    writer.add(
      .init(
        ".init_array", type: 14, flags: 3, address: 0x3000, contents: [UInt8](0..<16),
        entrySize: 8))
    writer.addSymbols([.init("exported", value: 0x1000, size: 16)], isDynamic: true)
    var dynamic = ByteWriter(isBigEndian: variant.isBigEndian)
    for word: UInt64 in [14, 1, 24, 0, 0, 0] { dynamic.writeWord(word, is64Bit: variant.is64Bit) }
    writer.add(
      .init(
        ".dynamic", type: 6, flags: 3, contents: dynamic.bytes,
        link: UInt32(writer.sections.count)))
    var relocation = ByteWriter(isBigEndian: variant.isBigEndian)
    relocation.writeWord(0x3000, is64Bit: variant.is64Bit)
    relocation.writeWord(variant.is64Bit ? 1 << 32 | 1 : 1 << 8 | 1, is64Bit: variant.is64Bit)
    relocation.writeWord(0x10, is64Bit: variant.is64Bit)
    writer.add(
      .init(
        ".rela.dyn", type: 4, flags: 2, contents: relocation.bytes,
        entrySize: variant.is64Bit ? 24 : 12))
    let whole = writer.bytes()
    var parsedCount = 0
    func readAll(_ bytes: [UInt8]) {
      guard let file = try? ELFFile(parsing: FileBytes(bytes)) else { return }
      parsedCount += 1
      _ = file.buildID()
      for table in [try? file.symbolTable(), try? file.dynamicSymbolTable()] {
        table?.forEachSymbol { _ = table?.names.name(at: $0.nameOffset) }
      }
      for section in file.sections {
        _ = try? file.pointers(in: section)
        _ = try? file.decompressedContents(of: section)
      }
      _ = try? file.inputSections { _ in true }
      _ = try? file.debugLink()
      _ = try? file.soname()
      _ = try? file.frameRanges()
      _ = try? file.blockMap()
    }
    for length in hostilePrefixLengths(of: whole) { readAll(Array(whole[..<length])) }
    #expect(parsedCount == 1, "only the whole file has its section headers")
    for copy in byteFlips(of: whole) { readAll(copy) }
    #expect(parsedCount > 100, "most flips hit contents, not headers")
  }
}
