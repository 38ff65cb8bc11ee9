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

  /// The start of each frame description, as readelf prints it.
  static func judged(_ path: String) throws -> [StatedAddress] {
    let listing = try #require(Tool("readelf")).run(["--debug-dump=frames", path])
    return listing.split(separator: "\n").compactMap { line in
      guard line.contains(" FDE "), let range = line.split(separator: "pc=").last else {
        return nil
      }
      return range.split(separator: ".").first.flatMap { UInt64($0, radix: 16) }
        .map(StatedAddress.init(rawValue:))
    }.sorted()
  }

  @Test(
    .enabled(if: Tool("readelf") != nil && Tool("clang") != nil),
    arguments: [["-fuse-ld=lld"], ["-fuse-ld=bfd"], ["-fuse-ld=gold"], ["-fuse-ld=lld", "-s"]])
  func startsAreThoseThatReadelfPrints(flags: [String]) throws {
    let folder = try TemporaryFolder()
    let source = try folder.write(Array(Self.source.utf8), "main.c")
    let image = folder.path("image")
    try #require(Tool("clang")).run(["-O1", source, "-o", image] + flags)
    let starts = try ELFFile(parsing: FileBytes(path: image)).frameStarts()
    #expect(starts == (try Self.judged(image)) && starts.count > 3)
  }

  @Test func aFileWithoutThemHasNone() throws {
    var writer = ELFWriter()
    writer.addText()
    #expect(try ELFFile(parsing: FileBytes(writer.bytes())).frameStarts() == [])
  }
}
