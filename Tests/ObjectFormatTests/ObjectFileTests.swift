import ByteReading
import ObjectFormat
import Testing

@Suite struct ObjectFileTests {
  @Test(
    arguments: [
      (
        Array("!<arch>\nx".utf8), "truncated ar_name: expected 16 bytes, found 1 (at offset 0x8)"
      ),
      (
        Array("!<thin>\nx".utf8), "unsupported file: found a thin archive (at offset 0x0)"
      ),
      (
        Array("!<oops>\n".utf8),
        "invalid file: expected an ELF file, a Mach-O file or an archive, found text (at offset 0x0)"
      ),
      (
        [0xcf, 0xfa, 0xed, 0xfe, 0],
        "truncated cputype: expected 4 bytes, found 1 (at offset 0x4)"
      ),
      (
        [0xce, 0xfa, 0xed, 0xfe],
        "unsupported file: found a 32-bit Mach-O file (at offset 0x0)"
      ),
      (
        [0xfe, 0xed, 0xfa, 0xce],
        "unsupported file: found a big-endian Mach-O file (at offset 0x0)"
      ),
      (
        [0xfe, 0xed, 0xfa, 0xcf],
        "unsupported file: found a big-endian Mach-O file (at offset 0x0)"
      ),
      (
        [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 0x34],
        "invalid nfat_arch: expected 1 to 42, found 52, as in a Java class (at offset 0x4)"
      ),
      (
        [0xca, 0xfe, 0xba, 0xbf, 0, 0, 0, 0],
        "invalid nfat_arch: expected 1 to 42, found 0 (at offset 0x4)"
      ),
      (
        Array("#!/bin/sh".utf8),
        "invalid file: expected an ELF file, a Mach-O file or an archive, found text (at offset 0x0)"
      ),
      (
        [0x7f, 0x45, 0x4c],
        "invalid file: expected an ELF file, a Mach-O file or an archive, found 7f 45 4c (at offset 0x0)"
      ),
      (
        [],
        "invalid file: expected an ELF file, a Mach-O file or an archive, found an empty file (at offset 0x0)"
      ),
      ([0x7f, 0x45, 0x4c, 0x46], "truncated EI_CLASS: expected 1 byte, found 0 (at offset 0x4)"),
    ] as [([UInt8], String)])
  func theMagicNamesTheFormat(bytes: [UInt8], message: String) {
    let error = #expect(throws: ParseError.self) { try ObjectFile(parsing: FileBytes(bytes)) }
    #expect(error?.description == message)
  }
}
