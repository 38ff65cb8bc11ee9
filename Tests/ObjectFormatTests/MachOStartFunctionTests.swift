import Addresses
import ByteReading
import ObjectFormat
import TestSupport
import Testing

@Suite struct MachOStartFunctionTests {
  /// The names of the symbols at `addresses`, in a file that is not stripped.
  static func names(_ addresses: [StatedAddress], in file: MachOFile) throws -> [String] {
    var names: [StatedAddress: String] = [:]
    let table = try #require(try file.symbolTable())
    table.forEachSymbol { symbol in
      guard symbol.isInSection, let name = table.names.name(at: symbol.nameOffset) else { return }
      names[symbol.value] = file.bytes.text(name.indices)
    }
    return addresses.map { names[$0] ?? "\($0)" }
  }

  @Test(.needs(.appleSDK, "llvm-nm-19"), arguments: AppleFile.unstrippedImages)
  func loadMethodsAreFoundASuperclassFirst(_ input: AppleFile) throws {
    let file = try MachOFile(parsing: FileBytes(try input.bytes()))
    let found = try file.loadMethods()
    #expect(
      try Self.names(found.addresses, in: file)
        == ["+[Root load]", "+[Leaf load]", "+[Root(Extra) load]"])
    #expect(
      found.functions.map { String(decoding: $0.owner ?? [], as: UTF8.self) }
        == ["Root", "Leaf", "Root(Extra)"])
    #expect(found.functions.map(\.kind) == [.classLoad, .classLoad, .categoryLoad])
    #expect(found.unknownCount == 0)
  }

  @Test(.needs(.appleSDK, "llvm-nm-19"), arguments: AppleFile.unstrippedImages)
  func initializersAreFoundInTheOrderOfTheLink(_ input: AppleFile) throws {
    let file = try MachOFile(parsing: FileBytes(try input.bytes()))
    let found = try file.initializers()
    let names = try Self.names(found.addresses, in: file)
    #expect(names == ["_first", "___GLOBAL_init_65535", "__GLOBAL__sub_I_global.cpp"])
    #expect(found.unknownCount == 0)
    let kinds = file.sections.map(\.type)
    #expect(kinds.contains(.initializerOffsets) != kinds.contains(.initializerPointers))
  }

  /// An image with two executable pages from 0x100000000 on and then data, which begins with `contents`,
  /// a section of `type`.
  static func image(type: UInt32, _ contents: [UInt8]) -> MachOWriter {
    var writer = MachOWriter()
    writer.segments = [
      .init("__TEXT", address: 0x1_0000_0000, size: 0x8000, isExecutable: true),
      .init(
        "__DATA", address: 0x1_0000_8000, size: 0x4000, contents: contents,
        sections: [.init("__DATA", "any", flags: type, offset: 0, size: UInt64(contents.count))]),
    ]
    return writer
  }

  static func bytes(_ values: some Sequence<some FixedWidthInteger & UnsignedInteger>) -> [UInt8] {
    var writer = ByteWriter()
    for value in values { writer.write(value) }
    return writer.bytes
  }

  @Test func whatLeadsNowhereIsCounted() throws {
    let pointers: [UInt64] = [0x1_0000_7fff, 0, 0x1_0000_8000, 0x1_0000_0000, .max]
    // Three additional bytes are not an element.
    let found = try MachOFile(
      parsing: FileBytes(Self.image(type: 9, Self.bytes(pointers) + [1, 0, 0]).bytes())
    ).initializers()
    #expect(found.addresses.map(\.rawValue) == [0x1_0000_7fff, 0x1_0000_0000])
    #expect(found.unknownCount == 3)

    let offsets: [UInt32] = [0x10, 0x8000, 0x7fff, .max]
    let counted = try MachOFile(
      parsing: FileBytes(Self.image(type: 0x16, Self.bytes(offsets)).bytes())
    ).initializers()
    #expect(counted.addresses.map(\.rawValue) == [0x1_0000_0010, 0x1_0000_7fff])
    #expect(counted.unknownCount == 2)
  }

  @Test func theFunctionThatTheLinkersInitNamesIsFirst() throws {
    var writer = Self.image(type: 9, Self.bytes([0x1_0000_0020 as UInt64]))
    writer.addCommand(0x1a, Self.bytes([0x1_0000_0040, 0, 0, 0, 0, 0, 0, 0] as [UInt64]))
    let found = try MachOFile(parsing: FileBytes(writer.bytes())).initializers()
    #expect(found.addresses.map(\.rawValue) == [0x1_0000_0040, 0x1_0000_0020])
  }

  @Test(
    .needs(.appleSDK, "llvm-nm-19"),
    arguments: AppleFile.unstrippedImages.filter {
      $0.name == "iOS, relative method lists" || $0.name == "iOS, rebase opcodes"
    })
  func whatTheAppStoreEncryptedIsUnknown(_ input: AppleFile) throws {
    var bytes = try input.bytes()
    let plain = try MachOFile(parsing: FileBytes(bytes))
    #expect(try plain.encryptedRange() == nil)
    let command = try #require(plain.command(.encryption))
    bytes[command.range.indices.lowerBound + 16] = 1  // cryptid
    let file = try MachOFile(parsing: FileBytes(bytes))
    let range = try #require(try file.encryptedRange())
    let text = try #require(file.section(named: "__TEXT,__text"))
    #expect(range.contains(FileOffset(rawValue: text.offset.rawValue)))
    let error = #expect(throws: ParseError.self) { try file.contents(of: text) }
    #expect(
      error?.description
        == "unsupported cryptid: found encrypted contents (at offset \(text.offset))")
    #expect(try file.functionStarts() == plain.functionStarts())
    // The selectors' names are encrypted in both files. The list of initializers is encrypted only if it consists of
    // offsets.
    #expect(try file.loadMethods().addresses.isEmpty)
    #expect(try file.loadMethods().unknownCount == 3)
    let isEncrypted = file.sections.contains { $0.type == .initializerOffsets }
    let initializers = try file.initializers()
    #expect(initializers.addresses.count == (isEncrypted ? 0 : 3))
    #expect(initializers.unknownCount == (isEncrypted ? 3 : 0))
  }
}
