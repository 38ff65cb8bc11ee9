import ByteReading
import ObjectFormat
import TestSupport
import Testing

@Suite struct ELFNoteTests {
  static func note(_ owner: String, _ type: UInt32, _ descriptor: [UInt8]) -> [UInt8] {
    var note = ByteWriter()
    note.write(UInt32(owner.utf8.count + 1))
    note.write(UInt32(descriptor.count))
    note.write(type)
    note.writeZeroTerminated(owner)
    note.align(to: 4)
    note.write(descriptor)
    note.align(to: 4)
    return note.bytes
  }

  static func file(_ contents: [UInt8]) throws -> ELFFile {
    var writer = ELFWriter()
    writer.add(.init(".note", type: 7, flags: 2, contents: contents))
    return try ELFFile(parsing: FileBytes(writer.bytes()))
  }

  @Test func theBuildIDIsTheOneOfGNU() throws {
    let file = try Self.file(
      Self.note("Go", 3, [9, 9]) + Self.note("GNU", 1, [8]) + Self.note("stapsdt", 3, [7])
        + Self.note("GNU", 3, [1, 2, 3]) + Self.note("GNU", 3, [4]))
    #expect(try file.notes().count == 5)
    #expect(try file.buildID() == [1, 2, 3])
  }

  @Test func anImageMayHaveNone() throws {
    #expect(try Self.file([]).buildID() == nil)
    #expect(try Self.file(Self.note("GNU", 1, [8])).buildID() == nil)
  }

  @Test(arguments: [4, 11, 15, 16, 17])
  func aCutNoteIsTruncated(length: Int) throws {
    let file = try Self.file(Array(Self.note("GNU", 3, [1, 2, 3]).prefix(length)))
    #expect(throws: ParseError.self) { try file.notes() }
  }

  @Test func aNameBeyondTheSectionIsTruncated() throws {
    var note = ByteWriter()
    for value in [UInt32.max, .max, 3] { note.write(value) }
    let file = try Self.file(note.bytes)
    #expect(throws: ParseError.self) { try file.notes() }
  }
}
