import Addresses
import ByteReading
import ObjectFormat
import TestSupport
import Testing

@Suite struct ELFBlockMapTests {
  static let fixtures = [
    "version-1", "version-2", "version-2-analysis", "version-2-parts", "version-3",
    "version-3-parts",
    "version-5", "version-5-analysis", "version-5-hash", "version-5-omitted", "version-5-parts",
  ]

  /// Reads the basic block map of an image in which the map's section contains `contents`.
  static func map(
    _ contents: [UInt8], is64Bit: Bool = true, isBigEndian: Bool = false
  ) throws -> ELFBlockMap? {
    var writer = ELFWriter(is64Bit: is64Bit, isBigEndian: isBigEndian)
    writer.addText()
    writer.add(.init(".llvm_bb_addr_map", type: 0x6fff_4c0a, flags: 0x80, contents: contents))
    return try ELFFile(parsing: FileBytes(writer.bytes())).blockMap()
  }

  /// Formats a map like the fixtures: a line for each part of a function, and one for each block.
  static func text(_ map: ELFBlockMap) -> String {
    map.runs.map { run in
      let blocks = map.blocks[run.blocks].map { block in
        "   \(block.offset) \(block.size) \(block.flags.rawValue)\n"
      }
      return "\(run.address)\n" + blocks.joined()
    }.joined()
  }

  @Test(arguments: fixtures)
  func mapsOfAllCompilersReadAsLLVMReadsThem(_ name: String) throws {
    let map = try #require(try Self.map(fixture("elf/block-maps/\(name).map")))
    let judged = String(decoding: try fixture("elf/block-maps/\(name).txt"), as: UTF8.self)
    #expect(Self.text(map) == judged && map.runs.count >= 3)
  }

