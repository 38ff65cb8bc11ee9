import Addresses
import ByteReading
import Foundation
import ObjectFormat
import TestSupport
import Testing

@Suite(.needs(.appleSDK, "llvm-nm-19", "llvm-ar-19"))
struct ArchiveFileTests {
  /// Members whose names are about as long as the 16 bytes in the header, contain a blank, and are not in alphabetical
  /// order. Some sizes are even, some odd.
  static let inputs: [(name: String, contents: [UInt8])] = [
    ("z.o", Array("odd".utf8)), ("a b.o", Array("even".utf8)), ("fourteen....o", []),
    ("fifteen .....o", [0]), ("sixteen........o", Array("16".utf8)),
    ("seventeen........o", Array("17.".utf8)),
    ("a_name_that_no_header_can_hold_in_full.o", Array("last".utf8)),
  ]

  static func archive(_ format: String, in workshop: Workshop) throws -> [UInt8] {
    for (name, contents) in inputs { try workshop.write(contents, name) }
    let result = try workshop.run(
      "llvm-ar-19", ["--format=\(format)", "rcs", "it.a"] + inputs.map(\.name))
    #expect(result.status == 0, "\(result.output)")
    return [UInt8](try Data(contentsOf: workshop.folder.appendingPathComponent("it.a")))
  }

  static func members(_ archive: ArchiveFile) -> [(name: String, contents: [UInt8])] {
    archive.members.map {
      (archive.bytes.text($0.name.indices), archive.bytes.copy($0.range.indices))
    }
  }

