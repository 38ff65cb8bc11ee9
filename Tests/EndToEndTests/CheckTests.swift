import Foundation
import TestSupport
import Testing

/// `orderfile check`, from two builds of a program to its exit status.
@Suite(.needs(.recording)) struct CheckTests {
  /// A program of 200 functions, 40 of which a launch runs. With `regression`, the launch also runs a function on three
  /// more pages.
  private static func source(withRegression: Bool) -> String {
    var lines = (0..<200).map { index in
      "__attribute__((noinline)) int f\(index)(int n) { __asm__ volatile(\".skip 100, 0x90\"); return n + \(index); }"
    }
    if withRegression {
      lines.append(
        "__attribute__((noinline)) int load_plugins(int n) { "
          + "__asm__ volatile(\".skip 12000, 0x90\"); return n + 1; }")
    }
    let calls =
      (0..<40).map { "n = f\($0 * 5)(n);" } + (withRegression ? ["n = load_plugins(n);"] : [])
    let all = (0..<200).map { "n += f\($0)(n);" }.joined(separator: " ")
    lines.append(
      "int main(int n, char **v) { \(calls.joined(separator: " ")) if (n < 0) { \(all) } return 0; }"
    )
    return lines.joined(separator: "\n") + "\n"
  }

  /// Two builds of one program, ordered by the same order file, with the documents that `diff` and `pages` make of
  /// them: `base/` and `now/`.
  static let builds = PreparedFolder { (workshop: Workshop) in
    try workshop.write(source(withRegression: false).utf8, "base.c")
    try workshop.write(source(withRegression: true).utf8, "now.c")
    func build(_ source: String, _ image: String, _ options: [String] = []) throws {
      try workshop.must(
        "clang",
        ["-O1", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id", source, "-o", image]
          + options)
    }
    for name in ["base", "now"] {
      try FileManager.default.createDirectory(
        atPath: workshop.path(name), withIntermediateDirectories: true)
    }
    try build("base.c", "default")
    try workshop.mustOrderfile("record", "-q", "--breakpoints", "-o", "t", "--", "./default")
    try workshop.mustOrderfile("gen", "-q", "t", "--image", "default", "-o", "app.order")
    for name in ["base", "now"] {
      let image = "\(name)/app"
      try build("\(name).c", image, ["-Wl,--symbol-ordering-file=app.order"])
      try workshop.mustOrderfile(
        "record", "-q", "--breakpoints", "-o", "\(name)/t", "--", "./\(image)")
      try workshop.mustOrderfile(
        "diff", "-q", "default", image, "--trace", "\(name)/t", "--order", "app.order", "--json",
        "-o", "\(name)/diff.json")
      try workshop.mustOrderfile(
        "pages", "-q", "--json", "-o", "\(name)/pages.json", "--", "./\(image)")
      try workshop.mustOrderfile("audit", "-q", "--json", "-o", "\(name)/audit.json", image)
    }
    try workshop.must(
      Built.orderfile, ["check", "--init", "-o", "budget.json"] + documents("base"))
    try workshop.must(
      Built.orderfile,
      ["check", "-q", "--budget", "budget.json", "--json", "-o", "check.json"] + documents("base"))
  }

  private static func documents(_ build: String) -> [String] {
    ["diff", "pages", "audit"].map { "\(build)/\($0).json" }
  }

  @Test func aRegressionOfThreePagesIsCaughtAndNamed() throws {
    let workshop = try Self.builds.copy()
    func pages(_ build: String) throws -> Int {
      let document = try parsedJSON(workshop.bytes("\(build)/pages.json"))
      let images = try #require(document["images"] as? [[String: Any]])
      return try #require(images.first?["textPages"] as? Int)
    }
    #expect(try pages("now") - pages("base") == 3)
    let run = try workshop.orderfile(
      ["check", "--budget", "budget.json", "--base", "check.json"] + Self.documents("now"))
    #expect(run.status == 2)
    for figure in ["diff.predictedPages", "pages.textPages"] {
      #expect(
        run.text.contains("\n\(figure) of app, 4 KiB pages: expected at most "), "\(run.text)")
    }
    #expect(run.text.contains("  new: load_plugins (11.7 KiB, "))
    #expect(run.errors.contains("  hint: new: load_plugins"))
    // The documents of the base say the same as its report.
    let raw = try workshop.orderfile(
      ["check", "--budget", "budget.json"] + Self.documents("base").flatMap { ["--base", $0] }
        + Self.documents("now"))
    #expect(raw.status == 2 && raw.text == run.text)
    // Measured pages name the function also without a layout.
    try workshop.write(
      "{\"limits\": [{\"metric\": \"pages.textPages\", \"pageSizeBytes\": 4096, \"againstBase\": \"+2\"}], \"schema\": \"orderfile.budget/1\"}"
        .utf8, "pages-budget.json")
    let measured = try workshop.orderfile(
      "check", "--budget", "pages-budget.json", "--base", "base/pages.json", "now/pages.json")
    #expect(measured.status == 2)
    #expect(measured.text.contains("  touching: load_plugins ("), "\(measured.text)")

    // The history finds the change at its commit.
    for commit in 0..<12 {
      let build = commit < 9 ? "base" : "now"
      try workshop.mustOrderfile(
        "history", "add", "-q", "h.jsonl", "\(build)/pages.json", "--commit", "c\(commit)",
        "--time", "\(1_700_000_000 + commit)", "--arch", "x86_64")
    }
    let trend = try workshop.mustOrderfile("history", "trend", "h.jsonl").text
    let found = trend.split(separator: "\n").filter { $0.contains("textPages") }
    #expect(found.contains { $0.contains("worse") && $0.hasPrefix("  c9 ") }, "\(trend)")
  }

  @Test func theBasePassesAndTheFirstBuildHasNoBaseline() throws {
    let workshop = try Self.builds.copy()
    let first = try workshop.orderfile(
      ["check", "--budget", "budget.json", "--base", "gone.json"] + Self.documents("base"))
    #expect(first.status == 0)
    #expect(first.errors.hasPrefix("orderfile: "))
    #expect(first.errors.hasSuffix(" limits without a baseline: gone.json does not exist\n"))
    #expect(first.text.contains("no baseline"))
    let again = try workshop.orderfile(
      ["check", "--budget", "budget.json", "--base", "check.json"] + Self.documents("base"))
    #expect(again.status == 0 && again.errors.isEmpty, "\(again.errors)")
    // If one of two files is missing, only this one is ignored.
    let half = try workshop.orderfile(
      ["check", "--budget", "budget.json", "--base", "base/pages.json", "--base", "gone.json"]
        + Self.documents("now"))
    #expect(half.status == 2 && half.errors.contains("(base "), "\(half.errors)")
    #expect(half.errors.contains(" without a baseline: gone.json does not exist\n"))
    let why = try workshop.orderfile(
      ["check", "--why", "-q", "--budget", "budget.json"] + Self.documents("base"))
    #expect(why.status == 0 && why.text.contains("To improve it: "))
  }

  /// A job that runs after the commit that made the launch worse passes, and so does a job that runs again.
  @Test func aChangeAnswersForItselfAlone() throws {
    let workshop = try Self.builds.copy()
    let budget = ["check", "--budget", "budget.json"]
    let first = try workshop.orderfile(
      budget + ["--base", "check.json", "--json", "-o", "worse.json"] + Self.documents("now"))
    #expect(first.status == 2)
    #expect(
      first.errors.contains("look closer: 'orderfile show now/pages.json'"), "\(first.errors)")
    let history = ["--history", "h.jsonl", "--commit", "c1", "--time", "1700000000"]
    let words = budget + ["--base", "worse.json"] + history + Self.documents("now")
    let next = try workshop.orderfile(words)
    #expect(next.status == 0, "\(next.errors)")
    #expect(next.text.contains("already exceeded in the base, so no failure of this change:"))
    #expect(next.errors.contains("exceeded in the base, too, and not worse in this build"))
    #expect(!next.text.contains("load_plugins"), "no causes")
    let lines = workshop.bytes("h.jsonl")
    let again = try workshop.orderfile(words)
    #expect(again.status == 0 && workshop.bytes("h.jsonl") == lines, "\(again.errors)")
    #expect(again.errors.contains("h.jsonl: this history already has these figures of c1"))
    #expect(try workshop.orderfile(words + ["--fail-on-base"]).status == 2)
  }

  @Test func reportsGoWhereTheyAreAskedFor() throws {
    let workshop = try Self.builds.copy()
    let run = try workshop.orderfile(
      [
        "check", "--budget", "budget.json", "--base", "check.json", "--json", "-o", "now.json",
        "--export-junit", "junit.xml", "--export-sarif", "check.sarif", "--export-markdown", "-",
      ] + Self.documents("now"))
    #expect(run.status == 2 && run.text.hasPrefix("### Launch budget: "))
    #expect(try parsedJSON(workshop.bytes("now.json"))["outcome"] as? String == "fail")
    #expect(try parsedJSON(workshop.bytes("check.sarif"))["version"] as? String == "2.1.0")
    #expect(workshop.text("junit.xml").contains("load_plugins"))
    for output in ["-o", "--export-junit", "--export-sarif", "--export-markdown"] {
      let full = try workshop.orderfile(
        ["check", "-q", "--budget", "budget.json", output, "/dev/full"] + Self.documents("base"))
      #expect(full.status == 1)
      #expect(
        full.errors == "orderfile: error: /dev/full: unable to write: No space left on device\n")
    }
  }

  @Test func badInputIsAnErrorThatSaysWhere() throws {
    let workshop = try Self.builds.copy()
    func errors(_ budget: String, _ documents: [String], _ status: Int32) throws -> String {
      try workshop.write(budget.utf8, "bad.json")
      let run = try workshop.orderfile(["check", "--budget", "bad.json"] + documents)
      #expect(run.status == status && run.text.isEmpty, "\(run.text)\(run.errors)")
      return run.errors
    }
    let schema = "\"schema\": \"orderfile.budget/1\""
    let unknown = try errors(
      "{\(schema), \"limits\": [\n{\"metric\": \"pages.textPages\", \"maxx\": 4}]}",
      ["base/pages.json"], 1)
    #expect(unknown.contains("bad.json: invalid key: expected one of "))
    #expect(unknown.contains("found 'maxx', did you mean 'max'? (at line 2)"))
    let missing = try errors(
      "{\(schema), \"limits\": [{\"metric\": \"gen.entries\", \"max\": 4}]}", ["base/pages.json"], 1
    )
    #expect(
      missing.contains(
        "bad.json: no document has gen.entries (at line 1)\n  hint: give a document that 'orderfile gen --json' has written"
      ))
    let limit = "{\(schema), \"limits\": [{\"metric\": \"pages.textPages\", \"max\": 400}]}"
    #expect(try errors(limit, ["bad.json"], 1).contains("invalid schema"))
    try workshop.write(workshop.bytes("base/pages.json"), "again.json")
    #expect(
      try errors(limit, ["base/pages.json", "again.json"], 1).contains(
        "'base/pages.json' and 'again.json' both have pages.textPages of app"))
    #expect(
      try errors(limit, ["base/pages.json", "now/diff.json"], 3).contains(
        "now/diff.json: app is of another build: expected the image ID "))
    try workshop.write(workshop.bytes("base/pages.json").prefix(400), "cut.json")
    #expect(try errors(limit, ["cut.json"], 1).contains("cut.json: "))
    // A base of another program.
    let other = workshop.text("base/pages.json").replacing("/app\"", with: "/other\"")
    try workshop.write(other.utf8, "other.json")
    #expect(
      try errors(limit, ["base/pages.json", "--base", "other.json"], 3).contains(
        "the base is of another program"))
    let arm = workshop.text("base/pages.json").replacing("\"x86_64\"", with: "\"arm64\"")
    try workshop.write(arm.utf8, "arm.json")
    #expect(
      try errors(limit, ["base/pages.json", "--base", "arm.json"], 3).contains(
        "app of the base is of another architecture: expected x86_64, found arm64"))
    for words in [
      ["base/pages.json"], ["--init", "--budget", "budget.json", "base/pages.json"],
      ["--init", "--strict", "base/pages.json"], ["--budget", "budget.json"],
      ["--budget", "budget.json", "--export-junit", "-", "base/pages.json"],
      ["--budget", "budget.json", "--export-junit", "x", "--export-sarif", "x", "base/pages.json"],
      ["--budget", "budget.json", "-o", "x", "--export-markdown", "x", "base/pages.json"],
    ] {
      #expect(try workshop.orderfile(["check"] + words).status == 64, "\(words)")
    }
  }

  /// The times come from a document of `measure`, whose intervals are known.
  @Test func launchesThatDoNotDecideFailOnlyIfAsked() throws {
    let workshop = try Workshop()
    try workshop.write(fixture("reporting/measure/cold-and-warm/expected.json"), "measure.json")
    func run(_ allowance: String, _ options: String...) throws -> Run {
      try workshop.write(
        "{\"limits\": [{\"metric\": \"measure.wallTime\", \"state\": \"warm\", \"againstBase\": \"\(allowance)\"}], \"schema\": \"orderfile.budget/1\"}"
          .utf8, "budget.json")
      return try workshop.orderfile(
        ["check", "--budget", "budget.json", "measure.json"] + options)
    }
    // The change is 24.4 to 24.8%; but the base, launched again, is 8% slower than itself.
    #expect(try run("+30%").status == 0)
    let undecided = try run("+24.6%")
    #expect(undecided.status == 0 && undecided.text.contains("inconclusive"), "\(undecided.text)")
    let strict = try run("+24.6%", "--strict")
    #expect(strict.status == 5 && strict.errors.contains("of each build do not decide"))
    let unsteady = try run("+20%", "--strict")
    #expect(unsteady.status == 5 && unsteady.errors.contains("the machine is not steady"))
  }
}
