import Addresses
import ByteReading
import ImageModel
import Symbolication
import TestSupport
import Testing

/// Functions at 0x1000, 0x1010, ..., of which each is referred to in another way.
@Suite struct UnreferencedFunctionsTests {
  /// Bytes at an address, in sections with the given flags.
  static func image(
    _ text: [UInt64: [UInt8]], type: UInt16 = 3, machine: UInt16 = 62, count: Int = 8,
    sections: [(name: String, type: UInt32, contents: [UInt8])] = []
  ) -> [UInt8] {
    var elf = ELFWriter(type: type, machine: machine)
    var contents = [UInt8](repeating: 0x90, count: 16 * count)
    for (address, bytes) in text {
      contents.replaceSubrange(
        Int(address - 0x1000)..<Int(address - 0x1000) + bytes.count, with: bytes)
    }
    elf.add(.init(".text", flags: 6, address: 0x1000, contents: contents))
    elf.addSymbols(
      (0..<count).map { .init("f\($0)", value: 0x1000 + 16 * UInt64($0), size: 16) })
    for (index, section) in sections.enumerated() {
      elf.add(
        .init(
          section.name, type: section.type, flags: 2, address: 0x8000 + 0x100 * UInt64(index),
          contents: section.contents))
    }
    elf.addBuildID([1])
    return elf.bytes()
  }

  static func unreferenced(_ bytes: [UInt8]) throws -> [String] {
    let bytes = FileBytes(bytes)
    let (image, _) = try Image.reading(bytes, path: "app") { _ throws(SystemError) in
      throw SystemError("open", errno: 2)
    }
    let found = try #require(ImageCode(of: bytes)).unreferencedFunctions(of: image.layout)
    return image.layout.functions.filter { found.contains($0.address) }
      .map { "\(image.layout.name(of: $0))" }
  }

  @Test func eachWayToReferToAFunctionIsFound() throws {
    func found(type: UInt16) throws -> [String] {
      try Self.unreferenced(
        Self.image(
          [
            0x1000: [0xe8, 0x0b, 0, 0, 0],  // call 0x1010
            0x1008: [0xeb, 0x16],  // jmp 0x1020
            0x1030: [0xbf, 0x40, 0x10, 0, 0],  // mov $0x1040, %edi
          ], type: type,
          sections: [
            (".data", 1, [0x30, 0x10, 0, 0, 0, 0, 0, 0]),
            // A reference to 0x1050, relative to its own address, 0x8100, and with a flag.
            (".rodata", 1, [0x51, 0x8f, 0xff, 0xff]),
            (".eh_frame", 1, [0x60, 0x8e, 0xff, 0xff]),
          ]))
    }
    // Nothing refers to the first function. One of the last two functions is only in unwind tables.
    #expect(try found(type: 2) == ["f0", "f6", "f7"])
    #expect(try found(type: 3) == ["f0", "f4", "f6", "f7"], "32 bits are no address there")
  }

  @Test func aarch64RefersByWordsAndPages() throws {
    func words(_ words: UInt32...) -> [UInt8] {
      words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    }
    let text: [UInt64: [UInt8]] = [
      0x1000: words(0x9400_0004, 0x5400_00e0, 0xb400_0140, 0x3600_01a0),  // bl, b.eq, cbz, tbz
      0x1010: words(0x1000_0200),  // adr 0x1050
    ]
    let image = Self.image(text, machine: 183)
    #expect(try Self.unreferenced(image) == ["f0", "f6", "f7"])
    // If an ADRP names a page of code, any function on the page may be referred to.
    let page = Self.image(text.merging([0x1020: words(0x9000_0000)]) { $1 }, machine: 183)
    #expect(try Self.unreferenced(page) == [])
  }

  @Test func whereReferencesCannotBeSeenNothingIsUnreferenced() throws {
    let call: [UInt64: [UInt8]] = [0x1000: [0xe8, 0x0b, 0, 0, 0]]
    #expect(try Self.unreferenced(Self.image(call, count: 3)) == ["f0", "f2"])
    #expect(try Self.unreferenced(Self.image(call, count: 5)) == [], "nearly all of them")
    #expect(try Self.unreferenced(Self.image(call, machine: 3, count: 3)) == [], "i386")
    let packed = Self.image(call, count: 3, sections: [(".rela.dyn", 0x6000_0002, [1])])
    #expect(try Self.unreferenced(packed) == [], "packed relocations")
  }

  @Test func damagedImagesNeverTrapHostile() {
    let bytes = Self.image(
      [0x1000: [0xe8, 0x0b, 0, 0, 0]], sections: [(".data", 1, [0x30, 0x10, 0, 0])])
    for copy in byteFlips(of: bytes) { _ = try? Self.unreferenced(copy) }
    for length in hostilePrefixLengths(of: bytes) {
      _ = try? Self.unreferenced(Array(bytes[..<length]))
    }
  }
}
