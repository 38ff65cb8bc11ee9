import Addresses
import ByteReading
import Foundation
import ObjectFormat
import TestSupport
import Testing

@Suite(.needs(.appleSDK, "llvm-nm-19", "llvm-lipo-19")) struct FatFileTests {
  /// The fat file that `llvm-lipo` makes of `files`.
  static func fat(_ files: [[UInt8]], flags: [String] = []) throws -> [UInt8] {
    let sdk = try AppleSDK()
    let workshop = try Workshop()
    for (index, bytes) in files.enumerated() { try workshop.write(bytes, "\(index)") }
    let result = try workshop.run(
      sdk.lipo, flags + ["-create", "-output", "fat"] + files.indices.map { "\($0)" })
    #expect(result.status == 0, "\(result.output)")
    return [UInt8](try Data(contentsOf: workshop.folder.appendingPathComponent("fat")))
  }

  static func twoImages(flags: [String] = []) throws -> [UInt8] {
    try fat(
      ["iOS", "x86_64, stripped"].map { name in
        try #require(AppleFile.all.first { $0.name == name }).bytes()
      }, flags: flags)
  }

  @Test(arguments: [[], ["-fat64"]])
  func slicesAreWhatObjdumpReads(flags: [String]) throws {
    let bytes = try Self.twoImages(flags: flags)
    guard case .fat(let file) = try ObjectFile(parsing: FileBytes(bytes)) else {
      Issue.record("expected a fat file")
      return
    }
    let folder = try TemporaryFolder()
    let text = try judge(
      "llvm-objdump-19", ["--macho", "--universal-headers", folder.write(bytes, "fat")])
    let expected = text.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
      .filter { $0.hasPrefix("architecture ") || $0.hasPrefix("offset ") || $0.hasPrefix("size ") }
    let found = file.slices.flatMap { slice in
      [
        "architecture \(slice.architecture)", "offset \(slice.range.lowerBound.rawValue)",
        "size \(slice.range.byteCount)",
      ]
    }
    #expect(found == expected.map { String($0) })
    #expect(file.slices.count == 2)
  }

  @Test(arguments: [[], ["-fat64"]])
  func imagesAreReadInPlace(flags: [String]) throws {
    let file = try FatFile(parsing: FileBytes(Self.twoImages(flags: flags)))
    for (slice, name) in zip(file.slices, ["x86_64, stripped", "iOS"]) {
      let alone = try MachOFile(
        parsing: FileBytes(#require(AppleFile.all.first { $0.name == name }).bytes()))
      let inside = try MachOFile(parsing: file.bytes, at: slice.range)
      #expect(inside.header.architecture == slice.architecture)
      #expect(try inside.uuid() == alone.uuid())
      #expect(try inside.functionStarts() == alone.functionStarts())
      #expect(MachOSymbolTableTests.lines(inside) == MachOSymbolTableTests.lines(alone))
      for section in alone.sections {
        #expect(
          file.bytes.copy(try inside.contents(of: section).indices)
            == alone.bytes.copy(try alone.contents(of: section).indices))
      }
    }
  }

  @Test func archivesAreReadInPlace() throws {
    let workshop = try Workshop()
    var archives: [[UInt8]] = []
    for name in ["object", "x86_64 object"] {
      try workshop.write(#require(AppleFile.all.first { $0.name == name }).bytes(), "it.o")
      let made = "\(archives.count).a"
      _ = try workshop.run("llvm-ar-19", ["--format=darwin", "rcs", made, "it.o"])
      archives.append([UInt8](try Data(contentsOf: workshop.folder.appendingPathComponent(made))))
    }
    let file = try FatFile(parsing: FileBytes(Self.fat(archives)))
    #expect(file.slices.map(\.architecture) == [.x8664, .arm64])
    for slice in file.slices {
      guard case .archive(let archive) = try ObjectFile(parsing: file.bytes, at: slice.range) else {
        Issue.record("expected an archive")
        return
      }
      #expect(ArchiveFileTests.members(archive).map(\.name) == ["it.o"])
      let object = try MachOFile(parsing: file.bytes, at: archive.members[0].range)
      #expect(object.header.architecture == slice.architecture)
    }
  }

  /// Each image is built for its target, and `llvm-lipo` names its architecture.
  @Test func architecturesHaveTheNamesThatTheLinkerTakes() throws {
    let workshop = try Workshop()
    try workshop.write("int f(void) { return 1; }".utf8, "f.c")
    let targets = [
      "i386-apple-macos10.13", "x86_64-apple-macos11", "x86_64h-apple-macos11",
      "armv7-apple-ios9", "armv7s-apple-ios9", "armv7k-apple-watchos5", "arm64_32-apple-watchos5",
      "arm64-apple-ios15", "arm64e-apple-ios15",
    ]
    for target in targets {
      let result = try workshop.run("clang", ["-target", target, "-c", "f.c", "-o", target])
      #expect(result.status == 0, "\(result.output)")
    }
    _ = try workshop.run("llvm-lipo-19", ["-create", "-output", "fat"] + targets)
    let names = try workshop.run("llvm-lipo-19", ["-archs", "fat"]).output
    let file = try FatFile(
      parsing: FileBytes(path: workshop.folder.appendingPathComponent("fat").path))
    let found = file.slices.map { "\($0.architecture)" }
    #expect(found == names.split { $0 == " " || $0 == "\n" }.map(String.init))
    #expect(file.slices.count == targets.count)
    #expect(
      MachOArchitecture(cpuType: 16_777_234, cpuSubtype: 5).description == "unknown(16777234,5)")
  }

  /// A fat file of 4096 bytes, whose table has a slice for each offset and size.
  static func table(_ slices: [(UInt32, UInt32)]) -> [UInt8] {
    var writer = ByteWriter(isBigEndian: true)
    writer.write(0xcafe_babe as UInt32)
    writer.write(UInt32(slices.count))
    for (index, slice) in slices.enumerated() {
      for field in [0x0100_000c, UInt32(index), slice.0, slice.1, 0] { writer.write(field) }
    }
    return writer.bytes + [UInt8](repeating: 0, count: 4096 - writer.count)
  }

  @Test(
    arguments: [
      (
        [(2048, 2049)], "truncated fat_arch.size: expected 2049 bytes, found 2048 (at offset 0x800)"
      ),
      (
        [(.max, .max)],
        "truncated fat_arch.size: expected 4294967295 bytes, found 0 (at offset 0xffffffff)"
      ),
      (
        [(20, 100)],
        "invalid fat_arch.offset: expected a slice at 0x1c or behind, found 0x14 (at offset 0x8)"
      ),
      (
        [(1000, 100), (2000, 10), (1099, 10)],
        "invalid fat_arch.offset: expected a slice at 0x44c or behind, found 0x44b (at offset 0x30)"
      ),
    ] as [([(UInt32, UInt32)], String)])
  func slicesOutOfPlaceAreNamed(slices: [(UInt32, UInt32)], message: String) {
    let error = #expect(throws: ParseError.self) {
      try FatFile(parsing: FileBytes(Self.table(slices)))
    }
    #expect(error?.description == message)
  }

  @Test func neighboursMayTouchAndComeInAnyOrder() throws {
    let file = try FatFile(
      parsing: FileBytes(Self.table([(2000, 96), (1000, 1000), (2096, 2000)])))
    #expect(file.slices.map(\.range.byteCount) == [96, 1000, 2000])
  }

  @Test func anErrorInASliceSaysWhereInTheFileItIs() throws {
    var bytes = try Self.twoImages()
    let slice = try FatFile(parsing: FileBytes(bytes)).slices[1]
    let start = slice.range.indices.lowerBound
    bytes[start + 36] = 4  // the first command's cmdsize, which was 72
    let error = #expect(throws: ParseError.self) {
      try MachOFile(parsing: FileBytes(bytes), at: slice.range)
    }
    #expect(
      error?.description
        == "invalid cmdsize: expected at least 8, found 4 (at offset \(FileOffset(rawValue: UInt64(start + 32))))"
    )
  }

  @Test func nothingFatOrELFLiesWithinAnother() throws {
    let table = Self.table([(1000, 1000)])
    for magic in [Array(table[..<8]), [0x7f, 0x45, 0x4c, 0x46]] {
      let bytes = FileBytes(table + magic)
      let range = FileOffset(rawValue: 4096)..<FileOffset(rawValue: UInt64(4096 + magic.count))
      let error = #expect(throws: ParseError.self) { try ObjectFile(parsing: bytes, at: range) }
      #expect(error?.description.hasSuffix("within another (at offset 0x1000)") == true)
    }
  }

  @Test(arguments: [[], ["-fat64"]])
  func damagedFilesNeverTrap(flags: [String]) throws {
    let whole = try Self.twoImages(flags: flags)
    let slices = try FatFile(parsing: FileBytes(whole)).slices
    var sliceCount = 0
    func readAll(_ bytes: [UInt8]) {
      guard let file = try? FatFile(parsing: FileBytes(bytes)) else { return }
      for slice in file.slices where (try? MachOFile(parsing: file.bytes, at: slice.range)) != nil {
        sliceCount += 1
      }
    }
    for length in hostilePrefixLengths(
      of: whole,
      boundaries: slices.flatMap { [$0.range.indices.lowerBound, $0.range.indices.upperBound] })
    { readAll(Array(whole[..<length])) }
    #expect(sliceCount == 2, "only the whole file has both slices")
    // Other tests damage the images, so this test damages only the table.
    for flipped in byteFlips(of: Array(whole[..<72])) { readAll(flipped + whole[72...]) }
    #expect(sliceCount > 100, "most flips hit what nobody compares")
  }
}
