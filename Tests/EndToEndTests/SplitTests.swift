import Foundation
import TestSupport
import Testing

/// `orderfile gen --split-profile`: functions divided by what a launch ran of them, by real compilers and linkers.
@Suite(.needs(.recording, "clang-19")) struct SplitTests {
  /// Cleanups, exceptions caught in the thrower's caller and rethrown, `noexcept`, constructors with aliases.
  static let exceptions = """
    #include <cstdio>
    #include <cstring>
    #include <stdexcept>
    #include <string>
    #include <vector>
    struct Noisy { std::string name; ~Noisy() { std::puts(name.c_str()); } };
    struct Base { int n; Base(int n); virtual ~Base(); };
    Base::Base(int n) : n(n) { if (n > 100) std::puts("large"); }
    Base::~Base() { if (n > 50) std::puts("gone"); }
    struct Typed { int n; template <class T> Typed(T, int n); };
    template <class T> __attribute__((noinline)) Typed::Typed(T, int n) : n(n) { if (n > 100) std::puts("huge"); }
    template Typed::Typed(long, int);
    __attribute__((noinline)) static int check(int x) {
      Noisy noisy{"checked"};
      if (x > 2) throw std::runtime_error("too large");
      if (x < 0) throw 5;
      return x;
    }
    __attribute__((noinline)) static int again(int x) {
      try { return check(x); }
      catch (const std::exception &error) { std::puts("again"); throw; }
    }
    __attribute__((noinline)) static int attempt(int x) {
      Base base(x);
      Typed typed(1L, x);
      try { return again(x); }
      catch (const std::exception &error) { std::puts(error.what()); return -1; }
      catch (int number) { return number; }
    }
    __attribute__((noinline)) static int quiet(int x) noexcept { return attempt(x) + 1; }
    int main(int n, char **v) {
      int sum = quiet(1);
      for (int i = 1; i < n; i++) sum += attempt(std::atoi(v[i]));
      std::printf("%d\\n", sum);
      return 0;
    }
    """

  struct Program: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var source: String
    var compiler = "clang-19"
    var flags: [String] = ["-O2"]
    /// The arguments of the recorded launch, and of a launch that runs code which the recorded launch did not run.
    var recorded: [String] = []
    var other: [String] = []
    var isCxx: Bool { source.contains("<cstdio>") }
  }

  static func programs(of compiler: String) -> [Program] {
    [
      Program(
        testDescription: "jump tables, computed goto, longjmp",
        source: BlockTests.branches, compiler: compiler, flags: ["-O1"],
        other: ["1", "2", "3", "4"]),
      Program(
        testDescription: "exceptions not thrown", source: exceptions,
        compiler: compiler, recorded: ["2"], other: ["3", "-1", "1"]),
      Program(
        testDescription: "exceptions thrown", source: exceptions,
        compiler: compiler, recorded: ["3"], other: ["2", "-1", "200"]),
    ]
  }

  /// A folder with the program `app` and a trace of its basic blocks.
  static func recorded(
    _ program: Program, environment: [String: String] = [:]
  ) throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(program.source.utf8, program.isCxx ? "main.cpp" : "main.c")
    try build(program, "app", in: workshop)
    let run = try workshop.orderfile(
      ["record", "--breakpoints", "--blocks", "-o", "t", "--", "./app"] + program.recorded,
      environment: environment)
    try #require(run.status == 0, "\(run.errors)")
    return workshop
  }

  static func build(
    _ program: Program, _ image: String, in workshop: Workshop,
    _ flags: [String] = []
  ) throws {
    let compiler =
      program.isCxx ? program.compiler.replacing("clang", with: "clang++") : program.compiler
    try workshop.must(
      compiler,
      [
        "-ffunction-sections", blockMap, "-fuse-ld=lld", "-Wl,--build-id",
        program.isCxx ? "main.cpp" : "main.c", "-o", image,
      ] + program.flags + flags)
  }

  static let blockMap = "-fbasic-block-address-map"

  static let splitting = [
    "-fbasic-block-sections=list=app.clusters", "-Wl,--symbol-ordering-file=app.order",
    "-Wl,--fatal-warnings",
  ]

  static func profile(_ workshop: Workshop, _ name: String = "app.clusters") -> [Substring] {
    workshop.text(name).split(separator: "\n").filter { !$0.hasPrefix("#") }
  }

  @Test(.needs("clang"), arguments: programs(of: "clang"))
  func aSplitProgramIsTheSameProgram(_ program: Program) throws {
    try Self.expectSameProgram(program)
  }

  static func expectSameProgram(_ program: Program) throws {
    let workshop = try Self.recorded(program)
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split-profile", "app.clusters", "-o", "app.order")
    let profile = Self.profile(workshop)
    #expect(profile.first == "v1" && profile.count { $0.hasPrefix("f ") } > 1)
    // --fatal-warnings: each line of the order file is a symbol of the split image.
    try Self.build(program, "split", in: workshop, Self.splitting)
    for arguments in [program.recorded, program.other] {
      let plain = try workshop.start("./app", arguments).end()
      let split = try workshop.start("./split", arguments).end()
      #expect(split.text == plain.text && split.status == plain.status)
    }
    let symbols = try workshop.must("nm", ["split"]).text
    #expect(symbols.contains(".cold\n") && !symbols.contains(".eh\n"))
    let report = try workshop.mustOrderfile(
      "diff", "app", "split", "--trace", "t", "--order", "app.order", "--json")
    #expect(!report.errors.contains("not only the recorded blocks"), "\(report.errors)")
    let order = try #require(report.json["order"] as? [String: Any])
    #expect(order["inOrder"] as? Int == order["entries"] as? Int)
    // The costs of splitting equal the figures of other tools.
    let sizes = try #require(report.json["imageSizes"] as? [String: [String: Int]])
    for (image, key) in [("app", "before"), ("split", "after")] {
      let found = try #require(sizes[key])
      #expect(found["fileBytes"] == workshop.bytes(image).count)
      let sections = try workshop.must("size", ["-A", "-d", image]).text.split(separator: "\n")
        .map { $0.split(separator: " ") }
      let unwind = sections.filter {
        [".eh_frame", ".eh_frame_hdr", ".gcc_except_table"].contains($0[0])
      }
      #expect(found["unwindBytes"] == unwind.compactMap { Int($0[1]) }.reduce(0, +))
      let symbols = try workshop.must("readelf", ["-sW", image]).text
      #expect(symbols.contains("'.symtab' contains \(found["symbols"] ?? 0) entries"))
    }
    #expect((sizes["after"]?["unwindBytes"] ?? 0) > (sizes["before"]?["unwindBytes"] ?? 0))
    let text = try workshop.mustOrderfile("diff", "app", "split", "--trace", "t").text
    #expect(text.contains("%  unwind tables\n") && text.contains(" sections)\n"))

    // The same launch of the split program runs the same blocks, and no block that was split off.
    try workshop.must(
      Built.orderfile,
      ["record", "--breakpoints", "--blocks", "-o", "t2", "--", "./split"] + program.recorded)
    try workshop.mustOrderfile(
      "gen", "t2", "--image", "split", "--split-profile", "again.clusters", "-o", "again.order")
    #expect(Set(Self.profile(workshop, "again.clusters")) == Set(profile))
    let lines = { (name: String) in
      workshop.text(name).split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
    #expect(lines("again.order") == lines("app.order"))
  }

  /// The profile has the numbers that one compiler gave the blocks, and another compiler does not check them.
  @Test(.needs("clang")) func anotherCompilerThanTheRecordedOneIsFound() throws {
    var program = Program(
      testDescription: "", source: BlockTests.branches, compiler: "clang-19", flags: ["-O1"])
    let workshop = try Self.recorded(program)
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split-profile", "app.clusters", "-o", "app.order")
    program.compiler = "clang"
    try Self.build(program, "split", in: workshop, Array(Self.splitting.dropLast()))
    let report = try workshop.orderfile(
      "diff", "app", "split", "--trace", "t", "--order", "app.order", "--limit", "diff.drifted<=0")
    #expect(report.status == 2)
    #expect(
      report.text.contains(
        "other basic blocks than in the recorded build: 1 startup function:\n  main: "),
      "\(report.text)")
  }
}
