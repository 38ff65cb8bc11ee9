import Addresses
import ByteReading
import ObjectFormat
import TestSupport
import Testing

@Suite struct ObjCMetadataTests {
  @Test(.needs(.appleSDK), arguments: AppleFile.images)
  func classesAndCategoriesHaveTheirMethods(_ input: AppleFile) throws {
    let file = try MachOFile(parsing: FileBytes(try input.bytes()))
    let metadata = try #require(try ObjCMetadata(of: file))
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    let classes = metadata.classes.map { text($0.name) }
    #expect(classes.contains("Root") && classes.contains("Leaf"))
    let root = try #require(metadata.classes.first { text($0.name) == "Root" })
    let leaf = try #require(metadata.classes.first { text($0.name) == "Leaf" })
    #expect(leaf.superclass == .address(root.address))
    #expect(root.classMethods.map { text($0.name) }.contains("load"))
    #expect(metadata.categories.map { text($0.name) }.contains("Extra"))
    #expect(metadata.categories.allSatisfy { $0.extended == .address(root.address) })
    #expect(metadata.unknownCount == 0)
  }

  @Test(.needs(.appleSDK)) func damagedImagesAreRefusedOrRead() throws {
    let input = try #require(AppleFile.images.first { $0.name == "iOS, relative method lists" })
    let good = try input.bytes()
    var read = 0
    for bytes in byteFlips(of: good, count: 600) {
      guard let file = try? MachOFile(parsing: FileBytes(bytes)) else { continue }
      if (try? ObjCMetadata(of: file)) != nil { read += 1 }
    }
    #expect(read > 0)
  }

  /// An image with `code` that reads slots of its `__DATA` segment, at 0x1_0000_8000.
  private static func image(cpu: UInt32, _ code: [UInt8]) -> [UInt8] {
    var writer = MachOWriter()
    writer.segments = [
      .init(
        "__TEXT", address: 0x1_0000_0000, size: 0x8000, isExecutable: true, contents: code,
        sections: [
          .init("__TEXT", "__text", flags: 0x8000_0400, offset: 0, size: UInt64(code.count))
        ])
    ]
    var bytes = writer.bytes()
    for index in 0..<4 { bytes[4 + index] = UInt8(truncatingIfNeeded: cpu >> (8 * UInt32(index))) }
    return bytes
  }

  private static func slots(cpu: UInt32, _ code: [UInt8]) throws -> [UInt64] {
    let file = try MachOFile(parsing: FileBytes(image(cpu: cpu, code)))
    let range = AddressRange(start: StatedAddress(rawValue: 0x1_0000_8000), size: 0x100)
    return try file.slots(readByCodeIn: range).map(\.rawValue).sorted()
  }

  @Test func arm64LoadsAreRecognized() throws {
    let words: [UInt32] = [
      0x9000_0048,  // adrp x8, 8 pages further on
      0xf940_0509,  // ldr x9, [x8, #8]
      0x9100_4109,  // add x9, x8, #16
      0x5800_0009 | UInt32((0x8020 - 0xc) / 4) << 5,  // ldr x9, 0x8020
      0x1000_0009 | UInt32((0x8040 - 0x10) / 4) << 5,  // adr x9, 0x8040
      0xd503_201f,  // nop
    ]
    var writer = ByteWriter()
    for word in words { writer.write(word) }
    #expect(
      try Self.slots(cpu: 0x0100_000c, writer.bytes)
        == [0x1_0000_8008, 0x1_0000_8010, 0x1_0000_8020, 0x1_0000_8040])
  }

  @Test func x8664DistancesAreRecognized() throws {
    // mov rsi, [rip + 0x8018 - 7]
    let distance = UInt32(0x8018 - 7)
    let code =
      [0x48, 0x8b, 0x35] + (0..<4).map { UInt8(truncatingIfNeeded: distance >> (8 * UInt32($0))) }
    #expect(try Self.slots(cpu: 0x0100_0007, code + [0xc3]) == [0x1_0000_8018])
  }

  @Test func anotherInstructionSetIsUnknown() {
    #expect(throws: ParseError.self) { try Self.slots(cpu: 12, [0, 0, 0, 0]) }
  }
}