  @Test(arguments: ["gnu", "darwin", "bsd"])
  func membersAreWhatWentIn(format: String) throws {
    let bytes = try Self.archive(format, in: Workshop())
    let found = Self.members(try ArchiveFile(parsing: FileBytes(bytes)))
    #expect(found.map(\.name) == Self.inputs.map(\.name))
    for (member, input) in zip(found, Self.inputs) {
      // Darwin's linker needs members at multiples of 8 bytes, so there the stated size includes the padding.
      let padding = member.contents.dropFirst(input.contents.count)
      #expect(member.contents.starts(with: input.contents))
      #expect(
        format == "darwin"
          ? padding.count < 8 && padding.allSatisfy { $0 == UInt8(ascii: "\n") } : padding.isEmpty,
        "\(member.name)")
    }
  }

  /// Objects have symbols, so these archives contain a symbol table, which is not a member.
  @Test(arguments: ["gnu", "darwin", "bsd", "libtool"])
  func objectsAreReadInPlace(format: String) throws {
    let workshop = try Workshop()
    let object = try #require(AppleFile.all.first { $0.name == "object" }).bytes()
    let long = "an_object_with_a_long_name.o"
    for name in ["short.o", long] { try workshop.write(object, name) }
    let result =
      format == "libtool"
      ? try workshop.run("llvm-libtool-darwin-19", ["-static", "-o", "it.a", "short.o", long])
      : try workshop.run("llvm-ar-19", ["--format=\(format)", "rcs", "it.a", "short.o", long])
    #expect(result.status == 0, "\(result.output)")
    let bytes = try FileBytes(path: workshop.folder.appendingPathComponent("it.a").path)
    guard case .archive(let archive) = try ObjectFile(parsing: bytes) else {
      Issue.record("expected an archive")
      return
    }
    #expect(Self.members(archive).map(\.name) == ["short.o", long])
    for member in archive.members {
      guard case .machO(let file) = try ObjectFile(parsing: bytes, at: member.range) else {
        Issue.record("expected a Mach-O file")
        return
      }
      var names: [String] = []
      let table = try #require(try file.symbolTable())
      table.forEachSymbol { symbol in
        names.append(table.names.name(at: symbol.nameOffset).map { bytes.text($0.indices) } ?? "?")
      }
      #expect(names.contains("_main") && names.contains("_again"))
      let text = try #require(file.section(named: "__TEXT,__text"))
      let whole = try MachOFile(parsing: FileBytes(object))
      #expect(
        bytes.copy(try file.contents(of: text).indices)
          == whole.bytes.copy(try whole.contents(of: text).indices))
    }
  }

  @Test func aThinArchiveIsUnsupported() throws {
    let workshop = try Workshop()
    try workshop.write(Array("x".utf8), "x.o")
    _ = try workshop.run("llvm-ar-19", ["--thin", "rcs", "it.a", "x.o"])
    let bytes = try FileBytes(path: workshop.folder.appendingPathComponent("it.a").path)
    let error = #expect(throws: ParseError.self) { try ObjectFile(parsing: bytes) }
    #expect(error?.description == "unsupported file: found a thin archive (at offset 0x0)")
  }

  /// The header of a member: 16 bytes for the name, 32 bytes that the reader ignores, 10 for the size, and 2 that end
  /// the header.
  static func header(_ name: String, _ size: String, end: String = "`\n") -> [UInt8] {
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: width - text.utf8.count)
    }
    return Array((padded(name, 16) + padded("0", 32) + padded(size, 10) + end).utf8)
  }

  @Test(
    arguments: [
      (header("a.o", "4"), "truncated ar_size: expected 4 bytes, found 0 (at offset 0x44)"),
      (
        header("a.o", "4", end: "``"),
        "invalid ar_fmag: expected 60 0a, found 60 60 (at offset 0x42)"
      ),
      (
        header("a.o", "x"), "invalid ar_size: expected a decimal number, found 'x' (at offset 0x38)"
      ),
      (header("a.o", ""), "invalid ar_size: expected a decimal number, found '' (at offset 0x38)"),
      (header("#1/", "0"), "invalid ar_name: expected a decimal number, found '' (at offset 0xb)"),
      (header("#1/9", "0"), "truncated ar_name: expected 9 bytes, found 0 (at offset 0x44)"),
      (header("/9", "0"), "invalid ar_name: expected an offset below 0, found 9 (at offset 0x8)"),
      (
        header("//", "4") + Array("a/\nb".utf8) + header("/4", "0"),
        "invalid ar_name: expected an offset below 4, found 4 (at offset 0x48)"
      ),
      (Array("a.o".utf8), "truncated ar_name: expected 16 bytes, found 3 (at offset 0x8)"),
    ] as [([UInt8], String)])
  func aDamagedMemberIsNamed(member: [UInt8], message: String) {
    let error = #expect(throws: ParseError.self) {
      try ArchiveFile(parsing: FileBytes(Array("!<arch>\n".utf8) + member))
    }
    #expect(error?.description == message)
  }

  @Test func tablesOfSymbolsAreNoMembers() throws {
    let names = ["/", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED", "__.SYMDEF_64"]
    let bytes = Array("!<arch>\n".utf8) + names.flatMap { Self.header($0, "0") }
    #expect(try ArchiveFile(parsing: FileBytes(bytes)).members.isEmpty)
    #expect(try ArchiveFile(parsing: FileBytes(Array("!<arch>\n".utf8))).members.isEmpty)
  }

  @Test(arguments: ["gnu", "darwin", "bsd"])
  func damagedArchivesNeverTrap(format: String) throws {
    let whole = try Self.archive(format, in: Workshop())
    var parsedCount = 0
    func readAll(_ bytes: [UInt8]) {
      guard let archive = try? ArchiveFile(parsing: FileBytes(bytes)) else { return }
      parsedCount += 1
      for member in archive.members { _ = bytes[member.name.indices] + bytes[member.range.indices] }
    }
    for length in hostilePrefixLengths(of: whole) { readAll(Array(whole[..<length])) }
    #expect(parsedCount >= 8, "a prefix up to a member's end is an archive")
    for copy in byteFlips(of: whole) { readAll(copy) }
    #expect(parsedCount > 200, "most flips hit names, dates and contents")
  }
}
