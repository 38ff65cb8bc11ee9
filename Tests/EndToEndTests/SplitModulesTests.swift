import Foundation
import TestSupport
import Testing

/// `orderfile gen --split-profile` of programs of several modules: names, linkers, link-time optimization, later builds.
@Suite(.needs(.recording, "clang-19")) struct SplitModulesTests {
  /// Two modules with a function `reduce` each, of which a launch runs a part.
  static let modules = [
    "a.c": """
    #include <stdio.h>
    int other(int n);
    __attribute__((noinline)) static int reduce(int n) { if (n > 9) { puts("a"); return n / 3; } return n + 1; }
    int main(int n, char **v) { (void)v; return reduce(n) + other(n) == 3 ? 0 : 1; }
    """,
    "lib/b.c": """
    #include <stdio.h>
    __attribute__((noinline)) static int reduce(int n) { if (n % 7 == 3) { puts("b"); return n / 5; } return n; }
    int other(int n) { if (n > 5) { puts("many"); n -= 5; } return reduce(n); }
    """,
  ]

  /// A folder with `app`, compiled of `modules`, and a trace of its basic blocks.
  private func workshopOfModules(_ flags: [String]) throws -> Workshop {
    let workshop = try Workshop()
    try FileManager.default.createDirectory(
      at: workshop.folder.appendingPathComponent("lib"), withIntermediateDirectories: false)
    for (name, text) in Self.modules.sorted(by: { $0.key < $1.key }) {
      try workshop.write(text.utf8, name)
    }
    try build("app", flags, in: workshop)
    try workshop.must(
      Built.orderfile, ["record", "--breakpoints", "--blocks", "-o", "t", "--", "./app"])
    return workshop
  }

  private func build(
    _ image: String, _ flags: [String], compiler: String = "clang-19", in workshop: Workshop
  ) throws {
    try workshop.must(
      compiler,
      ["-O2", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id", "./a.c", "lib/b.c"] + flags
        + ["-o", image])
  }

  @Test func namesakesAreToldApartByTheirCompileUnits() throws {
    let flags = [SplitTests.blockMap, "-gline-tables-only", "-fdebug-info-for-profiling"]
    let workshop = try workshopOfModules(flags)
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split-profile", "app.clusters", "-o", "app.order")
    let profile = SplitTests.profile(workshop)
    #expect(profile.contains("m a.c") && profile.contains("m lib/b.c"))
    let shown = try workshop.mustOrderfile("show", "app.clusters").text
    #expect(shown.contains("a.c: reduce\n") && shown.contains("lib/b.c: reduce\n"))
    let json = try workshop.mustOrderfile("show", "--json", "app.clusters").json
    #expect(json["schema"] as? String == "orderfile.clusters/1")
    let mistaken = try workshop.orderfile(
      "diff", "app", "app", "--trace", "t", "--order", "app.clusters")
    #expect(mistaken.status != 0 && mistaken.errors.contains("a profile of basic block clusters"))
    #expect(profile.count { $0 == "f reduce" } == 2)
    try build("split", flags + SplitTests.splitting, in: workshop)
    let symbols = try workshop.must("nm", ["split"]).text
    #expect(symbols.split(separator: "\n").count { $0.hasSuffix(" reduce.cold") } == 2)
    let report = try workshop.mustOrderfile(
      "diff", "app", "split", "--trace", "t", "--order", "app.order", "--limit", "diff.drifted<=0")
    #expect(report.errors.isEmpty, "\(report.errors)")
    #expect(try workshop.start("./split", []).end().status == 0)
  }

  @Test func withoutDebugInformationNamesakesStayWhole() throws {
    let workshop = try workshopOfModules([SplitTests.blockMap])
    let run = try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split-profile", "app.clusters", "-o", "app.order",
      "--list-missing")
    #expect(
      run.errors.contains(
        """
        left whole: 2 functions
          reduce: unable to split: several functions have this name, and no debug information names their source files

        """), "\(run.errors)")
    #expect(
      SplitTests.profile(workshop).filter { $0.hasPrefix("f ") || $0.hasPrefix("m ") } == [
        "f other"
      ])
    try build("split", [SplitTests.blockMap] + SplitTests.splitting, in: workshop)
    #expect(try workshop.start("./split", []).end().status == 0)
  }

  struct Linker: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var option: String
    var order: String
  }

  @Test(
    arguments: [
      Linker(testDescription: "gnu-ld", option: "-fuse-ld=bfd", order: "-Wl,-T,app.order"),
      Linker(
        testDescription: "gold", option: "-fuse-ld=gold",
        order: "-Wl,--section-ordering-file=app.order"),
    ])
  func linkersThatOrderBySectionPlaceTheParts(_ linker: Linker) throws {
    let flags = [
      SplitTests.blockMap, "-gline-tables-only", "-fdebug-info-for-profiling", linker.option,
    ]
    let workshop = try workshopOfModules(flags)
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split-profile", "app.clusters", "-o", "app.order",
      "--linker",
      linker.testDescription)
    try build(
      "split", flags + ["-fbasic-block-sections=list=app.clusters", linker.order], in: workshop)
    let symbols = try workshop.must("nm", ["-n", "split"]).text.split(separator: "\n")
    func place(_ name: String) throws -> Int {
      try #require(symbols.firstIndex { $0.hasSuffix(" \(name)") })
    }
    #expect(try place("main") < place("other") && place("other") < place("reduce.cold"))
    #expect(try place("reduce.cold") < place("other.cold"))
    let report = try workshop.mustOrderfile(
      "diff", "app", "split", "--trace", "t", "--order", "app.order", "--json")
    let order = try #require(report.json["order"] as? [String: Any])
    #expect(order["inOrder"] as? Int == order["entries"] as? Int)
    #expect(try workshop.start("./split", []).end().status == 0)
  }

  /// With link-time optimization, the linker compiles the code and splits the functions.
  @Test(.needs("clang")) func linkTimeOptimizationSplitsToo() throws {
    try expectSplit(by: "clang", lto: "-flto=full")
  }

  func expectSplit(by compiler: String, lto: String) throws {
    let workshop = try Workshop()
    let flags = [
      lto, "-gline-tables-only", "-fdebug-info-for-profiling", "-Wl,--lto-basic-block-address-map",
    ]
    try FileManager.default.createDirectory(
      at: workshop.folder.appendingPathComponent("lib"), withIntermediateDirectories: false)
    for (name, text) in Self.modules.sorted(by: { $0.key < $1.key }) {
      try workshop.write(text.utf8, name)
    }
    try build("app", flags, compiler: compiler, in: workshop)
    try workshop.must(
      Built.orderfile, ["record", "--breakpoints", "--blocks", "-o", "t", "--", "./app"])
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split-profile", "app.clusters", "-o", "app.order")
    try build(
      "split",
      flags + [
        "-Wl,--lto-basic-block-sections=app.clusters", "-Wl,--symbol-ordering-file=app.order",
        "-Wl,--fatal-warnings",
      ], compiler: compiler, in: workshop)
    #expect(try workshop.must("nm", ["split"]).text.contains(".cold\n"))
    let report = try workshop.mustOrderfile(
      "diff", "app", "split", "--trace", "t", "--order", "app.order", "--limit", "diff.drifted<=0")
    #expect(report.errors.isEmpty, "\(report.errors)")
    #expect(try workshop.start("./split", []).end().status == 0)
  }

  @Test func whatHasOtherBlocksNowIsListedAndStaysWhole() throws {
    let workshop = try workshopOfModules([SplitTests.blockMap, "-g"])
    try workshop.mustOrderfile(
      "gen", "t", "--image", "app", "--split-profile", "app.clusters", "-o", "app.order")
    let changed = (Self.modules["lib/b.c"] ?? "").replacing(
      "if (n > 5) {", with: "if (n > 7) puts(\"seven\"); if (n > 5) {")
    try workshop.write(changed.utf8, "lib/b.c")
    try build("split", [SplitTests.blockMap, "-g"] + SplitTests.splitting.dropLast(), in: workshop)
    let diff = ["diff", "app", "split", "--trace", "t", "--order", "app.order"]
    let report = try workshop.orderfile(diff + ["--limit", "diff.drifted<=0"])
    #expect(report.status == 2)
    #expect(
      report.text.contains(
        "other basic blocks than in the recorded build: 1 startup function:\n  other: "),
      "\(report.text)")
    #expect(
      report.errors.contains(
        "error: split: diff.drifted of split: expected at most 0, found 1"),
      "\(report.errors)")
    #expect(try workshop.orderfile(diff + ["--limit", "diff.drifted<=1"]).status == 0)

    try workshop.mustOrderfile(
      "gen", "t", "--image", "split", "--split-profile", "next.clusters", "-o", "next.order")
    let next = SplitTests.profile(workshop, "next.clusters")
    #expect(!next.contains("f other") && next.count { $0 == "f reduce" } == 2)
    #expect(!workshop.text("next.order").contains("other.cold"))
  }

  @Test func errorsSayHowToRecord() throws {
    let workshop = try workshopOfModules([SplitTests.blockMap])
    try build("plain", [], in: workshop)
    try workshop.must(
      Built.orderfile, ["record", "--breakpoints", "-o", "functions", "--", "./app"])
    try workshop.must(Built.orderfile, ["record", "--breakpoints", "-o", "nomap", "--", "./plain"])
    try workshop.must("strip", ["-o", "stripped", "app"])
    for (trace, image, message) in [
      ("functions", "stripped", "stripped: only 0 of "),
      ("functions", "app", "app: missing basic blocks: the traces recorded functions only"),
      (
        "nomap", "plain",
        "plain: missing basic block address map: functions can't be split without the map"
      ),
    ] {
      let run = try workshop.orderfile(
        "gen", trace, "--image", image, "--split-profile", "x.clusters", "-o", "x.order")
      #expect(
        run.status != 0 && run.errors.contains("error: \(message)")
          && run.errors.contains("\n  hint: "), "\(run.errors)")
      #expect(!workshop.fileNames.contains { $0.hasPrefix("x.") })
    }
  }
}