  @Test(
    .needs("clang-19", "llvm-readobj-19"),
    arguments: [
      ["-fuse-ld=lld", "-Wl,--gc-sections"], ["-fuse-ld=bfd", "-Wl,--gc-sections"],
      ["-fuse-ld=gold"], ["-fuse-ld=gold", "-Wl,--icf=all"], ["-fuse-ld=lld", "-no-pie"],
      ["-fuse-ld=lld", "-Wl,--icf=all"], ["-fuse-ld=lld", "-s"],
      ["-fuse-ld=lld", "--target=aarch64-linux-gnu", "-nostdlib", "-shared"],
    ])
  func mapsInLinkedImagesReadAsLLVMReadsThem(flags: [String]) throws {
    let folder = try TemporaryFolder()
    let source = try folder.write(Array(Self.source.utf8), "main.c")
    let image = folder.path("image")
    try #require(Tool("clang-19")).run(
      [
        "-O1", "-ffunction-sections", "-fbasic-block-address-map", source, "-o", image,
      ] + flags)
    let map = try #require(try ELFFile(parsing: FileBytes(path: image)).blockMap())
    let listing = try #require(Tool("llvm-readobj-19")).run(["--bb-addr-map", image])
    #expect(Self.text(map) == Self.text(ofListing: listing))
    #expect(map.blocks.contains { $0.flags == .endsWithReturn } && map.runs.count >= 4)
  }

  static let source = """
    int puts(const char *text);
    int unused(int x) { for (int i = 0; i < x; i++) puts("never"); return x; }
    __attribute__((noinline)) int choose(int x) {
      switch (x) {
        case 0: return puts("zero");
        case 1: return 7;
        case 2: return puts("two") + x;
        case 3: return 11;
        case 4: return puts("four");
        default: return x;
      }
    }
    __attribute__((noinline)) int twin(int x) { return x > 5 ? puts("twin") : 2; }
    __attribute__((noinline)) int other_twin(int x) { return x > 5 ? puts("twin") : 2; }
    int main(int n, char **v) {
      int sum = 0;
      for (char **word = v; *word; word++) sum += choose(n + **word % 3);
      return (sum + twin(n) + other_twin(n)) == 3;
    }
    """

  /// Converts the output of `llvm-readobj --bb-addr-map` to the form of the fixtures.
  static func text(ofListing listing: String) -> String {
    let flags = ["HasReturn", "HasTailCall", "IsEHPad", "CanFallThrough", "HasIndirectBranch"]
    var text = ""
    var block: [Substring] = []
    var bits = 0
    for line in listing.split(separator: "\n") {
      let words = line.split(separator: " ")
      switch words.first {
      case "Base": text += words[2].lowercased() + "\n"
      case "Offset:", "Size:": block.append(words[1])
      case let word?:
        guard let bit = flags.firstIndex(of: String(word.dropLast())) else { continue }
        bits |= words[1] == "Yes" ? 1 << bit : 0
        if bit == 4 {
          let numbers = block.map { "\(UInt64($0.dropFirst(2), radix: 16) ?? .max)" }
          text += "   \(numbers.joined(separator: " ")) \(bits)\n"
          (block, bits) = ([], 0)
        }
      case nil: break
      }
    }
    return text
  }

  @Test(arguments: [true, false], [true, false])
  func everyFeatureIsSteppedOver(is64Bit: Bool, isBigEndian: Bool) throws {
    var writer = ByteWriter(isBigEndian: isBigEndian)
    func writeRun(_ address: UInt64, blocks: [[UInt8]]) {
      writer.writeWord(address, is64Bit: is64Bit)
      writer.write([UInt8(blocks.count)])
      for block in blocks { writer.write(block) }
    }
    let hash: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    writer.write([4, 0x40])  // This version of the map has no call sites, but hashes.
    writeRun(0x1000, blocks: [[0, 0, 0x81, 0x01, 8] + hash])
    writer.write([5])
    writer.write(UInt16(0xef))  // all but OmitBBEntries
    writer.write([2])
    // ID, gap, two call sites, size, metadata, hash
    writeRun(0x2000, blocks: [[0, 0, 2, 5, 6, 1, 8] + hash, [9, 4, 0, 3, 1] + hash])
    writeRun(0x3000, blocks: [[7, 1, 0, 2, 4] + hash])
    writer.write([99])  // entries
    writer.write([50, 51, 2, 9, 0x80, 0x01, 7, 1, 2, 3])  // frequencies, two successors
    writer.write([50, 51, 0])
    writer.write([50, 51, 1, 1, 1, 1])
    writer.write([2, 0])
    writeRun(0x4000, blocks: [])
    let map = try #require(
      try Self.map(writer.bytes, is64Bit: is64Bit, isBigEndian: isBigEndian))
    #expect(
      Self.text(map) == """
        0x1000
           0 129 8
        0x2000
           0 12 8
           16 3 1
        0x3000
           1 2 4
        0x4000

        """)
  }

  @Test func anImageWithoutAMapHasNone() throws {
    var writer = ELFWriter()
    writer.addText()
    #expect(try ELFFile(parsing: FileBytes(writer.bytes())).blockMap() == nil)
    #expect(try Self.map([])?.runs == [])
  }

  @Test(
    arguments: [
      ([6, 0], "unsupported BB address map version: found 6, this tool reads 1 to 5"),
      ([0, 0], "unsupported BB address map version: found 0, this tool reads 1 to 5"),
      ([1, 1], "unsupported feature: found 0x1 in version 1"),
      ([2, 0x20], "unsupported feature: found 0x20 in version 2"),
      ([5, 0, 1], "unsupported feature: found 0x100 in version 5"),
      ([5, 0], "truncated feature: expected 2 bytes, found 1"),
      ([2, 0, 0, 0x10], "truncated BB range address: expected 8 bytes, found 2"),
      ([2, 0] + [UInt8](repeating: 0, count: 8) + [2, 0, 0, 1, 0], "truncated BB ID"),
      (
        [2, 0] + [UInt8](repeating: 0, count: 8) + [1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 0],
        "invalid BB size: expected a function below 4 GiB, found a larger one"
      ),
    ] as [([UInt8], String)])
  func whatIsWrongIsSaid(contents: [UInt8], message: String) throws {
    let error = #expect(throws: ParseError.self) { try Self.map(contents) }
    #expect(error.map { "\($0)" }?.hasPrefix(message) ?? false, "\(error.map { "\($0)" } ?? "")")
  }

  @Test(.needs(.time), arguments: fixtures) func damagedMapsNeverTrap(_ name: String) throws {
    let whole = try fixture("elf/block-maps/\(name).map")
    var readCount = 0
    for length in hostilePrefixLengths(of: whole) {
      if (try? Self.map(Array(whole[..<length]))) != nil { readCount += 1 }
    }
    #expect(readCount == 4, "cut behind each function, and before the first")
    for copy in byteFlips(of: whole) { _ = try? Self.map(copy) }
  }
}
