import Addresses
import ByteReading
import ObjectFormat
import TestSupport
import Testing

@Suite struct ELFDebugLinkTests {
  static func link(_ contents: [UInt8]) throws -> ELFDebugLink? {
    var writer = ELFWriter()
    writer.add(.init(".gnu_debuglink", contents: contents))
    return try ELFFile(parsing: FileBytes(writer.bytes())).debugLink()
  }

  @Test(arguments: ["abc", "abcd", "abcde", "abcdef"])
  func theChecksumStandsBehindThePaddedName(name: String) throws {
    var contents = ByteWriter()
    contents.writeZeroTerminated(name)
    contents.align(to: 4)
    contents.write(UInt32(0x1234_5678))
    let link = try #require(try Self.link(contents.bytes))
    #expect(link.name == name)
    #expect(link.checksum == 0x1234_5678)
  }

  @Test(arguments: [
    ("", "truncated debuglink name: expected 1 byte, found 0"),
    ("\0\0\0\0abcd", "invalid debuglink name: expected a file name, found ''"),
    ("../x\0\0\0\0abcd", "invalid debuglink name: expected a file name, found '../x'"),
    ("name", "truncated debuglink name: expected 5 bytes, found 4"),
    ("name\0", "truncated debuglink padding: expected 3 bytes, found 0"),
    ("nam\0abc", "truncated debuglink CRC: expected 4 bytes, found 3"),
  ])
  func damageIsNamed(contents: String, message: String) throws {
    let error = #expect(throws: ParseError.self) { try Self.link(Array(contents.utf8)) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  @Test func theChecksumIsThatOfGzip() {
    // The check value of CRC-32/ISO-HDLC.
    #expect(ELFDebugLink.checksum(of: FileBytes(Array("123456789".utf8))) == 0xcbf4_3926)
    #expect(ELFDebugLink.checksum(of: FileBytes([])) == 0)
  }
}
