import ByteReading
import ObjectFormat
import TestSupport
import Testing

@Suite struct MachOInstallNameTests {
  /// A file whose `LC_ID_DYLIB` says that its name, which follows the version numbers, begins at `offset`.
  static func file(_ name: String, at offset: UInt32 = 24) throws -> MachOFile {
    var command = ByteWriter()
    for field in [offset, 2, 1, 1] { command.write(field) }
    command.write(Array(name.utf8))
    command.align(to: 8)
    var writer = MachOWriter()
    writer.addCommand(0xd, command.bytes)
    return try MachOFile(parsing: FileBytes(writer.bytes()))
  }

  static func name(_ file: MachOFile) throws -> String? {
    try file.installName().map { file.bytes.text($0.indices) }
  }

  @Test(arguments: ["@rpath/libz.1.dylib", "a", "eight888", ""])
  func itEndsAtAZeroOrWithItsCommand(_ name: String) throws {
    #expect(try Self.name(Self.file(name)) == name)
  }

  @Test func aProgramHasNone() throws {
    #expect(try Self.name(MachOFile(parsing: FileBytes(MachOWriter().bytes()))) == nil)
  }

  @Test(arguments: [33, 1 << 20, .max] as [UInt32])
  func anOffsetOutsideTheCommandIsTruncated(offset: UInt32) throws {
    let file = try Self.file("name", at: offset)
    let error = #expect(throws: ParseError.self) { try file.installName() }
    #expect(error?.field == "dylib.name")
  }
}
