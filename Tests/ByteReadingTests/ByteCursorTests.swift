import Addresses
import ByteReading
import Testing

@Suite struct ByteCursorTests {
  @Test func readsIntegersInBothByteOrders() throws {
    let bytes = FileBytes([1, 2, 3, 4, 5, 6, 7, 8])
    var little = ByteCursor(bytes)
    #expect(try little.read(UInt16.self, "a") == 0x0201)
    #expect(try little.read(UInt32.self, "b") == 0x0605_0403)
    #expect(little.remaining == 2)
    var big = ByteCursor(bytes, endianness: .big)
    #expect(try big.read(UInt64.self, "c") == 0x0102_0304_0506_0708)
    #expect(big.isAtEnd)
  }

  @Test func aShortReadThrowsAndDoesNotMove() {
    var cursor = ByteCursor(FileBytes([1, 2, 3]))
    let expected = ParseError(
      .truncated(needed: 4, found: 3), "e_phoff", at: FileOffset(rawValue: 0))
    #expect(throws: expected) { try cursor.read(UInt32.self, "e_phoff") }
    #expect(cursor.position == FileOffset(rawValue: 0))
    #expect(
      expected.description == "truncated e_phoff: expected 4 bytes, found 3 (at offset 0x0)")
  }

  @Test func aZeroTerminatedNameEndsBeforeItsZero() throws {
    let bytes = FileBytes(Array("name\0rest".utf8))
    var cursor = ByteCursor(bytes)
    #expect(bytes.text(try cursor.readZeroTerminated("name").indices) == "name")
    #expect(throws: ParseError.self) { try cursor.readZeroTerminated("rest") }
    #expect(cursor.remaining == 4)
  }

  @Test(arguments: [(0, 9), (8, 1), (9, 0), (.max, 2), (2, .max)] as [(UInt64, UInt64)])
  func aRangeOutsideTheFileIsTruncated(offset: UInt64, size: UInt64) {
    let bytes = FileBytes([UInt8](repeating: 0, count: 8))
    #expect(throws: ParseError.self) {
      try bytes.range(offset: FileOffset(rawValue: offset), size: size, "sh_offset")
    }
  }

  @Test func alignmentCountsFromWhereAStructureBegins() throws {
    var cursor = ByteCursor(FileBytes([1, 2, 3, 4, 5, 6, 7, 8]))
    _ = try cursor.read(UInt16.self, "n_type")
    let start = cursor.position
    _ = try cursor.read(UInt8.self, "n_name")
    try cursor.align(to: 4, from: start, "n_name")
    #expect(cursor.position.rawValue == 6)
    try cursor.align(to: 4, from: start, "n_name")
    #expect(cursor.position.rawValue == 6)
  }

  @Test func alignmentNeverLeavesTheRange() throws {
    var cursor = ByteCursor(FileBytes([1, 2, 3]))
    _ = try cursor.read(UInt8.self, "n_type")
    try cursor.align(to: 4, from: FileOffset(rawValue: 0), "n_desc")
    #expect(cursor.isAtEnd)
  }

  @Test(
    arguments: [
      ([0x02], 2), ([0x7e], -2), ([0xff, 0x00], 127), ([0x81, 0x7f], -127), ([0x80, 0x01], 128),
      ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f], .min),
      ([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00], .max),
    ] as [([UInt8], Int64)]) func signedNumbersEndWithTheirSign(bytes: [UInt8], value: Int64) throws
  {
    var cursor = ByteCursor(FileBytes(bytes))
    #expect(try cursor.readSLEB128("number") == value)
    #expect(cursor.isAtEnd)
  }

  @Test(
    arguments: [
      [0x80], [], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
      [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
    ] as [[UInt8]]) func signedNumbersOfMoreThan64BitsAreRefused(bytes: [UInt8])
  {
    var cursor = ByteCursor(FileBytes(bytes))
    #expect(throws: ParseError.self) { try cursor.readSLEB128("number") }
    #expect(cursor.position.rawValue == 0)
  }
}
