import Addresses
import ByteReading
import ObjectFormat
import TestSupport
import Testing

@Suite struct ELFSymbolTableTests {
  @Test func anotherEntrySizeIsInvalid() throws {
    var writer = ELFWriter()
    writer.add(.init(".strtab", type: 3, contents: [0]))
    writer.add(
      .init(".symtab", type: 2, contents: [UInt8](repeating: 0, count: 32), link: 1, entrySize: 16))
    let file = try ELFFile(parsing: FileBytes(writer.bytes()))
    let error = #expect(throws: ParseError.self) { try file.symbolTable() }
    #expect(error?.reason == .invalid(expected: "24", found: "16"))
  }

  @Test(arguments: [0, 2, 77] as [UInt32])
  func namesMustBeInAStringTable(link: UInt32) throws {
    var writer = ELFWriter()
    writer.add(.init(".strtab", type: 3, contents: [0]))
    writer.add(
      .init(
        ".symtab", type: 2, contents: [UInt8](repeating: 0, count: 24), link: link, entrySize: 24)
    )
    let file = try ELFFile(parsing: FileBytes(writer.bytes()))
    let error = #expect(throws: ParseError.self) { try file.symbolTable() }
    #expect(error?.field == "sh_link")
  }

  @Test func aTableBehindTheEndOfTheFileIsTruncated() throws {
    var writer = ELFWriter()
    writer.add(.init(".strtab", type: 3, contents: [0]))
    writer.add(
      .init(".symtab", type: 2, contents: [], statedSize: 24 << 30, link: 1, entrySize: 24))
    let file = try ELFFile(parsing: FileBytes(writer.bytes()))
    #expect(throws: ParseError.self) { try file.symbolTable() }
  }

  @Test func wantedFunctionsHaveTheirInputSections() throws {
    var writer = ELFWriter(type: 1)
    writer.add(.init(".text.f", flags: 6, contents: [0xc3]))
    writer.add(.init(".data", flags: 3, contents: [0]))
    writer.add(.init(".text.unlikely.g", flags: 6, contents: [0xc3]))
    writer.addSymbols([
      .init("g", info: 0x12, section: 3, value: 0),
      .init("alias", info: 0x10, section: 3, value: 0),
      .init("f", info: 2, section: 1, value: 0), .init("other", info: 2, section: 1, value: 0),
      .init("datum", info: 1, section: 2, value: 0), .init("label", info: 0, section: 2, value: 0),
      .init("declared", info: 0x10, section: 0, value: 0),
    ])
    let wanted = ["g", "alias", "f", "datum", "label", "declared"].map { NameKey(Array($0.utf8)) }
    let sections = try ELFFile(parsing: FileBytes(writer.bytes())).inputSections {
      wanted.contains($0)
    }
    #expect(
      sections == [
        InputSection(name: Array(".text.f".utf8), size: 1, symbols: [Array("f".utf8)]),
        InputSection(
          name: Array(".text.unlikely.g".utf8), size: 1,
          symbols: [Array("g".utf8), Array("alias".utf8)]),
      ])
  }

  @Test func aNameWithoutItsZeroIsNone() throws {
    var writer = ELFWriter()
    writer.add(.init(".strtab", type: 3, contents: Array("\0good\0bad".utf8)))
    writer.add(
      .init(".symtab", type: 2, contents: [UInt8](repeating: 0, count: 24), link: 1, entrySize: 24))
    let names = try #require(
      try ELFFile(parsing: FileBytes(writer.bytes())).symbolTable()
    ).names
    #expect(names.name(at: 1).map { names.bytes.text($0.indices) } == "good")
    #expect(names.name(at: 3).map { names.bytes.text($0.indices) } == "od")
    #expect(names.name(at: 6) == nil)
    #expect(names.name(at: 9) == nil)
    #expect(names.name(at: .max) == nil)
  }
}
