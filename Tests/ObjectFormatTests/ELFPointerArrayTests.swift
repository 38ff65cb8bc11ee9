import Addresses
import ByteReading
import ObjectFormat
import TestSupport
import Testing

@Suite struct ELFPointerArrayTests {
  /// An image with an `.init_array` at 0x3000 and one table of relocations.
  static func pointers(
    is64Bit: Bool = true, isBigEndian: Bool = false, machine: UInt16 = 62, stored: [UInt64],
    relocations: [(address: UInt64, symbol: UInt64, type: UInt64, addend: UInt64?)] = [],
    relocationFlags: UInt64 = 2
  ) throws -> [StatedAddress?] {
    var writer = ELFWriter(is64Bit: is64Bit, isBigEndian: isBigEndian, machine: machine)
    writer.addText()
    writer.addSymbols(
      [
        .init("here", value: 0x1040, size: 4),
        .init("elsewhere", section: 0, value: 0),
      ], isDynamic: true)
    var array = ByteWriter(isBigEndian: isBigEndian)
    for value in stored { array.writeWord(value, is64Bit: is64Bit) }
    writer.add(
      .init(".init_array", type: 14, flags: 3, address: 0x3000, contents: array.bytes))
    if let hasAddend = relocations.first.map({ $0.addend != nil }) {
      var table = ByteWriter(isBigEndian: isBigEndian)
      for relocation in relocations {
        table.writeWord(relocation.address, is64Bit: is64Bit)
        table.writeWord(
          relocation.symbol << (is64Bit ? 32 : 8) | relocation.type, is64Bit: is64Bit)
        if let addend = relocation.addend { table.writeWord(addend, is64Bit: is64Bit) }
      }
      writer.add(
        .init(
          hasAddend ? ".rela.dyn" : ".rel.dyn", type: hasAddend ? 4 : 9, flags: relocationFlags,
          contents: table.bytes, entrySize: (is64Bit ? 8 : 4) * (hasAddend ? 3 : 2)))
    }
    let file = try ELFFile(parsing: FileBytes(writer.bytes()))
    return try file.pointers(in: try #require(file.section(.initArray)))
  }

  static func addresses(_ values: UInt64?...) -> [StatedAddress?] {
    values.map { $0.map(StatedAddress.init(rawValue:)) }
  }

  @Test func atAFixedAddressTheFileHoldsThePointers() throws {
    #expect(
      try Self.pointers(stored: [0x1010, 0x1000]) == Self.addresses(0x1010, 0x1000))
  }

  @Test func zerosAndAllOnesOfOldToolChainsAreLeftOut() throws {
    #expect(try Self.pointers(stored: [.max, 0x1010, 0]) == Self.addresses(0x1010))
    #expect(
      try Self.pointers(is64Bit: false, machine: 3, stored: [0xffff_ffff, 0x1010, 0])
        == Self.addresses(0x1010))
  }

  @Test(arguments: [(62, 8), (183, 1027)] as [(UInt16, UInt64)])
  func aRelativeRelocationsAddendBeatsWhatIsStored(machine: UInt16, type: UInt64) throws {
    let found = try Self.pointers(
      machine: machine, stored: [0, 0x9999],
      relocations: [(0x3008, 0, type, 0x1020), (0x3000, 0, type, 0x1030)])
    #expect(found == Self.addresses(0x1030, 0x1020))
  }

  @Test(arguments: [(62, 1), (183, 257)] as [(UInt16, UInt64)])
  func anAbsoluteRelocationAddsToItsSymbol(machine: UInt16, type: UInt64) throws {
    let found = try Self.pointers(
      machine: machine, stored: [0, 0, 0, 0x1010],
      relocations: [
        (0x3000, 1, type, 0), (0x3008, 1, type, UInt64(bitPattern: -0x20)), (0x3010, 2, type, 0),
      ])
    #expect(found == Self.addresses(0x1040, 0x1020, nil, 0x1010), "symbol 2 is another image's")
  }

  @Test func withoutAnAddendTheStoredValueIsIt() throws {
    let found = try Self.pointers(
      is64Bit: false, machine: 3, stored: [0x1010, 0x4],
      relocations: [(0x3000, 0, 8, nil), (0x3004, 1, 1, nil)])
    #expect(found == Self.addresses(0x1010, 0x1044))
  }

  @Test func otherByteOrdersAreRelocatedToo() throws {
    let found = try Self.pointers(
      isBigEndian: true, machine: 183, stored: [0], relocations: [(0x3000, 0, 1027, 0x1020)])
    #expect(found == Self.addresses(0x1020))
  }

  @Test func aRelocationThatNobodyKnowsLeavesTheElementOpen() throws {
    #expect(
      try Self.pointers(stored: [0x1010], relocations: [(0x3000, 0, 99, 0)])
        == Self.addresses(nil))
    #expect(
      try Self.pointers(stored: [0x1010], relocations: [(0x3000, 4_000_000, 1, 0)])
        == Self.addresses(nil))
  }

  @Test func relocationsElsewhereAndThoseOfTheLinkerAreNotLookedAt() throws {
    #expect(
      try Self.pointers(
        stored: [0x1010],
        relocations: [(0x2ff8, 0, 8, 1), (0x3008, 0, 8, 2), (0x3004, 0, 8, 3), (.max, 0, 8, 4)])
        == Self.addresses(0x1010))
    #expect(
      try Self.pointers(stored: [0x1010], relocations: [(0x3000, 0, 8, 1)], relocationFlags: 0)
        == Self.addresses(0x1010), "--emit-relocs leaves tables that the loader does not see")
  }
}
