import Foundation
import TestSupport
import Testing

/// Functions whose sections are not named for them, and output sections that split an order, as `gen`, `diff` and
/// `verify` see them.
@Suite(.needs("gcc", "ld.gold", "ld.bfd")) struct SectionNamesTests {
  private static let program = """
    #define F(n) __attribute__((noinline)) void n(void) { __asm__(""); }
    F(f1) F(f2) F(f3)
    __attribute__((section("startup_code"))) F(own)
    __attribute__((section(".text.zz.inside"))) F(inside)
    __attribute__((cold)) F(rare)
    int main(void) { f1(); f2(); f3(); own(); inside(); rare(); return 0; }

    """

  /// A linker, its name for `gen --linker`, and its option for order files.
  struct Linker: Sendable, CustomTestStringConvertible {
    var tool: String
    var dialect: String
    var option: String
    var testDescription: String { tool }
    var driverName: String { tool.replacing("ld.", with: "") }
  }

  static let linkers = [
    Linker(tool: "ld.gold", dialect: "gold", option: "--section-ordering-file="),
    Linker(tool: "ld.bfd", dialect: "gnu-ld", option: "-T,"),
  ]
  static let lld = Linker(tool: "ld.lld", dialect: "lld", option: "--symbol-ordering-file=")

  private func link(
    _ workshop: Workshop, _ linker: Linker, _ name: String, _ options: [String] = []
  ) throws {
    let path = try #require(toolPath(linker.tool))
    try workshop.must(
      "gcc",
      ["-O2", "-ffunction-sections", "main.c", "-o", name, "-Wl,-Map=\(name).map"]
        + options + workshop.use(linker: path, as: linker.driverName))
  }

  /// `app.order` for `plain` with or without the link map, and `app`, which is linked with it.
  private func ordered(by linker: Linker, _ options: [String]) throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(Self.program.utf8, "main.c")
    try link(workshop, linker, "plain")
    try workshop.write("main\ninside\nf3\nown\nf1\n".utf8, "list")
    try workshop.mustOrderfile("import", "symbols", "list", "--image", "plain", "-o", "t")
    try workshop.mustOrderfile(
      ["gen", "t", "--image", "plain", "--linker", linker.dialect, "-o", "app.order"] + options)
    try link(workshop, linker, "app", ["-Wl,\(linker.option)app.order"])
    return workshop
  }

  private static let followed = "5 of 5 entries present (100.0%), 5 of these in order (100.0%)"

  @Test(arguments: linkers)
  func anImageAndItsLinkMapShowThatSectionsOfAnyNameAreOrdered(linker: Linker) throws {
    let workshop = try ordered(by: linker, ["--link-map", "plain.map"])
    for (before, after) in [("plain", "app"), ("plain.map", "app.map")] {
      let diff = try workshop.mustOrderfile("diff", before, after, "--order", "app.order")
      #expect(diff.text.contains(Self.followed), "\(diff.text)")
      #expect(!diff.errors.contains("did not follow"), "\(diff.errors)")
    }
    for map in [[], ["--link-map", "app.map"]] {
      let verify = try workshop.mustOrderfile(
        ["verify", "app.order", "--image", "app", "--limit", "verify.stale<=0%"] + map)
      #expect(verify.text.contains("\n0 of 5 entries are stale"), "\(verify.text)")
    }
  }

  @Test(arguments: linkers)
  func functionsWhoseSectionsNoLineNamesGetTheRemedy(linker: Linker) throws {
    let workshop = try ordered(by: linker, [])
    let verify = try workshop.mustOrderfile(
      "verify", "app.order", "--image", "app", "--link-map", "app.map")
    #expect(verify.text.contains("2 of 5 entries are stale"), "\(verify.text)")
    #expect(
      verify.errors.contains(
        "app.order: no line names the sections of 2 listed functions: the linker can't move them"))
    #expect(verify.errors.contains("hint: 'orderfile gen --link-map'"))
    let diff = try workshop.mustOrderfile("diff", "plain", "app", "--order", "app.order")
    #expect(diff.errors.contains(": 4 in .text"), "\(diff.errors)")
    #expect(diff.errors.contains(", 1 in startup_code\n"), "\(diff.errors)")
    #expect(!diff.errors.contains("keep-text-section-prefix"))
  }

  /// A person wrote the file, so no comment names the functions of the sections.
  @Test(arguments: linkers)
  func sectionsOfWhichAnImageDoesNotTellTheFunctionsAreNotStale(linker: Linker) throws {
    let workshop = try ordered(by: linker, ["--link-map", "plain.map"])
    let lines = workshop.text("app.order").split(separator: "\n")
    let written = lines.filter { !$0.contains("function: ") && !$0.contains("zz") }
    #expect(written.count == lines.count - 3)
    try workshop.write((written.joined(separator: "\n") + "\n").utf8, "app.order")
    let verify = try workshop.mustOrderfile("verify", "app.order", "--image", "app")
    #expect(verify.text.contains("\n0 of 3 entries are stale; 1 section not verified: an image"))
    #expect(verify.errors.contains("app.order: 1 entry names a section without a function's name"))
    #expect(verify.errors.contains("hint: give the link map, with --link-map"))
    let mapped = try workshop.mustOrderfile(
      "verify", "app.order", "--image", "app", "--link-map", "app.map", "--json")
    #expect(mapped.json["entries"] as? Int == 4 && mapped.json["unverifiedSections"] == nil)
    let diff = try workshop.mustOrderfile("diff", "plain", "app", "--order", "app.order")
    #expect(diff.text.contains("3 of 3 entries present (100.0%), 3 of these in order (100.0%)"))
    #expect(diff.errors.contains("hint: give link maps as BEFORE and AFTER"), "\(diff.errors)")
  }

  @Test(.needs("ld.lld"), arguments: [lld, linkers[0]], [true, false])
  func outputSectionsThatSplitAnOrderAreNamedWithTheOption(linker: Linker, isKept: Bool) throws {
    let workshop = try Workshop()
    try workshop.write(Self.program.utf8, "main.c")
    let flag = "-Wl,-z,\(isKept ? "" : "no")keep-text-section-prefix"
    try link(workshop, linker, "plain", [flag])
    let sections = ".text.unlikely.rare\n.text.f3\n.text.startup.main\n.text.f1\n.text.*\n.text\n"
    let symbols = "rare\nf3\nmain\nf1\n"
    try workshop.write((linker.dialect == "lld" ? symbols : sections).utf8, "app.order")
    try link(workshop, linker, "app", [flag, "-Wl,\(linker.option)app.order"])
    for command in [
      ["diff", "plain", "app", "--order", "app.order"], ["verify", "app.order", "--image", "app"],
    ] {
      let run = try workshop.mustOrderfile(command)
      #expect(!run.errors.contains("did not follow"), "\(run.errors)")
      #expect(
        run.errors.contains("app: the listed functions are in 3 output sections") == isKept,
        "\(run.errors)")
      #expect(run.errors.contains("1 in .text.unlikely") == isKept)
      #expect(run.errors.contains("link with -Wl,-z,nokeep-text-section-prefix") == isKept)
    }
  }
}
