import Foundation
import TestSupport
import Testing

/// `orderfile gen --split`: functions divided by what a launch ran of them, by real compilers and linkers.
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
    /// Of the recorded launch, and of one that runs what the recorded one did not.
    var recorded: [String] = []
    var other: [String] = []
    var isCxx: Bool { source.contains("<cstdio>") }
  }

  static let programs: [Program] = ["clang-19", "clang"].flatMap { compiler in
    [
      Program(
        testDescription: "\(compiler): jump tables, computed goto, longjmp",
        source: BlockTests.branches, compiler: compiler, flags: ["-O1"],
        other: ["1", "2", "3", "4"]),
      Program(
        testDescription: "\(compiler): exceptions not thrown", source: exceptions,
        compiler: compiler, recorded: ["2"], other: ["3", "-1", "1"]),
      Program(
        testDescription: "\(compiler): exceptions thrown", source: exceptions,
        compiler: compiler, recorded: ["3"], other: ["2", "-1", "200"]),
    ]
  }

  /// A folder with the program `app` and a trace of its basic blocks.
  static func recorded(_ program: Program) throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(program.source.utf8, program.isCxx ? "main.cpp" : "main.c")
    try build(program, "app", in: workshop)
    try workshop.must(
      Built.orderfile,
      ["record", "--breakpoints", "--blocks", "-o", "t", "--", "./app"] + program.recorded)
    return workshop
  }

  static func build(
    _ program: Program, _ image: String, in workshop: Workshop, _ flags: [String] = []
  ) throws {
    let compiler =
      program.isCxx ? program.compiler.replacing("clang", with: "clang++") : program.compiler
    try workshop.must(
      compiler,
      [
        "-ffunction-sections", "-fbasic-block-address-map", "-fuse-ld=lld", "-Wl,--build-id",
        program.isCxx ? "main.cpp" : "main.c", "-o", image,
      ] + program.flags + flags)
  }

  static let splitting = [
    "-fbasic-block-sections=list=app.clusters", "-Wl,--symbol-ordering-file=app.order",
    "-Wl,--fatal-warnings",
  ]

  static func profile(_ workshop: Workshop, _ name: String = "app.clusters") -> [Substring] {
    workshop.text(name).split(separator: "\n").filter { !$0.hasPrefix("#") }
  }

  @Test(.needs("clang"), arguments: programs)
  func aSplitProgramIsTheSameProgram(_ program: Program) throws {
    let workshop = try Self.recorded(program)
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split", "app.clusters", "-o", "app.order")
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
    #expect(!report.errors.contains("count whole"), "\(report.errors)")
    let order = try #require(report.json["order"] as? [String: Any])
    #expect(order["inOrder"] as? Int == order["entries"] as? Int)

    // The same launch of the split program runs the same blocks: nothing that was split off.
    try workshop.must(
      Built.orderfile,
      ["record", "--breakpoints", "--blocks", "-o", "t2", "--", "./split"] + program.recorded)
    try workshop.mustOrderfile(
      "gen", "t2", "--image", "split", "--split", "again.clusters", "-o", "again.order")
    #expect(Set(Self.profile(workshop, "again.clusters")) == Set(profile))
    let lines = { (name: String) in
      workshop.text(name).split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
    #expect(lines("again.order") == lines("app.order"))
  }
}
