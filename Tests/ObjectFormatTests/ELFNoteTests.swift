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
    #expect(file.notes().notes.count == 5)
    #expect(file.buildID() == [1, 2, 3])
  }

  @Test func anImageMayHaveNone() throws {
    #expect(try Self.file([]).buildID() == nil)
    #expect(try Self.file(Self.note("GNU", 1, [8])).buildID() == nil)
  }

  /// llvm-bolt writes a section of notes wherever the last one ended.
  @Test func sectionsNeedNotBeAlignedInTheFile() throws {
    let notes = Self.note("GNU", 1, [8]) + Self.note("Go", 4, [7]) + Self.note("GNU", 3, [1, 2, 3])
    for padding in 0..<8 {
      var writer = ELFWriter()
      writer.add(.init(".before", type: 1, contents: [UInt8](repeating: 9, count: padding)))
      var section = ELFWriter.Section(".note", type: 7, flags: 2, contents: notes)
      section.alignment = 1
      writer.add(section)
      let file = try ELFFile(parsing: FileBytes(writer.bytes()))
      #expect(file.notes().problem == nil)
      #expect(file.buildID() == [1, 2, 3])
    }
  }

  @Test(arguments: [4, 11, 15, 16, 17])
  func aCutNoteIsTruncatedAndTheOthersCount(length: Int) throws {
    let cut = Array(Self.note("GNU", 3, [4, 5, 6]).prefix(length))
    var writer = ELFWriter()
    writer.add(.init(".note.cut", type: 7, flags: 2, contents: Self.note("GNU", 1, [8]) + cut))
    writer.add(.init(".note.whole", type: 7, flags: 2, contents: Self.note("GNU", 3, [1, 2, 3])))
    let file = try ELFFile(parsing: FileBytes(writer.bytes()))
    #expect(file.notes().problem != nil)
    #expect(file.notes().notes.count == 2)
    #expect(file.buildID() == [1, 2, 3])
  }

  @Test func aNameBeyondTheSectionIsTruncated() throws {
    var note = ByteWriter()
    for value in [UInt32.max, .max, 3] { note.write(value) }
    let file = try Self.file(note.bytes)
    #expect(file.notes().notes.isEmpty && file.notes().problem != nil)
  }
}
