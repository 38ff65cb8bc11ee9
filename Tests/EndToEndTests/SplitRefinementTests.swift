import Foundation
import TestSupport
import Testing

/// `orderfile refine` of split programs.
@Suite(.needs(.recording, "clang-19")) struct SplitRefinementTests {
  /// 60 functions with more than a page of what a launch without arguments does not run.
  static let large: String = {
    let functions = (0..<60).map { index in
      """
      __attribute__((noinline)) int f\(index)(int n) {
        if (n > \(100 + index)) __asm__ volatile(".fill 1500, 1, 0x90");
        return n * 3 + \(index);
      }
      """
    }
    let calls = (0..<60).map { "n = f\($0)(count > 1 && \($0) % 20 == 7 ? 500 : n % 90);" }
    return functions.joined(separator: "\n") + """

      int main(int count, char **words) {
        (void)words;
        int n = count;
        \(calls.joined(separator: "\n  "))
        return n == 0;
      }
      """
  }()

  /// `large`, recorded and split, and the commands that compile and link it.
  private func largeWorkshop() throws -> (Workshop, compile: [String], link: [String]) {
    let workshop = try Workshop()
    try workshop.write(Self.large.utf8, "app.c")
    let compile = ["-O1", "-ffunction-sections", SplitTests.blockMap, "-c", "app.c", "-o", "app.o"]
    let link = ["-fuse-ld=lld", "-Wl,--build-id", "app.o", "-o", "app"]
    try workshop.must("clang-19", compile)
    try workshop.must("clang-19", link)
    try workshop.must(
      Built.orderfile, ["record", "--breakpoints", "--blocks", "-o", "t", "--", "./app"])
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split-profile", "app.clusters", "-o", "app.order")
    try workshop.must("clang-19", compile + ["-fbasic-block-sections=list=app.clusters"])
    try workshop.must("clang-19", link + ["-Wl,--symbol-ordering-file=app.order"])
    return (workshop, compile, link)
  }

  /// Refines for another launch than the recorded one, which runs three of the cold parts.
  private func refineLarge(
    _ workshop: Workshop, _ options: [String], relink: [[String]]
  ) throws -> [Int] {
    let commands = relink.map { "clang-19 " + $0.joined(separator: " ") }.joined(separator: " && ")
    let run = try workshop.must(
      Built.orderfile,
      [
        "refine", "--order", "app.order", "--image", "app", "--json", "--page-size", "4k",
        "--relink", commands + " -Wl,--symbol-ordering-file=\"$ORDERFILE_ORDER\"",
      ] + options + ["--", "./app", "more"])
    let kept = try #require(run.json["steps"] as? [[String: Any]])
      .filter { $0["isKept"] as? Bool ?? false }.compactMap { $0["textPages"] as? Int }
    #expect(kept.count >= 2 && kept == kept.sorted(by: >), "\(run.errors)")
    return kept
  }

  @Test func refineSplitsAnewWhatRan() throws {
    let (workshop, compile, link) = try largeWorkshop()
    let before = SplitTests.profile(workshop)
    let option = "-fbasic-block-sections=list=\"$ORDERFILE_SPLIT\""
    _ = try refineLarge(
      workshop, ["--split-profile", "app.clusters"], relink: [compile + [option], link])
    // The cold parts of three functions have joined the others.
    let after = SplitTests.profile(workshop)
    let changed = zip(before, after).filter { $0 != $1 }
    #expect(before.count == after.count && changed.count == 3)
    #expect(changed.allSatisfy { $1.hasPrefix($0) && $1.count > $0.count })
    let cold = workshop.text("app.order").split(separator: "\n").filter { $0.hasSuffix(".cold") }
    #expect(cold.count == 57 && !cold.contains("f7.cold") && !cold.contains("f47.cold"))
    // The image was linked with the written order file and profile.
    let image = workshop.bytes("app")
    try workshop.must("clang-19", compile + ["-fbasic-block-sections=list=app.clusters"])
    try workshop.must("clang-19", link + ["-Wl,--symbol-ordering-file=app.order"])
    #expect(workshop.bytes("app") == image)
    // Without a map it is not known what ran of each function.
    let plain = "clang-19 -O1 app.c -fuse-ld=lld -o app #"
    let run = try workshop.orderfile(
      "refine", "--order", "app.order", "--split-profile", "app.clusters", "--image", "app",
      "--relink",
      plain, "--", "./app")
    #expect(run.status != 0 && run.errors.contains("app: missing basic block address map"))
    #expect(workshop.bytes("app") == image && SplitTests.profile(workshop) == after)
  }

  @Test func refineBringsInTheColdPartsThatRan() throws {
    let (workshop, _, link) = try largeWorkshop()
    _ = try refineLarge(workshop, ["-o", "best.order"], relink: [link])
    let order = workshop.text("best.order").split(separator: "\n")
    let cold = order.filter { $0.hasSuffix(".cold") }
    #expect(cold.prefix(3) == ["f7.cold", "f27.cold", "f47.cold"] && cold.count == 60)
  }
}
