import ByteReading
import ImageModel
import ObjectFormat
import Symbolication
import TestSupport
import Testing

/// Damaged images may be refused; they must not trap.
@Suite(.needs(.appleSDK, "llvm-nm-19", "llvm-strip-19")) struct MachOHostileTests {
  /// Reads `bytes` where `debugFile` is the only file.
  static func reads(_ bytes: [UInt8], debugFile: FileBytes? = nil) -> Bool {
    let read = try? Image.reading(
      FileBytes(bytes), path: "App.app/image", debugFile: debugFile == nil ? nil : "dSYM"
    ) { (path: String) throws(SystemError) in
      guard path == "dSYM", let debugFile else { throw SystemError("open", errno: 2) }
      return debugFile
    }
    return read != nil
  }

  /// The borders of the load commands, and of the data to which they point: a linked image is mostly padding.
  static func boundaries(of bytes: [UInt8]) -> [Int] {
    stride(from: 0, to: bytes.count, by: 4).filter { at in
      at + 8 <= bytes.count && MachOEditor.word(bytes, at) != 0 && at % 512 == 0
    }
  }

  @Test(arguments: [["-fixup_chains"], ["-no_fixup_chains"]])
  func damagedImagesNeverTrap(linkerFlags: [String]) throws {
    let build = try MachOBuild(linkerFlags: linkerFlags)
    let whole = try build.bytes("image")
    var readCount = 0
    for length in hostilePrefixLengths(of: whole, boundaries: Self.boundaries(of: whole))
    where Self.reads(Array(whole[..<length])) {
      readCount += 1
    }
    #expect(readCount < 600, "a cut loses the symbol table")
    readCount = 0
    // Bytes are changed in the load commands, and in the symbols and fixups, but not in the padding.
    let commands = whole[..<4096]
    for damaged in byteFlips(of: Array(commands)) {
      readCount += Self.reads(damaged + whole[4096...]) ? 1 : 0
    }
    let linkEdit = MachOEditor.word(whole, try #require(MachOEditor.command(0x2, in: whole)) + 8)
    let start = max(4096, linkEdit - 1024)
    for damaged in byteFlips(of: Array(whole[start...]), seed: 3) {
      readCount += Self.reads(whole[..<start] + damaged) ? 1 : 0
    }
    #expect(readCount > 1000)
  }

  @Test(arguments: ["-gdwarf-4", "-gdwarf-5"])
  func damagedDSYMsNeverTrap(version: String) throws {
    let build = try MachODebugFileIntegrations.build(dwarf: version)
    let stripped = try build.bytes("stripped")
    let path = "image.dSYM/Contents/Resources/DWARF/image"
    try build.removeSymbols(from: path)
    let whole = try build.bytes(path)
    let isWholeRead = Self.reads(stripped, debugFile: FileBytes(whole))
    #expect(isWholeRead)
    var readCount = 0
    for length in hostilePrefixLengths(of: whole) {
      let isRead = Self.reads(stripped, debugFile: FileBytes(Array(whole[..<length])))
      readCount += isRead ? 1 : 0
    }
    #expect(readCount < 500)
    // The DWARF comes last, in a segment of its own.
    let dwarf = try #require(
      try MachOFile(parsing: FileBytes(whole)).segment(named: "__DWARF")?.offset.rawValue)
    for (seed, range) in [(2, 0..<4096), (3, Int(dwarf)..<whole.count)] as [(UInt64, Range<Int>)] {
      for damaged in byteFlips(of: Array(whole[range]), count: 500, seed: seed) {
        let bytes = whole[..<range.lowerBound] + damaged + whole[range.upperBound...]
        readCount += Self.reads(stripped, debugFile: FileBytes(Array(bytes))) ? 1 : 0
      }
    }
    #expect(readCount > 500)
  }

  @Test func damagedFatFilesNeverTrap() throws {
    let build = try FatImageTests.build()
    let whole = try build.bytes("fat")
    for damaged in byteFlips(of: Array(whole[..<64])) {
      let bytes = FileBytes(damaged + whole[64...])
      for slice in [SliceChoice(), SliceChoice(.arm64)] {
        _ = try? Image.reading(bytes, path: "fat", slice: slice)
      }
    }
  }
}
