import Foundation
import TestSupport
import Testing

/// Images that prefetch their ordered functions, by real compilers and linkers: `gen --prefetch`.
@Suite(.needs(.recording, "strace", "gcc", "ld.gold", "ld.bfd")) struct PrefetchTests {
  /// A compiler, a linker and options with which the program is made.
  struct Link: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var compiler = "clang"
    var linker = OrderingLinker.lld
    var flags: [String] = []
    /// The options of the compiler for the source file of `gen --prefetch`.
    var prefetchFlags: [String] = []
    var launch: [String] = ["./app"]
  }

  /// The launch uses `main`, `third` and `first`, which have 1500 instructions each. With an argument, it forks.
  private static let source = """
    #include <sys/wait.h>
    #include <unistd.h>
    #define F(n, k) __attribute__((noinline)) int n(int x) { __asm__ volatile(".rept 1500\\n nop\\n .endr"); return x + k; }
    F(unused1, 5) F(first, 1) F(unused2, 6) F(third, 3) F(unused3, 7)
    int main(int count, char **words) {
      if (count > 1 && fork() == 0) _exit(first(0));
      if (count > 1) wait(0);
      if (count > 2) unused1(1), unused2(2), unused3(3);
      (void)words;
      return third(count) - first(count) - 2;
    }

    """
  private static let recorded = recorded(source)

  /// A folder with the program of `source`, and with the trace of a launch.
  static func recorded(_ source: String) -> PreparedFolder<Workshop> {
    PreparedFolder { workshop in
      try workshop.write(source.utf8, "main.c")
      try workshop.must(
        "clang",
        ["-O1", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id", "main.c", "-o", "plain"])
      try workshop.mustOrderfile(
        "record", "-q", "--breakpoints", "-o", "app.oftrace", "--", "./plain")
    }
  }

  /// Makes `plain` by `link`, and from its order `app`, which is made in the same way and prefetches.
  ///
  /// - Parameter countsPages: whether `app` also prefetches the data that a launch of `plain` touches.
  static func linked(
    _ link: Link, of recorded: PreparedFolder<Workshop> = recorded, countsPages: Bool = false
  ) throws -> Workshop {
    let workshop = try recorded.copy()
    let name = link.linker.name
    let driver = name == "musl" ? [] : ["-fuse-ld=\(name)"]
    let common = ["-O1", "-ffunction-sections"] + link.flags
    try workshop.must(
      link.compiler, common + driver + ["-Wl,--build-id", "main.c", "-o", "plain"])
    if countsPages {
      try workshop.mustOrderfile("pages", "-q", "--json", "-o", "plain.pages", "--", "./plain")
    }
    try workshop.mustOrderfile(
      ["gen", "-q", "app.oftrace"] + (countsPages ? ["plain.pages"] : []) + [
        "--image", "plain", "--linker", link.linker.format,
        "--prefetch", "prefetch.c", "-o", "app.order",
      ])
    try workshop.must(
      link.compiler,
      common + link.prefetchFlags
        + ["-Wall", "-Wextra", "-Werror", "-Wno-unused-command-line-argument", "-c", "prefetch.c"])
    let order = "\(link.linker.option)app.order".replacing("-T", with: "-T,")
    try workshop.must(
      link.compiler,
      common + driver
        + ["-Wl,--build-id", "-Wl,\(order)", "main.c", "prefetch.o", "-o", "app"])
    return workshop
  }

  /// Returns the sizes that a launch asks the kernel to read, in the order of the calls. A call must succeed.
  static func prefetched(_ workshop: Workshop, _ command: [String]) throws -> [UInt64] {
    try calls(workshop, command).map(\.size)
  }

  /// Returns what a launch asks the kernel to read, in the order of the calls. A call must succeed.
  static func calls(
    _ workshop: Workshop, _ command: [String]
  ) throws -> [(start: UInt64, size: UInt64)] {
    try workshop.must(
      "strace", ["-f", "-qq", "-o", "calls", "-e", "trace=madvise", "-e", "signal=none"] + command)
    return try workshop.text("calls").split(separator: "\n").filter {
      $0.contains("MADV_WILLNEED")
    }.map { line in
      #expect(line.hasSuffix(" = 0"), "\(line)")
      let words = line.split(whereSeparator: { "(, ".contains($0) })
      let place = try #require(words.firstIndex { $0.hasPrefix("0x") }, "\(line)")
      return (
        try #require(UInt64(words[place].dropFirst(2), radix: 16), "\(line)"),
        try #require(UInt64(words[place + 1]), "\(line)")
      )
    }
  }

  /// Expects that a launch of `app` prefetches exactly the functions that the recorded launch used.
  static func expectRegion(_ workshop: Workshop, _ link: Link) throws {
    let symbols = try PagesWorkshop.symbols(workshop, "app")
    func address(_ name: String) throws -> UInt64 { try #require(symbols[name], "\(name)") }
    let first = try address("orderfile_prefetch_first")
    let last = try address("orderfile_prefetch_last")
    for name in ["orderfile_prefetch", "main", "third", "first"] {
      #expect(try first < address(name) && address(name) < last)
    }
    for name in ["unused1", "unused2", "unused3"] {
      if let place = symbols[name] { #expect(place < first || last < place) }
    }
    // 1500 instructions of one byte or four in each function, and what the linker adds of the C runtime.
    #expect(last - first > 3000 && last - first < 20_000)
    let sizes = try prefetched(workshop, link.launch)
    #expect(sizes == [last - first + first % 4096])
  }

  static let links = [
    Link(testDescription: "lld"),
    Link(
      testDescription: "lld --gc-sections --icf=all",
      flags: ["-Wl,--gc-sections,--icf=all,-z,now,-z,relro"]),
    Link(testDescription: "GNU ld", compiler: "gcc", linker: .bfd),
    Link(testDescription: "gold", linker: .gold, flags: ["-Wl,--gc-sections"]),
    Link(testDescription: "static", flags: ["-static"]),
  ]

  @Test(arguments: links) func aLaunchPrefetchesWhatTheRecordedLaunchUsed(link: Link) throws {
    let workshop = try Self.linked(link)
    try Self.expectRegion(workshop, link)
    let forked = try Self.prefetched(workshop, ["./app", "fork"])
    #expect(forked.count == 1)
  }

  @Test func aLibraryPrefetchesItsOwnFunctionsWhenItIsOpened() throws {
    let workshop = try Self.recorded.copy()
    try workshop.write(
      """
      #include <dlfcn.h>
      int main(int count, char **words) {
        (void)words;
        if (count < 2) return 0;
        int (*launch)(int, char **) = (int (*)(int, char **))dlsym(dlopen("./app.so", RTLD_NOW), "main");
        return launch ? launch(1, 0) : 1;
      }

      """.utf8, "open.c")
    try workshop.must("clang", ["-w", "open.c", "-o", "open"])
    let flags = ["-O1", "-ffunction-sections", "-fPIC", "-shared", "-fuse-ld=lld", "main.c"]
    try workshop.must("clang", flags + ["-Wl,-soname,app.so", "-o", "app.so"])
    try workshop.mustOrderfile(
      "gen", "-q", "app.oftrace", "--image", "app.so", "--prefetch", "prefetch.c", "-o", "app.order"
    )
    #expect(workshop.text("prefetch.c").contains("ORDERFILE_PREFETCH_ARRAY \".init_array.00000\""))
    try workshop.must(
      "clang",
      flags + ["prefetch.c", "-Wl,-soname,app.so,--symbol-ordering-file=app.order", "-o", "app.so"])
    #expect(try Self.prefetched(workshop, ["./open"]) == [])
    let symbols = try PagesWorkshop.symbols(workshop, "app.so")
    let first = try #require(symbols["orderfile_prefetch_first"])
    let last = try #require(symbols["orderfile_prefetch_last"])
    #expect(
      try Self.prefetched(workshop, ["./open", "it"]) == [last - first + first % 4096])
  }

  /// If the linker did not follow the order, the code between the anchors is not the ordered code.
  @Test func aRegionThatIsNotTheOrderedOneIsNotPrefetched() throws {
    let workshop = try Self.linked(PrefetchTests.links[0])
    func link(_ order: [String], _ filler: String = "main.c") throws {
      try workshop.write((order.joined(separator: "\n") + "\n").utf8, "other.order")
      try workshop.must(
        "clang",
        [
          "-O1", "-ffunction-sections", "-fuse-ld=lld", filler, "prefetch.c", "-o", "app",
          "-Wl,--symbol-ordering-file=other.order",
        ])
    }
    try link(["orderfile_prefetch_last", "first", "orderfile_prefetch_first"])
    #expect(try Self.prefetched(workshop, ["./app"]) == [])
    let large =
      "__attribute__((noinline)) int unused9(int x) { __asm__ volatile(\".skip 200000\"); return x; }\n"
    try workshop.write((large + workshop.text("main.c")).utf8, "large.c")
    try link(["orderfile_prefetch_first", "main", "unused9", "orderfile_prefetch_last"], "large.c")
    #expect(try Self.prefetched(workshop, ["./app"]) == [])
  }

  /// The source file is linked into a library of the program, or its last anchor is in another section.
  @Test func anchorsInAnotherImageOrSectionAreReported() throws {
    let workshop = try Self.linked(PrefetchTests.links[0])
    func verified() throws -> String {
      try workshop.mustOrderfile("verify", "app.order", "--image", "app").text
    }
    let flags = ["-O1", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id"]
    let order = "-Wl,--symbol-ordering-file=app.order,--no-warn-symbol-ordering"
    try workshop.must(
      "clang",
      flags + [
        "-fPIC", "-shared", "-DORDERFILE_PREFETCH_ARRAY=\".init_array.00000\"", "prefetch.c",
        "-Wl,-soname,./prefetch.so", "-o", "prefetch.so",
      ])
    try workshop.must(
      "clang", flags + [order, "main.c", "-Wl,--no-as-needed", "./prefetch.so", "-o", "app"])
    #expect(try verified().contains("\nprefetched: nothing: the image has no anchors; "))
    // The library prefetches at most its own code.
    #expect(try Self.prefetched(workshop, ["./app"]).reduce(0, +) <= 8192)

    try workshop.must(
      "objcopy",
      ["--rename-section", ".text.orderfile_prefetch_last=elsewhere", "prefetch.o", "apart.o"])
    try workshop.must("clang", flags + [order, "main.c", "apart.o", "-o", "app"])
    #expect(
      try verified().contains("\nprefetched: nothing: the anchors are in different sections; "))
    try workshop.must("./app", [])
  }

  /// A kernel with larger pages refuses an address that is not the start of such a page.
  @Test func largerPagesAreTried() throws {
    let workshop = try Self.linked(PrefetchTests.links[0])
    for (refused, alignments) in [("1", [4, 16]), ("1..2", [4, 16, 64]), ("1+", [4, 16, 64])] {
      try workshop.must(
        "strace",
        [
          "-qq", "-o", "calls", "-e", "trace=madvise", "-e",
          "inject=madvise:error=EINVAL:when=\(refused)", "./app",
        ])
      let starts = workshop.text("calls").split(separator: "\n").compactMap { line in
        UInt64(line.split(whereSeparator: { "(,".contains($0) })[1].dropFirst(2), radix: 16)
      }
      #expect(starts.count == alignments.count)
      #expect(zip(starts, alignments).allSatisfy { $0 % (UInt64($1) << 10) == 0 }, "\(starts)")
    }
  }

  /// The initializer only makes system calls, and these touch no page.
  @Test func pagesCountsAsWithoutIt() throws {
    let workshop = try Self.linked(PrefetchTests.links[0])
    let methods = PagesTests.methods
    var counts: [[Int?]] = []
    for method in methods {
      let run = try workshop.mustOrderfile(
        "pages", "--json", "--method", method, "--", "./app")
      let image = PagesWorkshop.image("app", in: run.json)
      counts.append(["textPages", "textPagesRead"].map { image[$0] as? Int })
    }
    #expect(Set(counts).count == 1, "\(counts)")
    let run = try workshop.mustOrderfile("pages", "--json", "--", "./app")
    #expect(run.json["method"] as? String == methods[0])
  }

  /// With two arguments, the program also runs functions that the recorded launch did not run, and that have many pages.
  @Test func pagesVerifyAndDiffSayWhatALaunchUsesOutsideOfTheRegion() throws {
    let large =
      "__attribute__((noinline)) int unused1(int x) { __asm__ volatile(\".rept 40000\\n nop\\n .endr\"); return x; }"
    let source = Self.source.replacing("F(unused1, 5) ", with: "\(large)\n")
    let workshop = try Self.linked(PrefetchTests.links[0], of: Self.recorded(source))
    func pages(_ name: String, _ words: String...) throws -> [String: Int] {
      try workshop.mustOrderfile(
        ["pages", "-q", "--json", "-o", name, "--", "./app"] + words)
      let document = try #require(
        JSONSerialization.jsonObject(with: Data(workshop.bytes(name))) as? [String: Any])
      return try #require(
        PagesWorkshop.image("app", in: document)["prefetch"] as? [String: Int])
    }
    let own = try pages("own.pages")
    let other = try pages("other.pages", "more", "more")
    #expect(own["codePages"] == other["codePages"] && own["dataPages"] == 0)
    #expect(try #require(own["touchedCode"]) > #require(own["outsideCode"]))
    #expect(try #require(own["outsideCode"]) < #require(other["outsideCode"]))
    let outside = try #require(other["outsideCode"]) + #require(other["outsideData"])
    let touched = try #require(other["touchedCode"]) + #require(other["touchedData"])

    let verify = ["verify", "app.order", "--image", "app"]
    let verified = try workshop.mustOrderfile(verify + ["--pages", "other.pages", "--json"])
    let prefetch = try #require(verified.json["prefetch"] as? [String: Any])
    #expect(prefetch["launch"] as? [String: Int] == other && prefetch["outside"] as? Int == 0)
    let text = try workshop.orderfile(
      verify + ["--pages", "other.pages", "--limit", "verify.unprefetched<=0%"])
    #expect(text.status == 2 && text.text.contains("\n  the launch: not prefetched are "))
    let percent = (100 * outside + touched - 1) / touched
    try workshop.mustOrderfile(
      verify + ["--pages", "other.pages", "--limit", "verify.unprefetched<=\(percent)%"])
    #expect(percent > 0 && percent < 100)

    let diff = try workshop.mustOrderfile(
      "diff", "plain", "app", "--trace", "app.oftrace", "--order",
      "app.order", "--pages-after", "other.pages", "--json")
    let startup = try #require(diff.json["prefetch"] as? [String: Any])
    #expect(startup["touches"] as? [String: Int] == other)
    #expect(startup["codePages"] as? Int == other["codePages"])
    let functions = try #require(startup["functions"] as? Int)
    let missed = try #require(startup["outside"] as? Int)
    #expect(functions >= 3 && missed < functions)

    // Other builds have other pages.
    try workshop.mustOrderfile("pages", "-q", "--json", "-o", "plain.pages", "--", "./plain")
    let refused = try workshop.orderfile(verify + ["--pages", "plain.pages"])
    #expect(refused.status == 3 && refused.errors.contains("plain.pages: image ID mismatch: "))
  }

  @Test func textAndJSONSayWhatIsPrefetched() throws {
    let workshop = try Self.recorded.copy()
    let run = try workshop.mustOrderfile(
      "gen", "app.oftrace", "--image", "plain", "--prefetch", "p.c", "-o", "app.order", "--json")
    let images = try #require(run.json["images"] as? [[String: Any]])
    let prefetch = try #require(images.first?["prefetch"] as? [String: Any])
    #expect(prefetch["outputPath"] as? String == "p.c")
    #expect((prefetch["codeBytes"] as? Int).map { $0 > 3000 } == true)
    #expect(
      run.errors.contains(
        "; next: remove the image, compile p.c with the project, and link it with -Wl,"))
    #expect(run.errors.contains(" of code: p.c\n"))
    for (words, message) in [
      (["-o", "p.c"], "--prefetch needs a file of its own"),
      (["--all-images", "-o", "x"], "--prefetch can't be used with --all-images"),
      (
        ["-o", "x", "--split-profile", "y", "--splitter", "bolt"], "--prefetch and --splitter bolt"
      ),
    ] {
      let refused = try workshop.orderfile(
        ["gen", "app.oftrace", "--prefetch", "p.c"] + words)
      #expect(refused.status == 64 && refused.errors.contains(message), "\(refused.errors)")
    }
  }
}
