import ByteReading
import Foundation
import OrderFileFormat
import TestSupport
import Testing

/// Compiles and links for Apple's platforms with ld64.lld: the order that its link map and `llvm-nm` read
/// back is the order that was asked for.
@Suite(.needs(.appleSDK)) struct LD64LinkerTests {
  private let sdk: AppleSDK
  private let workshop: Workshop

  init() throws {
    sdk = try AppleSDK()
    workshop = try Workshop()
  }

  private func compile(
    _ source: String, as name: String, for platform: AppleSDK.Platform = .macOS,
    flags: [String] = []
  ) throws {
    try workshop.write(source.utf8, name)
    let object = name.split(separator: ".").dropLast().joined(separator: ".") + ".o"
    try sdk.compile(name, to: object, for: platform, flags: flags, in: workshop)
  }

  private func link(
    _ objects: [String], order: [UInt8], for platform: AppleSDK.Platform = .macOS,
    flags: [String] = []
  ) throws -> MachOCode {
    try workshop.write(order, "app.order")
    try sdk.link(
      objects, to: "app", for: platform,
      flags: ["-order_file", "app.order", "-map", "app.map"] + flags, in: workshop)
    return try workshop.machOCode("app", linkMap: "app.map")
  }

  private func order(_ names: [String]) -> [OrderFileEntry] {
    names.map { OrderFileEntry(symbol: bytes($0)) }
  }

  private func expect(
    _ linked: MachOCode, beginsWith expected: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      Array(linked.mapSymbols.prefix(expected.count)) == expected, "\(linked.map)",
      sourceLocation: sourceLocation)
    #expect(
      Array(linked.symbols.prefix(expected.count)) == expected, "\(linked.symbols)",
      sourceLocation: sourceLocation)
  }

  static let cProgram = """
    #define F(n) __attribute__((noinline)) int n(int x) { __asm__ volatile(""); return x + __LINE__; }
    F(f1)
    F(f2)
    F(f3)
    static F(quiet)
    int main(void) { return f1(1) + f2(2) + f3(3) + quiet(4); }
    """

  @Test(arguments: AppleSDK.Platform.allCases)
  func functionsOfCStandInTheOrderAskedFor(platform: AppleSDK.Platform) throws {
    try compile(Self.cProgram, as: "main.c", for: platform)
    for names in [["_f3", "_main", "_quiet", "_f1"], ["_quiet", "_f2", "_f1", "_main", "_f3"]] {
      let written = OrderFileDialect.ld64LLD.write(order(names), header: ["two", "lines"])
      expect(try link(["main.o"], order: written.bytes, for: platform), beginsWith: names)
    }
  }

  @Test func methodsOfObjectiveCAreOrderedByTheirNamesWithBlanks() throws {
    try compile(
      """
      __attribute__((objc_root_class)) @interface Foo
      + (void)load; - (int)bar:(int)a with:(int)b; - (int)plain;
      @end
      @implementation Foo
      + (void)load { __asm__ volatile(""); }
      - (int)bar:(int)a with:(int)b { return a + b; }
      - (int)plain { return 1; }
      @end
      @interface Foo (Extra)
      + (void)load; - (int)more:(int)a;
      @end
      @implementation Foo (Extra)
      + (void)load { __asm__ volatile(""); }
      - (int)more:(int)a { return a; }
      @end
      int main(void) { return 0; }
      """, as: "main.m", flags: ["-fno-objc-arc"])
    let names = [
      "-[Foo(Extra) more:]", "+[Foo(Extra) load]", "_main", "-[Foo bar:with:]", "+[Foo load]",
      "-[Foo plain]",
    ]
    let written = OrderFileDialect.ld64LLD.write(order(names))
    #expect(written.unwritable.isEmpty)
    expect(try link(["main.o"], order: written.bytes), beginsWith: names)
  }

  @Test func templatesAndInitializersOfCXXAreOrdered() throws {
    try compile(
      """
      template <class T> struct Box { T v; __attribute__((noinline)) T get(T o) { return v * o + (T)sizeof(T); } };
      __attribute__((noinline)) int seed() { static volatile int s = 3; return s; }
      int global = seed();
      int main() { return Box<int>{1}.get(2) + (int)Box<double>{1}.get(3) + global; }
      """, as: "main.cpp")
    let names = [
      "__ZN3BoxIdE3getEd", "__GLOBAL__sub_I_main.cpp", "_main", "__ZN3BoxIiE3getEi", "__Z4seedv",
    ]
    let written = OrderFileDialect.ld64LLD.write(order(names))
    expect(try link(["main.o"], order: written.bytes), beginsWith: names)
  }

  static func twin(_ name: String) -> String {
    """
    static __attribute__((noinline, used)) int twin(int x) { __asm__ volatile(""); return x + \(name.count); }
    int \(name)(int x) { return twin(x) + 1; }
    """
  }

  /// Two members of an archive have a static function of the same name.
  private func compileTwins() throws {
    try compile(Self.twin("one"), as: "a.c")
    try compile(Self.twin("three"), as: "b.c")
    try compile(
      "int one(int), three(int); int main(void) { return one(1) + three(2); }", as: "main.c")
    try sdk.archive(["a.o", "b.o"], to: "libx.a", in: workshop)
  }

  @Test(arguments: [["libx.a"], ["a.o", "b.o"]])
  func anObjectFileIsTheOnlyOneThatMoves(inputs: [String]) throws {
    try compileTwins()
    func file(_ leaf: String) -> String { inputs.count == 1 ? "libx.a(\(leaf))" : leaf }
    let entries = [
      OrderFileEntry(symbol: bytes("_twin"), objectFile: bytes(file("b.o"))),
      OrderFileEntry(symbol: bytes("_main")),
    ]
    let one = try link(["main.o"] + inputs, order: OrderFileDialect.ld64LLD.write(entries).bytes)
    #expect(Array(one.map.prefix(2)) == ["\(file("b.o")) _twin", "main.o _main"], "\(one.map)")
    #expect(Array(one.symbols.prefix(2)) == ["_twin", "_main"])
    // With the object file, the order has both functions, each at a place of its own.
    let twin = OrderFileEntry(symbol: bytes("_twin"), objectFile: bytes(file("a.o")))
    let both = try link(
      ["main.o"] + inputs, order: OrderFileDialect.ld64LLD.write(entries + [twin]).bytes)
    #expect(
      Array(both.map.prefix(3)) == [
        "\(file("b.o")) _twin", "main.o _main", "\(file("a.o")) _twin",
      ], "\(both.map)")
    // The bare name moves both functions. The name of a member without its archive moves none.
    let bare = try link(["main.o"] + inputs, order: bytes("_twin\n_main\n"))
    #expect(bare.map.prefix(2).allSatisfy { $0.hasSuffix(" _twin") }, "\(bare.map)")
    let member = try link(["main.o"] + inputs, order: bytes("b.o:_twin\n"))
    #expect(member.map.first?.hasSuffix(" _twin") == (inputs.count == 2), "\(member.map)")
  }

  @Test func aliasesAndAlternativeEntriesMoveTheirFunction() throws {
    try compile(
      """
      int first(int x) { return x + 1; }
      int real(int x) { return x + 2; }
      __asm__(".globl _other\\n_other = _real");
      int last(int x) { return x + 3; }
      __asm__(".globl _whole\\n_whole: nop\\n.globl _inner\\n.alt_entry _inner\\n_inner: ret\\n");
      int main(void) { return first(1); }
      """, as: "main.c")
    let alias = try link(["main.o"], order: bytes("_last\n_other\n_main\n"))
    #expect(Array(alias.symbols.prefix(4)) == ["_last", "_other", "_real", "_main"])
    let entry = try link(["main.o"], order: bytes("_last\n_inner\n_main\n"))
    #expect(Array(entry.symbols.prefix(4)) == ["_last", "_whole", "_inner", "_main"])
  }

  @Test func aNameThatWasFoldedOrdersTheBody() throws {
    try compile(
      """
      __attribute__((noinline)) int before(int x) { return x * 5; }
      __attribute__((noinline)) int kept(int x) { return x * 7 + 11; }
      __attribute__((noinline)) int folded(int x) { return x * 7 + 11; }
      int main(void) { return before(1) + kept(2) + folded(3); }
      """, as: "main.c")
    let linked = try link(["main.o"], order: bytes("_folded\n_main\n"), flags: ["--icf=all"])
    #expect(Array(linked.symbols.prefix(3)) == ["_folded", "_kept", "_main"], "\(linked.symbols)")
  }

  /// Our reader reads a file as the linker does: each line has the effect that we read.
  @Test func commentsBlanksAndArchitecturesAreReadAsTheLinkerDoes() throws {
    try compile(Self.cProgram, as: "main.c")
    let order =
      "# _f1\n  _f3 \t # _f1\r\nx86_64:_f1\narm64: _quiet\n./main.o:_f1\narm64e:_f1\nmain.o: _f2\n"
      + "main.o:arm64:_f1\n_f1x\n\"_f1\"\n_main#_f1\n_f1"
    let entries = try read(order, .ld64LLD).entries
    let expected = entries.filter {
      ($0.architecture ?? bytes("arm64")) == bytes("arm64")
        && ($0.objectFile ?? bytes("main.o")) == bytes("main.o")
    }.map { text($0.symbol) }.filter { ["_f1", "_f2", "_f3", "_quiet", "_main"].contains($0) }
    #expect(expected == ["_f3", "_quiet", "_f2", "_main", "_f1"])
    expect(try link(["main.o"], order: bytes(order)), beginsWith: expected)
  }

  /// The first of two equal lines counts. ld64 has another rule.
  @Test func ofTwoEqualLinesTheFirstCounts() throws {
    try compile(Self.cProgram, as: "main.c")
    #expect(!OrderFileDialect.ld64LLD.lastDuplicateWins)
    expect(try link(["main.o"], order: bytes("_f3\n_f1\n_f3\n")), beginsWith: ["_f3", "_f1"])
  }

  /// Names that try the dialect's syntax; `llvm-nm` reads them back.
  @Test func oddNamesAreOrdered() throws {
    let odd = [
      "_a b", "_grüße", "_a:b", "-[Foo bar:]", "_$s4main3FooV", "a", "_a'b", "_a;b", "_.o",
      "_x.o y",
      "_arm64:x", "_CSTR;1", "_*", "_[a]",
    ]
    var assembly = ".section __TEXT,__text,regular,pure_instructions\n"
    for name in odd.sorted() { assembly += ".globl \"\(name)\"\n.p2align 2\n\"\(name)\": ret\n" }
    try compile(assembly + ".subsections_via_symbols\n", as: "odd.s")
    try compile("int main(void) { return 0; }", as: "main.c")
    let written = OrderFileDialect.ld64LLD.write(order(odd + ["_main"]))
    #expect(written.unwritable.isEmpty)
    expect(try link(["main.o", "odd.o"], order: written.bytes), beginsWith: odd + ["_main"])
  }

  /// With ThinLTO, the toolchain's clang may write a newer format than the linker reads. The next test covers the names
  /// of ThinLTO.
  @Test func linkTimeOptimizationKeepsTheNames() throws {
    try compile(Self.twin("one"), as: "a.c", flags: ["-flto=full"])
    try compile(
      "int one(int); int main(void) { return one(1); }", as: "main.c", flags: ["-flto=full"])
    let linked = try link(["main.o", "a.o"], order: bytes("_twin\n_main\n"))
    #expect(Array(linked.symbols.prefix(2)) == ["_twin", "_main"], "\(linked.symbols)")
    // After link-time optimization the object files no longer exist, so a line that names one has no effect.
    let gone = try link(["main.o", "a.o"], order: bytes("a.o:_twin\n"))
    #expect(gone.symbols.first != "_twin", "\(gone.symbols)")
  }

  /// LLD 20 and older compare a promoted function's whole name, and newer ones and ld64 the cut one: if the order file
  /// has both lines, each linker finds the function.
  @Test func aPromotedFunctionIsFoundByOneOfItsTwoLines() throws {
    try compile(
      """
      int before(int x) { return x + 1; }
      int hidden(int x) __asm__("_hidden.llvm.9137");
      __attribute__((noinline)) int hidden(int x) { __asm__ volatile(""); return x + 2; }
      int main(void) { return hidden(1); }
      """, as: "main.c")
    let linked = try link(["main.o"], order: bytes("_hidden.llvm.9137\n_hidden\n_main\n"))
    #expect(Array(linked.symbols.prefix(2)) == ["_hidden.llvm.9137", "_main"])
  }

  @Test func oneFileServesBothSlicesOfAFatImage() throws {
    var slices: [String] = []
    let names = ["arm64": ["_f3", "_main"], "x86_64": ["_quiet", "_f2"]]
    let entries = ["arm64", "x86_64"].flatMap { architecture in
      (names[architecture] ?? []).map {
        OrderFileEntry(symbol: bytes($0), architecture: bytes(architecture))
      }
    }
    let written = OrderFileDialect.ld64LLD.write(entries)
    for platform in [AppleSDK.Platform.macOS, .macOSx8664] {
      try compile(Self.cProgram, as: "main.c", for: platform)
      let linked = try link(["main.o"], order: written.bytes, for: platform)
      expect(linked, beginsWith: names[platform.architecture] ?? [])
      slices.append(platform.architecture)
    }
    #expect(slices == ["arm64", "x86_64"])
  }
}
