import Foundation
import TestSupport
import Testing

/// Order files that are generated again after small changes: `orderfile gen --previous` and `--fallback`.
@Suite(.needs("clang", "ld.lld")) struct RefreshTests {
  /// A program of 19 functions of about 700 bytes, and four launches of it.
  private let source = """
    #include <string.h>
    #define F(n) __attribute__((noinline)) int n(int x) { __asm__ volatile(".skip 700, 0x90"); return x + 1; }
    F(a1) F(a2) F(a3) F(a4) F(a5) F(b1) F(b2) F(b3) F(b4) F(c1) F(c2) F(c3) F(c4) F(z1) F(z2) F(z3) F(z4) F(z5)
    #if CHANGES >= 1
    F(n1)
    #else
    #define n1(x) x
    #endif
    int main(int argc, char **argv) {
    #if CHANGES >= 2
      int x = a2(a1(a3(a4(a5(n1(0))))));
    #else
      int x = a1(a2(a3(a4(a5(n1(0))))));
    #endif
    #if CHANGES >= 3
      if (strchr(argv[1], 'b')) x += b1(b2(b4(x)));
    #else
      if (strchr(argv[1], 'b')) x += b1(b2(b3(b4(x))));
    #endif
      if (strchr(argv[1], 'c')) x += c1(c2(c3(c4(x))));
      if (strchr(argv[1], 'z')) x += z1(z2(z3(z4(z5(x)))));
      return x > 1000;
    }

    """

  /// Builds the program after `changes` changes, and records its launches into the folder `traces`.
  private func record(_ workshop: Workshop, changes: Int) throws {
    try workshop.must(
      "clang",
      [
        "-O1", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id", "-DCHANGES=\(changes)",
        "app.c", "-o", "app",
      ])
    for launch in ["ab", "ac", "abc", "z"] {
      let run = try workshop.orderfile(
        "record", "--breakpoints", "-o", "traces/\(launch).oftrace", "--", "./app", launch)
      #expect(run.status == 0, "\(run.errors)")
    }
  }

  private func entries(_ workshop: Workshop, _ name: String) -> [String] {
    workshop.text(name).split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
  }

  /// The lines that `diff` shows.
  private func changedLines(_ before: [String], _ after: [String]) -> Int {
    after.difference(from: before).count
  }

  /// Returns a folder with the source and the traces of its launches.
  private func recordedWorkshop() throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(source.utf8, "app.c")
    try FileManager.default.createDirectory(
      at: workshop.folder.appendingPathComponent("traces"), withIntermediateDirectories: false)
    try record(workshop, changes: 0)
    return workshop
  }

  @Test func smallChangesMoveFewLinesAndCostNoPages() throws {
    let workshop = try recordedWorkshop()
    let first = try workshop.orderfile("gen", "traces", "-o", "app.order")
    #expect(first.status == 0, "\(first.errors)")
    try workshop.write(workshop.bytes("app.order"), "fresh.order")
    var changed = (kept: 0, fresh: 0)
    for changes in 1...3 {
      try record(workshop, changes: changes)
      let before = (kept: entries(workshop, "app.order"), fresh: entries(workshop, "fresh.order"))
      let fresh = try workshop.orderfile("gen", "traces", "-o", "fresh.order")
      let kept = try workshop.orderfile(
        "gen", "traces", "--previous", "app.order", "-o", "app.order", "--json")
      #expect(fresh.status == 0 && kept.status == 0, "\(kept.errors)")
      let after = (kept: entries(workshop, "app.order"), fresh: entries(workshop, "fresh.order"))
      let lines = changedLines(before.kept, after.kept)
      changed.kept += lines
      changed.fresh += changedLines(before.fresh, after.fresh)
      let image = try #require((kept.json["images"] as? [[String: Any]])?.first)
      let previous = try #require(image["previous"] as? [String: Any])
      let counts = ["moved", "new", "leftOut"].map { previous[$0] as? Int ?? -1 }
      #expect(previous["kept"] as? Int == after.kept.count - counts[0] - counts[1])
      #expect(lines == 2 * counts[0] + counts[1] + counts[2])
      #expect(
        kept.errors.contains(
          "kept the places of \(previous["kept"] as? Int ?? -1) of \(after.kept.count) entries"))

      for name in ["fresh", "app"] {
        try workshop.must(
          "clang",
          [
            "-O1", "-ffunction-sections", "-fuse-ld=lld", "-DCHANGES=\(changes)", "app.c", "-o",
            name + ".ordered", "-Wl,--symbol-ordering-file=\(name).order",
            "-Wl,--no-warn-symbol-ordering",
          ])
      }
      for size in ["4k", "16k"] {
        let diff = try workshop.orderfile(
          "diff", "fresh.ordered", "app.ordered", "--trace", "traces", "--page-size", size, "--json"
        )
        #expect(diff.status == 0, "\(diff.errors)")
        let launches = try #require(
          (diff.json["perTrace"] as? [String: Any])?["traces"] as? [[String: Any]])
        #expect(launches.count == 4)
        for launch in launches {
          let pages = try #require(launch["textPages"] as? [String: Any])
          let (fresh, kept) = (pages["before"] as? Int ?? 0, pages["after"] as? Int ?? .max)
          #expect(kept <= fresh, "change \(changes), \(size): \(launch)")
        }
      }
    }
    #expect(changed.kept < changed.fresh, "\(changed)")
  }

  @Test func theBoundOnLostPagesIsKeptAndSaid() throws {
    let workshop = try recordedWorkshop()
    // A previous order in which no launch finds its functions together, without z5, and with a function that is gone.
    let first = try workshop.orderfile("gen", "traces", "-o", "fresh.order")
    #expect(first.status == 0, "\(first.errors)")
    let fresh = entries(workshop, "fresh.order").filter { $0 != "z5" }
    let half = fresh.count / 2
    let shuffled =
      (0..<half).flatMap { [fresh[$0], fresh[$0 + half]] } + ["gone"] + fresh[(2 * half)...]
    try workshop.write((shuffled.joined(separator: "\n") + "\n").utf8, "old.order")
    var kept: [Int] = []
    for lost in [0, 1, 9] {
      let run = try workshop.orderfile(
        "gen", "traces", "--previous", "old.order", "--lost-pages", "\(lost)", "-o", "app.order",
        "--json")
      #expect(run.status == 0, "\(run.errors)")
      let image = try #require((run.json["images"] as? [[String: Any]])?.first)
      let previous = try #require(image["previous"] as? [String: Any])
      let predicted = try #require(previous["predicted"] as? [String: Any])
      let pages = try #require(predicted["pages"] as? [String: Int])
      let (before, after) = (pages["new"] ?? .max, pages["kept"] ?? .max)
      #expect(predicted["launches"] as? Int == 4 && after <= before + 4 * lost)
      #expect(previous["lostPages"] as? Int == lost)
      #expect(run.errors.contains("\npredicted: "), "\(run.errors)")
      kept.append(previous["kept"] as? Int ?? -1)
    }
    #expect(kept == kept.sorted() && kept[0] < kept[2] && kept[2] == fresh.count, "\(kept)")
    for wrong in [["--lost-pages", "1"], ["--previous", "old.order", "--lost-pages", "-1"]] {
      #expect(try workshop.orderfile(["gen", "traces"] + wrong).status == 64)
    }
  }

  /// A program that reads a file, and the arguments that record it.
  @Test func aChangedWorkloadIsNoticed() throws {
    let workshop = try Workshop()
    try workshop.write("int main(void) { return 0; }".utf8, "app.c")
    try workshop.must("clang", ["-fuse-ld=lld", "-Wl,--build-id", "app.c", "-o", "app"])
    func record(_ trace: String, _ arguments: [String], inputs: [String]) throws {
      let run = try workshop.orderfile(
        ["record", "--breakpoints", "-o", trace] + inputs.flatMap { ["--reads", $0] }
          + ["--", "./app"] + arguments)
      #expect(run.status == 0, "\(run.errors)")
    }
    func gen(_ arguments: String...) throws -> String {
      let run = try workshop.orderfile(["gen"] + arguments + ["-o", "new.order"])
      #expect(run.status == 0, "\(run.errors)")
      return run.errors
    }
    try workshop.write("1".utf8, "x.sql")
    try workshop.write("2".utf8, "y.sql")
    try record("x.oftrace", ["x.sql"], inputs: ["x.sql"])
    try record("y.oftrace", ["y.sql"], inputs: ["y.sql"])
    #expect(!(try gen("x.oftrace", "y.oftrace")).contains("workload"))
    try workshop.write(workshop.bytes("new.order"), "app.order")
    let header = workshop.text("app.order").split(separator: "\n").filter {
      $0.contains("launch x")
    }
    #expect(header.count == 1 && header[0].hasPrefix("# launch x.oftrace: command line "))
    #expect(
      try workshop.orderfile("show", "x.oftrace").text.contains("input af63ac4c86019afc x.sql"))
    // A profile of the traces gives the same warnings.
    #expect(try workshop.orderfile("merge", "x.oftrace", "y.oftrace", "-o", "p").status == 0)
    _ = try gen("p")
    #expect(workshop.bytes("new.order") == workshop.bytes("app.order"))
    #expect(try workshop.orderfile("show", "p").text.contains("launch y.oftrace: command line "))

    try record("x.oftrace", ["x.sql"], inputs: ["x.sql"])
    try record("z.oftrace", ["z.sql"], inputs: [])
    #expect(
      !(try gen("x.oftrace", "y.oftrace", "z.oftrace", "--previous", "app.order"))
        .contains("workload"))
    try workshop.write("3".utf8, "x.sql")
    try record("x.oftrace", ["x.sql"], inputs: ["x.sql"])
    try record("y.oftrace", ["y.sql", "-q"], inputs: ["y.sql"])
    #expect(
      try gen("x.oftrace", "y.oftrace", "z.oftrace", "--previous", "app.order").contains(
        "warning: app.order: launches have changed since this order file was made: inputs of x.oftrace, command line of y.oftrace"
      ))
    #expect(
      try gen("p", "x.oftrace", "y.oftrace").contains(
        "launches of the same name and command line had different inputs: x.oftrace\n"))
    let missing = try workshop.orderfile(
      "record", "--breakpoints", "--reads", "none.sql", "--", "./app")
    #expect(missing.status == 1 && missing.errors.contains("none.sql: No such file"))
  }

  @Test func theFallbackIsUsedIfATraceIsMissing() throws {
    let workshop = try Workshop()
    try workshop.write("# good\nmain\nf\n".utf8, "last.order")
    try workshop.write("no trace".utf8, "broken")
    let arguments = ["--fallback", "last.order", "-o", "app.order"]
    let run = try workshop.orderfile(["gen", "gone.oftrace", "--json"] + arguments)
    #expect(run.status == 0 && workshop.text("app.order") == "# good\nmain\nf\n")
    #expect(run.errors.contains("used the fallback last.order, 2 entries: app.order\n"))
    #expect(run.errors.contains("no new order: gone.oftrace: No such file or directory\n"))
    #expect((run.json["fallback"] as? [String: Any])?["path"] as? String == "last.order")
    #expect((run.json["images"] as? [Any])?.isEmpty == true)
    let inPlace = try workshop.orderfile(
      "gen", "gone.oftrace", "--fallback", "last.order", "-o", "last.order")
    #expect(inPlace.status == 0 && workshop.text("last.order") == "# good\nmain\nf\n")
    let printed = try workshop.orderfile("gen", "gone.oftrace", "-q", "--fallback", "last.order")
    #expect(printed.text == "# good\nmain\nf\n" && printed.errors.isEmpty)

    let broken = try workshop.orderfile(["gen", "broken"] + arguments)
    #expect(broken.status == 1 && broken.errors.contains("broken: "))
    let unreadable = try workshop.orderfile("gen", "gone.oftrace", "--fallback", "none.order")
    #expect(unreadable.status == 1 && unreadable.errors.contains("none.order: "))
    let split = try workshop.orderfile(["gen", "gone.oftrace", "--split-profile", "x"] + arguments)
    #expect(split.status == 64)
  }
}
