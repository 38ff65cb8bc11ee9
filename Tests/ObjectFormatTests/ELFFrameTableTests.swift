import Addresses
import ByteReading
import ObjectFormat
import TestSupport
import Testing

@Suite struct ELFFrameTableTests {
  static let source = """
    __attribute__((noinline)) int one(int x) { __asm__ volatile(""); return x + 1; }
    static __attribute__((noinline)) int two(int x) { __asm__ volatile(""); return x + 2; }
    int main(int n, char **v) { (void)v; return one(n) + two(n); }
    """

  /// The address range of each frame description, as readelf prints it.
  static func judged(_ path: String) throws -> [AddressRange] {
    let listing = try #require(Tool("readelf")).run(["--debug-dump=frames", path])
    return listing.split(separator: "\n").compactMap { line -> AddressRange? in
      guard line.contains(" FDE "), let text = line.split(separator: "pc=").last else { return nil }
      let ends = text.split(separator: ".").compactMap { UInt64($0, radix: 16) }
      return ends.count == 2
        ? AddressRange(start: StatedAddress(rawValue: ends[0]), size: ends[1] - ends[0]) : nil
    }.sorted { $0.start < $1.start }
  }

  @Test(
    .needs("readelf", "clang"),
    arguments: [
      ["-fuse-ld=lld"], ["-fuse-ld=bfd"], ["-fuse-ld=gold"], ["-fuse-ld=lld", "-s"],
      ["-x", "c++", "-fuse-ld=lld"], ["-fuse-ld=lld", "-s", "-Wl,--no-eh-frame-hdr"],
      ["-fuse-ld=bfd", "-no-pie", "-s", "-Wl,--no-eh-frame-hdr"],
    ])
  func rangesAreThoseThatReadelfPrints(flags: [String]) throws {
    let folder = try TemporaryFolder()
    let source = try folder.write(Array(Self.source.utf8), "main.c")
    let image = folder.path("image")
    try #require(Tool("clang")).run(["-O1"] + flags + [source, "-o", image])
    let ranges = try ELFFile(parsing: FileBytes(path: image)).frameRanges()
    #expect(ranges == (try Self.judged(image)) && ranges.count > 3)
  }

  @Test(.needs("objcopy", "clang"))
  func aDebugFileHasNone() throws {
    let folder = try TemporaryFolder()
    let source = try folder.write(Array(Self.source.utf8), "main.c")
    let (image, debugFile) = (folder.path("image"), folder.path("image.debug"))
    try #require(Tool("clang")).run(["-O1", "-fuse-ld=lld", source, "-o", image])
    try #require(Tool("objcopy")).run(["--only-keep-debug", image, debugFile])
    #expect(try ELFFile(parsing: FileBytes(path: debugFile)).frameRanges() == [])
  }

  @Test func aFileWithoutThemHasNone() throws {
    var writer = ELFWriter()
    writer.addText()
    #expect(try ELFFile(parsing: FileBytes(writer.bytes())).frameRanges() == [])
  }
}
