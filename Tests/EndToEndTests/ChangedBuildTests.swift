import TestSupport
import Testing

/// Layouts that differ from the recorded build in more than order.
@Suite(.needs(.recording)) struct ChangedBuildTests {
  /// A program of 24 small functions on pages of their own, of which a launch calls every fourth, and of 24 functions
  /// that no launch calls.
  static func program(keyword: String, body: (Int) -> String, besides: String = "") -> String {
    let functions = (0..<24).map { index in
      """
      \(keyword) int f\(index)(int x) { \(body(index)) }
      __attribute__((noinline)) int idle\(index)(int x) {
        __asm__ volatile(".skip 4090, 0x90");
        return x * x + \(index);
      }

      """
    }
    let idle = (0..<24).map { "x = idle\($0)(x);" }.joined(separator: " ")
    let calls = stride(from: 0, to: 24, by: 4).map { "x = f\($0)(x);" }.joined(separator: " ")
    let others = besides.isEmpty ? "" : "x = added(x);"
    return functions.joined() + besides
      + "int main(int n, char **v) { volatile int x = n; \(calls) \(others) "
      + "if (n > 100) { \(idle) } return 0; }\n"
  }

  static let noinline = "__attribute__((noinline))"
  static func distinct(_ index: Int) -> String { "return x * \(index + 3) + 1;" }
  static let added =
    "__attribute__((noinline)) int added(int x) { __asm__(\".skip 5000, 0x90\"); return x + 1; }\n"

  private static func build(
    _ workshop: Workshop, _ name: String, _ text: String, _ options: [String] = []
  ) throws {
    try workshop.write(text.utf8, name + ".c")
    try workshop.must(
      "clang",
      ["-O1", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id", name + ".c", "-o", name]
        + options)
  }

  /// Makes a trace of the instrumented old version; "before" is the release build of the old version, and "after" that
  /// of the new version.
  static func workshop(new: String) throws -> Workshop {
    let workshop = try Workshop()
    let old = program(keyword: noinline, body: distinct)
    try build(workshop, "rec", old, ["-c"])
    try workshop.must("clang", ["-O1", "-ffunction-sections", "-c", Build.coverage, "rec.c"])
    try workshop.must(
      "clang",
      ["-fuse-ld=lld", "-Wl,--build-id", "rec.o", try #require(Built.recorder), "-o", "rec"])
    try workshop.mustOrderfile("record", "-o", "t", "--", "./rec")
    try build(workshop, "before", old)
    try build(workshop, "after", new)
    return workshop
  }

  static func diff(
    _ workshop: Workshop, _ before: String = "before", _ options: [String] = []
  ) throws -> Run {
    try workshop.must(
      Built.orderfile,
      ["diff", before, "after", "--trace", "t", "--page-size", "4k"] + options)
  }

  static func pages(_ run: Run) throws -> (least: Int, most: Int) {
    let json = run.json
    return (
      try #require((json["textPages"] as? [String: Int])?["after"]),
      try #require((json["textPagesAtMost"] as? [String: Int])?["after"])
    )
  }

  @Test func codeThatTheRecordedBuildLacksHasAFigureAndACause() throws {
    let workshop = try Self.workshop(
      new: Self.program(keyword: Self.noinline, body: Self.distinct, besides: Self.added))
    try workshop.mustOrderfile("pages", "--json", "-o", "pages.json", "--", "./after")
    let text = try Self.diff(workshop, "before", ["--pages-after", "pages.json"]).text
    #expect(
      text.contains(
        "not counted: 1 function (4.9 KiB): added in the layout after, which the recorded build lacks"
      )
    )
    #expect(text.contains("not in the recorded build"))
    #expect(!text.contains("no entry recorded"))
    try workshop.must("rm", ["rec"])
    let gone = try Self.diff(workshop).text
    #expect(gone.contains("which the layout before lacks; the recorded image is gone"))
  }

  @Test func aFunctionThatWasInlinedEverywhereIsNoPageAtLeast() throws {
    let workshop = try Self.workshop(
      new: Self.program(
        keyword: "__attribute__((always_inline)) inline extern", body: Self.distinct)
    )
    try workshop.mustOrderfile("pages", "--json", "-o", "pages.json", "--", "./after")
    let pages = try Self.pages(Self.diff(workshop, "before", ["--json"]))
    let text = try Self.diff(workshop, "before", ["--pages-after", "pages.json"]).text
    #expect(text.contains("f4: not in the layout after: inlined into all callers"))
    // Only main and the C runtime run; each of the six functions may have a page.
    #expect(pages.least <= 4 && pages.most >= pages.least + 6, "\(pages)")
    let present = try #require(
      try Self.diff(workshop, "before", ["--json"]).json["present"] as? [String: Any])
    #expect(present["after"] as? Int == 1 && present["all"] as? Int == 7)
  }

  #if os(Linux)
    /// One body of the recorded build has 24 names. Six of these functions run in the other one, and nothing refers to
    /// the rest.
    @Test func ofFoldedFunctionsAsManyCountAtLeastAsRan() throws {
      let workshop = try Workshop()
      let text = Self.program(keyword: Self.noinline) { _ in "return x * 7 + 1;" }
      try Self.build(workshop, "folded", text, ["-Wl,--icf=all"])
      try Self.build(workshop, "after", text)
      try workshop.mustOrderfile("record", "--breakpoints", "-o", "t", "--", "./folded")
      let run = try Self.diff(workshop, "folded", ["--json"])
      let pages = try Self.pages(run)
      #expect(pages.least <= 4 && pages.most == pages.least + 5, "\(pages)")
      #expect(
        run.errors.contains(
          "at least as many of these functions are counted as ran, and at most all of them"))
      #expect((run.json["lowerEnds"] as? [String])?.contains("linuxFaults") ?? false)
      let report = try Self.diff(workshop, "folded").text
      #expect(report.contains("page-steps") && report.contains(", without the missing functions"))
    }
  #endif
}
