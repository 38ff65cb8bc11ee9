import Foundation
import TestSupport
import Testing

/// Images that prefetch the constants and variables that a launch touched.
@Suite(.needs(.recording, "strace", "gcc", "ld.gold", "ld.bfd")) struct PrefetchedDataTests {
  private typealias Link = PrefetchTests.Link

  /// The launch reads pages of two of three tables, and a variable. They are `static`, so that no other object can name
  /// them.
  private static let source = """
    #define KEEP static __attribute__((used))
    KEEP const char first[100000] = {1}, unused[300000] = {2}, second[50000] = {3};
    KEEP char changed[90000] = {4}, untouched[90000] = {5};
    KEEP const char *const texts[] = {"relocated", "constants"};
    #define READ(place) (*(const volatile char *)&(place))
    int main(int count, char **words) {
      int sum = READ(first[5000 * count]) + READ(second[30000 * count]) + READ(first[70000 * count]);
      *(volatile char *)&changed[50000 * count] = 1;
      (void)words;
      return sum + (*texts[count - 1] != 'r');
    }

    """
  private static let recorded = PrefetchTests.recorded(source)

  static let links =
    PrefetchTests.links + [
      PrefetchTests.Link(testDescription: "lld, -fdata-sections", flags: ["-fdata-sections"]),
      PrefetchTests.Link(testDescription: "lld, LTO", flags: ["-flto"]),
      PrefetchTests.Link(testDescription: "lld, -no-pie", flags: ["-no-pie"]),
      PrefetchTests.Link(
        testDescription: "GNU ld, one segment", compiler: "gcc", linker: .bfd,
        flags: ["-Wl,-z,noseparate-code"]),
    ]

  @Test(arguments: links) func aLaunchPrefetchesTheDataThatTheProgramTouches(
    link: PrefetchTests.Link
  ) throws {
    let workshop = try PrefetchTests.linked(link, of: Self.recorded, countsPages: true)
    let calls = try PrefetchTests.calls(workshop, link.launch)
    let symbols = try PagesWorkshop.symbols(workshop, "app")
    let anchor = try #require(symbols["orderfile_prefetch_first"])
    let slide = try #require(calls.first).start &- anchor / 4096 * 4096
    // The first call prefetches code. The touched pages are four, and less than 32 KiB apart from no others.
    let data = calls.dropFirst()
    #expect(data.count >= 3 && data.map(\.size).reduce(0, +) <= 160_000, "\(calls)")
    for (name, place) in [("first", 5000), ("second", 30000), ("first", 70000), ("changed", 50000)]
    {
      let address = try #require(symbols[name]) &+ UInt64(place) &+ slide
      #expect(data.contains { $0.start <= address && address < $0.start + $0.size }, "\(name)")
    }
    let verified = try workshop.mustOrderfile("verify", "app.order", "--image", "app", "--json")
    let prefetch = try #require(verified.json["prefetch"] as? [String: Any])
    #expect(prefetch["dataOutside"] as? Int == 0 && prefetch["dataRanges"] as? Int == data.count)
    #expect(prefetch["state"] as? String == "prefetched")
  }

  /// The ranges are of other data if a segment has grown.
  @Test func dataOfASegmentThatHasChangedAreNotPrefetched() throws {
    let link = PrefetchTests.links[0]
    let workshop = try PrefetchTests.linked(link, of: Self.recorded, countsPages: true)
    let before = try PrefetchTests.calls(workshop, link.launch).count
    let table = "static const char more[200000] __attribute__((used)) = {1};\n"
    try workshop.write((table + workshop.text("main.c")).utf8, "larger.c")
    try workshop.must(
      "clang",
      [
        "-O1", "-ffunction-sections", "-fuse-ld=lld", "larger.c", "prefetch.c", "-o", "app",
        "-Wl,--symbol-ordering-file=app.order",
      ])
    let after = try PrefetchTests.calls(workshop, link.launch)
    // Only the variable is in another segment.
    #expect(before >= 4 && after.count == 2, "\(after)")
    let verified = try workshop.mustOrderfile("verify", "app.order", "--image", "app")
    #expect(
      verified.text.contains(
        " ranges, because their segment has changed: run 'orderfile gen' again)"),
      "\(verified.text)")
  }

  /// A library has its own table, relative to its own segments.
  @Test func aLibraryPrefetchesItsOwnDataWhenItIsOpened() throws {
    let workshop = try Self.recorded.copy()
    try workshop.write(
      """
      #include <dlfcn.h>
      int main(int count, char **words) {
        (void)words;
        int (*launch)(int, char **) = (int (*)(int, char **))dlsym(dlopen("./app.so", RTLD_NOW), "main");
        return launch ? launch(count, 0) : 9;
      }

      """.utf8, "open.c")
    try workshop.must("clang", ["-w", "open.c", "-o", "open"])
    let flags = ["-O1", "-ffunction-sections", "-fPIC", "-shared", "-fuse-ld=lld", "main.c"]
    try workshop.must("clang", flags + ["-Wl,--build-id,-soname,app.so", "-o", "app.so"])
    try workshop.mustOrderfile(
      "pages", "-q", "--json", "-o", "open.pages", "--also", "app.so", "--", "./open")
    try workshop.mustOrderfile(
      "gen", "-q", "app.oftrace", "open.pages", "--image", "app.so", "--prefetch", "prefetch.c",
      "-o", "app.order")
    try workshop.must(
      "clang",
      flags + ["prefetch.c", "-Wl,-soname,app.so,--symbol-ordering-file=app.order", "-o", "app.so"])
    let calls = try PrefetchTests.calls(workshop, ["./open"])
    let symbols = try PagesWorkshop.symbols(workshop, "app.so")
    let slide =
      try #require(calls.first).start
      &- (try #require(symbols["orderfile_prefetch_first"])) / 4096 * 4096
    for (name, place) in [("first", 5000), ("second", 30000), ("first", 70000), ("changed", 50000)]
    {
      let address = try #require(symbols[name]) &+ UInt64(place) &+ slide
      #expect(calls.contains { $0.start <= address && address < $0.start + $0.size }, "\(name)")
    }
  }

  @Test func textSaysWhatIsPrefetched() throws {
    let workshop = try Self.recorded.copy()
    try workshop.mustOrderfile("pages", "-q", "--json", "-o", "plain.pages", "--", "./plain")
    let run = try workshop.mustOrderfile(
      "gen", "app.oftrace", "plain.pages", "--image", "plain", "--prefetch", "p.c", "-o",
      "app.order", "--json")
    let images = try #require(run.json["images"] as? [[String: Any]])
    let prefetch = try #require(images.first?["prefetch"] as? [String: Any])
    let ranges = try #require(prefetch["dataRanges"] as? Int)
    #expect(run.errors.contains(" of constants and variables in \(ranges) ranges: p.c"))
    #expect((prefetch["dataBytes"] as? Int).map { $0 >= 3 * 4096 } == true)
  }
}
