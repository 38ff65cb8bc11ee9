import Addresses
import ByteReading
import ObjectFormat
import TestSupport
import Testing

@Suite struct ELFCompressionTests {
  /// 100 letters `a`, compressed by zlib's `compress`.
  static let zlib: [UInt8] = [
    0x78, 0x9c, 0x4b, 0x4c, 0xa4, 0x3d, 0x00, 0x00, 0x7a, 0x47, 0x25, 0xe5,
  ]
  /// 100 letters `a`, compressed by `zstd`.
  static let zstd: [UInt8] = [
    0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x45, 0x00, 0x00, 0x10, 0x61, 0x61, 0x01, 0x00, 0x3f, 0x01,
    0x2c, 0xb3, 0xcf, 0xde, 0xb1,
  ]

  static func file(
    type: UInt32, size: UInt64, packed: [UInt8], is64Bit: Bool = true, isBigEndian: Bool = false,
    flags: UInt64 = 0x800
  ) throws -> ELFFile {
    var contents = ByteWriter(isBigEndian: isBigEndian)
    contents.write(type)
    if is64Bit { contents.write(UInt32(0)) }
    contents.writeWord(size, is64Bit: is64Bit)
    contents.writeWord(1, is64Bit: is64Bit)
    contents.write(packed)
    var writer = ELFWriter(is64Bit: is64Bit, isBigEndian: isBigEndian)
    writer.add(.init(".debug_info", flags: flags, contents: contents.bytes))
    return try ELFFile(parsing: FileBytes(writer.bytes()))
  }

  static func unpack(_ file: ELFFile) throws -> [UInt8]? {
    try file.decompressedContents(of: file.sections[1]).map { $0.copy($0.all.indices) }
  }

  @Test(arguments: ELFVariant.all, [(1, zlib), (2, zstd)] as [(UInt32, [UInt8])])
  func bothMethodsAreUnpacked(_ variant: ELFVariant, method: (type: UInt32, packed: [UInt8])) throws
  {
    let file = try Self.file(
      type: method.type, size: 100, packed: method.packed, is64Bit: variant.is64Bit,
      isBigEndian: variant.isBigEndian)
    #expect(try Self.unpack(file) == [UInt8](repeating: UInt8(ascii: "a"), count: 100))
  }

  @Test func aSectionThatIsNotPackedHasNoUnpackedCopy() throws {
    #expect(try Self.unpack(Self.file(type: 1, size: 100, packed: Self.zlib, flags: 0)) == nil)
  }

  @Test(
    arguments: [
      (1, 99, zlib, "invalid compressed section: expected 99 bytes of ELFCOMPRESS_ZLIB"),
      (1, 101, zlib, "invalid compressed section: expected 101 bytes of ELFCOMPRESS_ZLIB"),
      (2, 101, zstd, "invalid compressed section: expected 101 bytes of ELFCOMPRESS_ZSTD"),
      (1, 100, zstd, "invalid compressed section: expected 100 bytes of ELFCOMPRESS_ZLIB"),
      (1, 100, [], "invalid compressed section: expected 100 bytes of ELFCOMPRESS_ZLIB"),
      (3, 100, zlib, "unsupported ch_type: found ELFCOMPRESS_3"),
      (1, 1 << 30, zlib, "invalid ch_size: expected at most 1032 times the 12 compressed bytes"),
      (2, 1 << 30, zstd, "invalid ch_size: expected at most 32768 times the 21 compressed bytes"),
      (1, .max, zlib, "ch_size too large: expected at most 2147483648"),
    ] as [(UInt32, UInt64, [UInt8], String)])
  func damageIsNamed(type: UInt32, size: UInt64, packed: [UInt8], message: String) throws {
    let file = try Self.file(type: type, size: size, packed: packed)
    let error = #expect(throws: ParseError.self) { try Self.unpack(file) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }
}
