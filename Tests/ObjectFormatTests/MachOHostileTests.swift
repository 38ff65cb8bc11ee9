import Addresses
import ByteReading
import ObjectFormat
import TestSupport
import Testing

@Suite struct MachOHostileTests {
  /// An image of three segments, whose load commands begin behind the header at offset 32.
  static func sample() -> MachOWriter {
    var writer = MachOWriter()
    writer.segments = [
      .init("__TEXT", address: 0x1_0000_0000, size: 0x4000, isExecutable: true),
      .init(
        "__DATA", address: 0x1_0000_4000, size: 0x4000, contents: [1, 2, 3, 4],
        sections: [.init("__DATA", "__data", offset: 0, size: 4)]),
    ]
    writer.addCommand(0x1b, Array(1...16))  // LC_UUID
    return writer
  }

  struct Malformation: CustomTestStringConvertible, Sendable {
    var name: String
    var offset: Int
    var value: UInt32
    var message: String
    var testDescription: String { name }
  }

  @Test(arguments: [
    Malformation(
      name: "another magic", offset: 0, value: 0xfeed_0000,
      message: "invalid magic: expected 0xfeedfacf, found 0xfeed0000 (at offset 0x0)"),
    Malformation(
      name: "commands behind the end", offset: 20, value: 1000,
      message: "truncated sizeofcmds: expected 1000 bytes, found 252 (at offset 0x20)"),
    Malformation(
      name: "more commands than there is room for", offset: 16, value: 4,
      message: "truncated cmd: expected 4 bytes, found 0 (at offset 0x118)"),
    Malformation(
      name: "a command of 7 bytes", offset: 36, value: 7,
      message: "invalid cmdsize: expected at least 8, found 7 (at offset 0x20)"),
    Malformation(
      name: "a command that passes the end", offset: 36, value: 0xffff_fff8,
      message: "truncated cmdsize: expected 4294967280 bytes, found 240 (at offset 0x28)"),
    Malformation(
      name: "a segment command without room for a segment", offset: 36, value: 71,
      message: "truncated flags: expected 4 bytes, found 3 (at offset 0x64)"),
    Malformation(
      name: "more sections than the command has room for", offset: 32 + 64, value: 1,
      message: "truncated sectname: expected 16 bytes, found 0 (at offset 0x68)"),
  ])
  func aMalformedHeaderIsNamed(_ malformation: Malformation) throws {
    var writer = ByteWriter()
    writer.write(Self.sample().bytes())
    writer.overwrite(at: malformation.offset, with: malformation.value)
    let error = #expect(throws: ParseError.self) {
      try MachOFile(parsing: FileBytes(writer.bytes))
    }
    #expect(error?.description == malformation.message)
  }

  @Test func whatPassesTheEndOfTheFileIsTruncated() throws {
    var writer = Self.sample()
    // symoff, nsyms, stroff, strsize
    writer.addCommand(2, MachOStartFunctionTests.bytes([0, .max, 0, 0] as [UInt32]))
    writer.segments[1].sections[0].size = 1 << 40
    let file = try MachOFile(parsing: FileBytes(writer.bytes()))
    let symbols = #expect(throws: ParseError.self) { try file.symbolTable() }
    #expect(
      symbols?.description
        == "truncated nsyms: expected 68719476720 bytes, found 308 (at offset 0x0)")
    let section = #expect(throws: ParseError.self) { try file.contents(of: file.sections[0]) }
    #expect(
      section?.description
        == "truncated section_64.size: expected 1099511627776 bytes, found 4 (at offset 0x130)"
    )

    writer = Self.sample()
    writer.addCommand(2, MachOStartFunctionTests.bytes([0, 1, 300, 9] as [UInt32]))
    let short = try MachOFile(parsing: FileBytes(writer.bytes()))
    let names = #expect(throws: ParseError.self) { try short.symbolTable() }
    #expect(
      names?.description == "truncated strsize: expected 9 bytes, found 8 (at offset 0x12c)")
  }

  @Test(
    arguments: [
      ([0x10, 0x80, 0x01, 0x04, 0, 0x7f], [0x10, 0x90, 0x94], nil),
      ([], [], nil), ([0], [], nil), ([0x10], [0x10], nil),
      (
        [0x10, 0x80], nil,
        "truncated LC_FUNCTION_STARTS: expected 2 bytes, found 1 (at offset 0x12c)"
      ),
      (
        [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02], nil,
        "invalid LC_FUNCTION_STARTS: expected a number of 64 bits, found a longer one (at offset 0x12b)"
      ),
      (
        [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], nil,
        "invalid LC_FUNCTION_STARTS: expected below 2^64 - 0x100000000, found 0xffffffffffffffff (at offset 0x12b)"
      ),
    ] as [([UInt8], [UInt64]?, String?)])
  func functionStartsAreSums(list: [UInt8], distances: [UInt64]?, message: String?) throws {
    var writer = Self.sample()
    writer.segments[1].contents = [1, 2, 3]
    writer.addLinkEdit(0x26, list)
    let file = try MachOFile(parsing: FileBytes(writer.bytes()))
    if let distances {
      #expect(
        try file.functionStarts()?.map(\.rawValue) == distances.map { $0 + 0x1_0000_0000 })
    } else {
      let error = #expect(throws: ParseError.self) { try file.functionStarts() }
      #expect(error?.description == message)
    }
  }

  /// Reads all there is. Whether it is right is for other tests.
  static func readAll(_ bytes: [UInt8]) -> MachOFile? {
    guard let file = try? MachOFile(parsing: FileBytes(bytes)) else { return nil }
    _ = try? file.uuid()
    _ = try? file.platform()
    let table = try? file.symbolTable()
    table?.forEachSymbol { _ = table?.names.name(at: $0.nameOffset) }
    _ = try? file.functionStarts()
    for section in file.sections { _ = try? file.contents(of: section) }
    _ = try? file.initializers()
    _ = try? file.loadMethods()
    return file
  }

  @Test(
    .needs(.appleSDK, "llvm-nm-19"),
    arguments: AppleFile.all.filter {
      ["iOS, relative method lists", "iOS, rebase opcodes", "object"].contains($0.name)
    })
  func damagedFilesNeverTrap(_ input: AppleFile) throws {
    let whole = try input.bytes()
    let file = try #require(Self.readAll(whole))
    let boundaries =
      file.segments.flatMap { [$0.offset.rawValue, $0.offset.rawValue + $0.fileSize] }
      + file.sections.map(\.offset.rawValue)
    var readCount = 0
    for length in hostilePrefixLengths(of: whole, boundaries: boundaries.map { Int($0) }) {
      if Self.readAll(Array(whole[..<length])) != nil { readCount += 1 }
    }
    #expect(readCount > 500, "a cut behind the load commands leaves what can be read")

    // The parts of the file in which a changed byte matters: the load commands, the pointers and the symbols.
    let commandsEnd = 32 + Int(file.header.commandsSize)
    let data = file.segments.first { !$0.name.elementsEqual("__TEXT".utf8) && $0.fileSize > 0 }
    let dataStart = max(commandsEnd, Int(data?.offset.rawValue ?? 0))
    readCount = 0
    for region in [0..<commandsEnd, dataStart..<whole.count] {
      for flipped in byteFlips(of: Array(whole[region])) {
        let copy = whole[..<region.lowerBound] + flipped + whole[region.upperBound...]
        if Self.readAll(Array(copy)) != nil { readCount += 1 }
      }
    }
    #expect(readCount > 1200, "most flips leave what can be read")
  }
}
