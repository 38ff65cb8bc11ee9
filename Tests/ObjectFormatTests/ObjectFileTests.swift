import ByteReading
import ObjectFormat
import Testing

@Suite struct ObjectFileTests {
  @Test(
    arguments: [
      (
        Array("!<arch>\nx".utf8),
        "unsupported magic: found an archive of object files (at offset 0x0)"
      ),
      (
        Array("!<thin>\nx".utf8),
        "unsupported magic: found an archive of object files (at offset 0x0)"
      ),
      ([0xcf, 0xfa, 0xed, 0xfe, 0], "unsupported magic: found a Mach-O file (at offset 0x0)"),
      ([0xfe, 0xed, 0xfa, 0xce], "unsupported magic: found a Mach-O file (at offset 0x0)"),
      (
        [0xca, 0xfe, 0xba, 0xbe], "unsupported magic: found a universal Mach-O file (at offset 0x0)"
      ),
      (
        [0xca, 0xfe, 0xba, 0xbf], "unsupported magic: found a universal Mach-O file (at offset 0x0)"
      ),
      (
        Array("#!/bin/sh".utf8),
        "invalid magic: expected an ELF file, found 23 21 2f 62 (at offset 0x0)"
      ),
      ([0x7f, 0x45, 0x4c], "truncated magic: expected 4 bytes, found 3 (at offset 0x0)"),
      ([], "truncated magic: expected 4 bytes, found 0 (at offset 0x0)"),
      ([0x7f, 0x45, 0x4c, 0x46], "truncated EI_CLASS: expected 1 bytes, found 0 (at offset 0x4)"),
    ] as [([UInt8], String)])
  func theMagicNamesTheFormat(bytes: [UInt8], message: String) {
    let error = #expect(throws: ParseError.self) { try ObjectFile(parsing: FileBytes(bytes)) }
    #expect(error?.description == message)
  }
}
