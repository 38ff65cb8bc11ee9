import Foundation
import OrderFileCommands
import TestSupport
import Testing

/// The way from a trace to the order of a relinked Mach-O image. The trace is made up. The images, the link maps and
/// the linker are real, and so are the two tools that judge the result.
@Suite(.needs(.appleSDK)) struct GenMachOTests {
  private let sdk: AppleSDK
  private let workshop: Workshop
  private var folder: String { workshop.folder.path + "/" }

  init() throws {
    sdk = try AppleSDK()
    workshop = try Workshop()
  }

  private static func twin(_ name: String, _ value: Int) -> String {
    """
    static __attribute__((noinline, used)) int twin(int x) { __asm__ volatile(""); return x + \(value); }
    int \(name)(int x) { return twin(x) + 1; }
    int \(name)_cold(int x) { return x + \(value); }
    """
  }

  private static let main = """
    int one(int), two(int), hot(int);
    int unused(int x) { return x * 3; }
    __attribute__((noinline)) int late(int x) { __asm__ volatile(""); return x + 4; }
    int main(int c, char **v) { return one(1) + two(2) + hot(3) + late(c); }
    """
  private static let hot = """
    template <class T> __attribute__((noinline)) T twice(T x) { __asm__ volatile(""); return x + x; }
    static int seed() { static volatile int s = 3; return s; }
    int global = seed();
    extern "C" int hot(int x) { return twice(x) + twice((char)x) + global; }
    """

  /// Links `image`. With debug information it has a debug map; otherwise only `image.map` states the object files.
  private func link(
    _ image: String, for platform: AppleSDK.Platform = .macOS, compileFlags: [String] = ["-g"],
    linkFlags: [String] = []
  ) throws {
    let sources = [
      "main.c": Self.main, "a.c": Self.twin("one", 1), "b.c": Self.twin("two", 2),
      "hot.cpp": Self.hot,
    ]
    for (name, text) in sources.sorted(by: { $0.key < $1.key }) {
      try workshop.write(text.utf8, name)
      let object = name.prefix { $0 != "." } + ".o"
      try sdk.compile(name, to: String(object), for: platform, flags: compileFlags, in: workshop)
    }
    try? FileManager.default.removeItem(atPath: folder + "libx.a")
    try sdk.archive(["a.o", "b.o"], to: "libx.a", in: workshop)
    try sdk.link(
      ["main.o", "hot.o", "libx.a"], to: image, for: platform,
      flags: ["-map", "\(image).map", "-dead_strip"] + linkFlags, in: workshop)
  }

  /// Writes a trace of `image` in which the functions `names` ran. Each name has an index among the functions of that
  /// name, by address.
  private func writeTrace(of image: String, _ names: [(String, Int)], to name: String) throws {
    let symbols = try workshop.run("llvm-nm-19", ["-n", image]).output.split(separator: "\n")
      .map { $0.split(separator: " ", maxSplits: 2) }.filter { $0.count == 3 }
    let headers = try workshop.run("llvm-objdump-19", ["--macho", "-p", image]).output
    let uuid = try #require(headers.firstRange(of: " uuid ").map { headers[$0.upperBound...] })
      .prefix { !$0.isNewline }.filter { $0 != "-" }
    let id = stride(from: 0, to: 32, by: 2).compactMap { at in
      UInt8(uuid.dropFirst(at).prefix(2), radix: 16)
    }
    var trace = TraceWriter()
    trace.program = folder + image
    let load = TraceWriter.Image(
      path: folder + image, text: 0x1_0000_0000..<0x1_0001_0000, idKind: 2, id: id)
    trace.addLoad(load)
    for (index, (symbol, place)) in names.enumerated() {
      let addresses = symbols.filter { $0[2] == symbol }.compactMap { UInt64($0[0], radix: 16) }
      try #require(place < addresses.count, "\(symbol)")
      trace.addHit(load, guard: UInt64(index), entry: addresses[place])
    }
    try workshop.write(trace.bytes(), name)
  }

  /// Returns the lines of the order file, without comments.
  private func gen(_ words: String) throws -> [String] {
    let words = words.split(separator: " ").map { word in
      word.hasPrefix("@") ? folder + word.dropFirst() : String(word)
    }
    let (status, message) = MessageTests.run(["gen"] + words + ["-o", folder + "app.order"])
    try #require(status == 0, "\(message)")
    return try String(contentsOfFile: folder + "app.order", encoding: .utf8)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
  }

  /// The initializer of C++'s `global`. No trace has it, but the image states that it runs before `main`.
  private static let initializer = "__GLOBAL__sub_I_hot.cpp"
  private static let launch = [
    ("_main", 0), ("_two", 0), ("_twin", 1), ("_hot", 0), ("__Z5twiceIcET_S0_", 0), ("_late", 0),
  ]
  private static let expected = [
    "_main", "_two", "libx.a(b.o):_twin", "_hot", "__Z5twiceIcET_S0_", "_late",
  ]

  private static let bare = expected.map {
    $0.replacingOccurrences(of: "libx.a(b.o):", with: "")
  }

  /// Only the link map states the linker's name of an object file. Without the map, the line has a bare name, which
  /// moves both twins.
  @Test(
    arguments: [
      (["-g"], "@app", bare), (["-g"], "@app --link-map @app.map", expected),
      ([], "@app --link-map @app.map", expected), ([], "@app", bare),
      ([], "@app --link-map @app.map --linker ld-prime", bare),
    ] as [([String], String, [String])])
  func theRelinkedImageBeginsWithTheLaunch(
    flags: [String], release: String, expected: [String]
  ) throws {
    try link("rec", compileFlags: ["-g", "-O1"])
    try writeTrace(of: "rec", Self.launch, to: "t")
    try link("app", compileFlags: flags)
    let lines = try gen("@t --image \(release)")
    let placed = [Self.initializer] + expected
    #expect(lines == placed)
    try link("again", compileFlags: flags, linkFlags: ["-order_file", "app.order"])
    let code = try workshop.machOCode("again", linkMap: "again.map")
    var symbols = placed.map { $0.split(separator: ":").last.map(String.init) ?? $0 }
    let isTold = expected.contains { $0.hasPrefix("libx.a") }
    // A bare name moves both twins.
    if !isTold { symbols.insert("_twin", at: 3) }
    #expect(Array(code.symbols.prefix(symbols.count)) == symbols)
    #expect(Array(code.mapSymbols.prefix(symbols.count)) == symbols)
    if isTold {
      #expect(code.map[3] == "libx.a(b.o) _twin")
      #expect(code.map.dropFirst(symbols.count).contains("libx.a(a.o) _twin"))
    }
  }

  private static let loaded = """
    __attribute__((objc_root_class)) @interface Foo
    + (void)load; + (int)first:(int)a then:(int)b;
    @end
    @implementation Foo
    + (int)first:(int)a then:(int)b { return a + b; }
    + (void)load { __asm__ volatile(""); }
    @end
    """

  /// A map states initializers only by their names: `+load` methods run before static initializers, and both run before
  /// the traced functions.
  @Test func aLinkMapIsEnoughAndItsInitializersGoFirst() throws {
    try workshop.write(Self.loaded.utf8, "foo.m")
    try sdk.compile("foo.m", to: "foo.o", for: .macOS, in: workshop)
    try link("rec", linkFlags: ["foo.o"])
    try writeTrace(of: "rec", Self.launch + [("+[Foo first:then:]", 0)], to: "t")
    try link("app", compileFlags: [], linkFlags: ["foo.o"])
    #expect(try gen("@t --link-map @app.map").contains("_twin"), "ld-prime, which is assumed")
    let lines = try gen("@t --link-map @app.map --linker lld")
    let expected =
      ["+[Foo load]", "__GLOBAL__sub_I_hot.cpp"] + Self.expected + ["+[Foo first:then:]"]
    #expect(lines == expected)
    try link("again", compileFlags: [], linkFlags: ["foo.o", "-order_file", "app.order"])
    let code = try workshop.machOCode("again", linkMap: "again.map")
    #expect(code.map.prefix(2) == ["foo.o +[Foo load]", "hot.o __GLOBAL__sub_I_hot.cpp"])
    #expect(code.mapSymbols[8] == "+[Foo first:then:]")
  }

  /// If both twins ran, each is at its own place.
  @Test func bothTwinsHaveTheirOwnPlaces() throws {
    try link("rec")
    try writeTrace(
      of: "rec", [("_twin", 1), ("_main", 0), ("_twin", 0), ("_hot", 0)], to: "t")
    #expect(
      try gen("@t --linker ld-prime") == [Self.initializer, "_twin", "_main", "_hot"])
    let lines = try gen("@t --image @rec --link-map @rec.map")
    #expect(
      lines == [Self.initializer, "libx.a(b.o):_twin", "_main", "libx.a(a.o):_twin", "_hot"])
    try link("again", linkFlags: ["-order_file", "app.order"])
    let code = try workshop.machOCode("again", linkMap: "again.map")
    #expect(
      code.map.dropFirst().prefix(4) == [
        "libx.a(b.o) _twin", "main.o _main", "libx.a(a.o) _twin", "hot.o _hot",
      ])
  }

  /// When `diff` compares images, it takes no object file from their debug maps: a debug map does not show files made
  /// by `ld -r`.
  @Test func aPackedObjectFileIsFoundByDiff() throws {
    try link("before")
    try workshop.write("packed.o:_twin\n_main\n".utf8, "app.order")
    try link("after", linkFlags: ["-order_file", "app.order"])
    try writeTrace(of: "before", [("_main", 0)], to: "t")
    let words = ["before", "after", "--trace", "t", "--order", "app.order"].map {
      $0.hasPrefix("--") ? $0 : folder + $0
    }
    let (_, message) = MessageTests.run(["diff"] + words)
    #expect(!message.contains("no such symbol in that object file"), "\(message)")
  }

  /// Three static functions have one name, and two of them are folded into one body. The linker expects the object file
  /// of the function that it kept.
  @Test(arguments: [["-g"], []], [0, 1, 2])
  func aFoldedTwinIsOrderedWithItsBody(flags: [String], place: Int) throws {
    func build(_ image: String, _ compileFlags: [String], _ linkFlags: [String]) throws {
      let sources = [
        ("a", Self.foldable("a", 7)), ("b", Self.foldable("b", 7)), ("c", Self.foldable("c", 9)),
        (
          "main",
          "int a(int), b(int), c(int); int main(void) { return a(1) + b(2) + c(3); }"
        ),
      ]
      for (name, text) in sources {
        try workshop.write(text.utf8, "\(name).c")
        try sdk.compile(
          "\(name).c", to: "\(name).o", for: .macOS, flags: compileFlags, in: workshop)
      }
      try sdk.link(
        ["main.o", "a.o", "b.o", "c.o"], to: image, for: .macOS,
        flags: ["-map", "\(image).map"] + linkFlags, in: workshop)
    }
    try build("rec", ["-g", "-O1"], [])
    try writeTrace(of: "rec", [("_twin", place), ("_main", 0)], to: "t")
    try build("app", flags, ["--icf=all"])
    let lines = try gen("@t --image @app --link-map @app.map")
    try build("again", flags, ["--icf=all", "-order_file", "app.order"])
    let code = try workshop.machOCode("again", linkMap: "again.map")
    let twins = place < 2 ? 2 : 1
    let first = [String](repeating: "_twin", count: twins) + ["_main"]
    #expect(Array(code.symbols.prefix(first.count)) == first, "\(lines)")
    #expect(code.map.first == (place < 2 ? "a.o _twin" : "c.o _twin"), "\(lines)")
  }

  private static func foldable(_ name: String, _ factor: Int) -> String {
    """
    static __attribute__((noinline)) int twin(int x) { return x * \(factor) + 11; }
    int \(name)(int x) { return twin(x) * twin(x + \(name.utf8.first ?? 0)); }
    """
  }

  @Test func theFilesOfSlicesCanBePutIntoOne() throws {
    var all: [String] = []
    for platform in [AppleSDK.Platform.macOS, .macOSx8664] {
      try link("app.\(platform.architecture)", for: platform)
    }
    let lipo = try workshop.run(
      sdk.lipo, ["-create", "app.arm64", "app.x86_64", "-output", "app"])
    try #require(lipo.status == 0, "\(lipo.output)")
    for (platform, names) in [
      (AppleSDK.Platform.macOS, ["_late", "_main"]), (.macOSx8664, ["_hot", "_late"]),
    ] {
      let architecture = platform.architecture
      try writeTrace(of: "app.\(architecture)", names.map { ($0, 0) }, to: "t")
      // The trace's image is one of the slices, with or without the architecture in the command line.
      let lines = try gen("@t --recorded @app.\(architecture) --image @app --arch \(architecture)")
      #expect(lines == ([Self.initializer] + names).map { "\(architecture):\($0)" })
      all += lines
    }
    try workshop.write(all.joined(separator: "\n").utf8, "app.order")
    for (platform, first) in [(AppleSDK.Platform.macOS, "_late"), (.macOSx8664, "_hot")] {
      try link("again", for: platform, linkFlags: ["-order_file", "app.order"])
      #expect(try workshop.machOCode("again", linkMap: "again.map").symbols[1] == first)
    }
  }

  @Test(arguments: ["gold", "gnu-ld"])
  func anotherLinkersDialectIsRefused(format: String) throws {
    try link("app")
    try writeTrace(of: "app", [("_main", 0)], to: "t")
    for release in ["", "--image @app", "--link-map @app.map"] {
      let words = "gen @t \(release) --linker \(format) -o @x".split(separator: " ").map { word in
        word.hasPrefix("@") ? folder + word.dropFirst() : String(word)
      }
      let (status, message) = MessageTests.run(words)
      #expect(status == 3)
      #expect(
        message.hasSuffix(
          ": linker mismatch: expected a linker for Mach-O, found '\(format)' for ELF\n"
            + "  hint: leave out '--linker', or use one of: ld-prime, ld64.lld, ld64"), "\(message)"
      )
    }
    for linker in ["lld", "ld64", "ld-prime", "ld64.lld"] {
      #expect(try gen("@t --linker \(linker)") == [Self.initializer, "_main"])
    }
  }

  /// `diff --order` reads the outcome of each line from the map that was linked with it.
  @Test func diffSaysWhatBecameOfEachLine() throws {
    try link("before")
    let order = """
      libx.a(b.o):_twin
      _main
      _unused
      a.o:_twin
      _nowhere
      _main
      CSTR;17
      x86_64:_late
      -[Foo bar:]
      arm64:_hot
      _two
      main.o:_late
      _one
      """
    try workshop.write(order.utf8, "my.order")
    try link("after", linkFlags: ["-order_file", "my.order"])
    for after in ["after.map", "after"] {
      let words = [
        "diff", folder + "before.map", folder + after, "--order", folder + "my.order", "--json",
        "-o",
        folder + "report",
      ]
      let (status, message) = MessageTests.run(words)
      try #require(status == 0, "\(message)")
      let data = try Data(contentsOf: workshop.folder.appendingPathComponent("report"))
      let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      let compliance = try #require(report["order"] as? [String: Any], "\(report.keys)")
      let isMap = after == "after.map"
      // Only the map shows that a.o has another name.
      #expect(compliance["present"] as? Int == (isMap ? 6 : 7))
      #expect(compliance["inOrder"] as? Int == 6)
      let unorderable = try #require(
        compliance["unorderable"] as? [[String: Any]], "\(compliance.keys)")
      // The image states which linker wrote it. Of equal lines, ld64.lld takes the first and ld64 the last.
      let duplicate = "_main duplicate ordered symbol"
      #expect(
        unorderable.map { "\($0["name"] ?? "") \($0["reason"] ?? "")" }
          == [
            isMap ? duplicate : nil,
            "_unused " + (isMap ? "unable to order discarded symbol" : "no such symbol"),
            isMap ? "_twin no such symbol in that object file" : nil, "_nowhere no such symbol",
            isMap ? nil : duplicate, "-[Foo bar:] no such symbol",
          ].compactMap { $0 })
    }
  }
}
