import TestSupport
import Testing

/// A trace of an older build, some of whose functions were renamed since.
@Suite(.needs(.recording)) struct StaleTraceTests {
  /// A program of 200 functions. A launch uses every fifth function; these lie far apart. The names have a prefix for
  /// the version.
  static func program(renamed: Bool) -> String {
    let names = (0..<200).map { renamed && $0 % 50 == 0 ? "next_f\($0)" : "f\($0)" }
    let bodies = names.enumerated().map { index, name in
      """
      __attribute__((noinline)) int \(name)(int x) {
        __asm__ volatile(".skip 900, 0x90");
        return x + \(index);
      }

      """
    }
    let calls = stride(from: 0, to: 200, by: 5).map { "x = \(names[$0])(x);" }
    return bodies.joined()
      + "int main(int n, char **v) { volatile int x = n; \(calls.joined(separator: " ")) return 0; }"
  }

  /// Makes "old.oftrace", a trace of the older version, and two builds of the newer version: "app", and "ordered",
  /// which is ordered by the trace.
  static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    let recorder = try #require(Built.recorder)
    for (name, isRenamed) in [("old", false), ("app", true)] {
      try workshop.write(program(renamed: isRenamed).utf8, "\(name).c")
      let compile = ["-O1", "-ffunction-sections", "-c", "\(name).c", "-o"]
      let link = ["-fuse-ld=lld", "-Wl,--build-id", "-o"]
      try workshop.must("clang", compile + ["\(name).rec.o", Build.coverage])
      try workshop.must("clang", link + ["\(name).rec", "\(name).rec.o", recorder])
      try workshop.must("clang", compile + ["\(name).o"])
      try workshop.must("clang", link + [name, "\(name).o"])
      try workshop.mustOrderfile("record", "-o", "\(name).oftrace", "--", "./\(name).rec")
    }
    try workshop.mustOrderfile("gen", "old.oftrace", "--image", "app", "-o", "app.order")
    try workshop.must(
      "clang",
      ["-fuse-ld=lld", "-Wl,--build-id", "-Wl,--symbol-ordering-file=app.order"]
        + ["-o", "ordered", "app.o"])
    return workshop
  }

  @Test func renamedFunctionsMakeThePredictionABandAndNoGateEasier() throws {
    let workshop = try Self.workshop()
    func pages(_ trace: String) throws -> (least: Int, most: Int, text: String) {
      let diff = ["diff", "app", "ordered", "--page-size", "4k", "--trace", trace]
      let json = try workshop.must(Built.orderfile, diff + ["--json"]).json
      let text = try workshop.must(Built.orderfile, diff).text
      return (
        try #require((json["textPages"] as? [String: Int])?["after"]),
        try #require((json["textPagesAtMost"] as? [String: Int])?["after"]), text
      )
    }
    let stale = try pages("old.oftrace")
    let fresh = try pages("app.oftrace")
    #expect(fresh.least == fresh.most)
    #expect(stale.least < fresh.least && fresh.least <= stale.most)
    #expect(stale.text.contains(": renamed, inlined, merged or removed in the release build"))
    #expect(stale.text.contains("37 of 41 startup functions are in the layout before"))

    func gate(_ options: String...) throws -> Run {
      try workshop.orderfile(
        ["diff", "app", "ordered", "--page-size", "4k", "--trace", "old.oftrace"] + options)
    }
    #expect(try gate("--limit", "diff.predictedPagesAtMost<=\(stale.most)").status == 0)
    let tooMany = try gate("--limit", "diff.predictedPagesAtMost<=\(fresh.least - 1)")
    #expect(tooMany.status == 2)
    #expect(tooMany.errors.contains("expected at most \(fresh.least - 1), found \(stale.most)\n"))
    #expect(try gate("--limit", "diff.present>=90%").status == 0)
    let tooFew = try gate("--limit", "diff.present>=95%")
    #expect(tooFew.status == 2)
    #expect(
      tooFew.errors.contains("diff.present of ordered: expected at least 95%, found 90.24%\n"))
  }
}
