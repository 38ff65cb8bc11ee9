import Foundation
import TestSupport
import Testing

/// Builds in which basic blocks have guards of their own, as `-fsanitize-coverage` gives them without `func`.
@Suite(.needs(.recording, "clang", "ld.lld")) struct GuardedBlockTests {
  private static let program = """
    static volatile int v;
    __attribute__((noinline)) int leaf(int x) { v += x; return v * 3; }
    __attribute__((noinline)) int middle(int x) {
      for (int i = 0; i < x; i++) v += leaf(i);
      return leaf(x) + 1;
    }
    __attribute__((noinline)) int unused(int x) { return x + v; }
    int main(int count, char **words) { return middle(count) & 1; }

    """

  private static func build(_ workshop: Workshop, _ coverage: String) throws {
    try workshop.write(program.utf8, "app.c")
    try workshop.must("clang", ["-O1", "-c", "app.c", "-fsanitize-coverage=\(coverage)"])
    let recorder = try #require(Built.recorder)
    try workshop.must(
      "clang", ["-fuse-ld=lld", "-Wl,--build-id", "app.o", recorder, "-o", "app"])
  }

  @Test(arguments: [
    "edge,trace-pc-guard,pc-table", "bb,trace-pc-guard,pc-table", "edge,trace-pc-guard",
    "func,trace-pc-guard,pc-table", "func,trace-pc-guard",
  ])
  func functionsAreCountedAndNotTheirGuards(coverage: String) throws {
    let workshop = try Workshop()
    try Self.build(workshop, coverage)
    let record = try workshop.orderfile("record", "-o", "t", "--", "./app")
    #expect(
      record.errors.contains(
        "recorded 3 first hits of 4 instrumented functions in 1 image, 0 before main,"),
      "\(record.errors)")
    let trace = try workshop.mustOrderfile("show", "--json", "t").json
    let image = try #require((trace["images"] as? [[String: Any]])?.first)
    let guards = try #require(image["guardCount"] as? Int)
    #expect((guards > 4) != coverage.hasPrefix("func"))
    let gen = try workshop.mustOrderfile("gen", "t", "--image", "app", "-o", "o")
    #expect(workshop.text("o").split(separator: "\n").suffix(3) == ["main", "middle", "leaf"])
    #expect(gen.errors.contains("ordered 3 of 3 recorded functions"), "\(gen.errors)")
  }

  /// Breakpoints are on all functions of the recorded build. No file of this build is left.
  @Test func aProfileOfASmallerBuildIsNoSignOfMissingBreakpoints() throws {
    let workshop = try Workshop()
    func build(_ functions: Int) throws {
      let bodies = (0..<functions).map {
        "__attribute__((noinline)) int f\($0)(int x) { return x + \($0); }\n"
      }
      let main = "int main(int n, char **w) { return f0(n) + f1(n) == 7; }\n"
      try workshop.write((bodies.joined() + main).utf8, "app.c")
      try workshop.must(
        "clang",
        ["-O1", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id", "app.c", "-o", "app"])
    }
    try build(20)
    try workshop.mustOrderfile("record", "--breakpoints", "-o", "t", "--", "./app")
    try workshop.mustOrderfile("merge", "t", "-o", "p")
    try build(200)
    for command in [
      ["gen", "p", "--image", "app", "-o", "o"], ["diff", "app", "app", "--trace", "p"],
    ] {
      let run = try workshop.mustOrderfile(command)
      #expect(!run.errors.contains("could get a breakpoint"), "\(run.errors)")
      #expect(!run.text.contains("no prediction"), "\(run.text)")
    }
  }
}
