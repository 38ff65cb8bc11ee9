import TestSupport
import Testing

/// Builds of a program between which a commit renamed most of the functions: the name of the file and its size stay.
@Suite(.needs(.recording)) struct RenamedFunctionsTests {
  /// A program of 60 functions, each on a page of its own. A launch calls 40 of these functions.
  private static func program(_ name: (Int) -> String, bytes: Int = 4090) -> String {
    let functions = (0..<60).map { index in
      """
      __attribute__((noinline)) int \(name(index))(int x) {
        __asm__ volatile(".skip \(bytes), 0x90");
        return x * \(index + 3) + 1;
      }

      """
    }
    let calls = (0..<40).map { "x = \(name($0))(x);" }.joined(separator: " ")
    let others = (40..<60).map { "x = \(name($0))(x);" }.joined(separator: " ")
    return functions.joined()
      + "int main(int n, char **v) { volatile int x = n; \(calls) if (n > 100) { \(others) } return 0; }\n"
  }

  private static let sources = [
    "old": program { "f\($0)" },
    // 13 of the 40 functions keep their names.
    "renamed": program { $0 % 3 == 0 ? "f\($0)" : "renamed_\($0)" },
    // Another program with the same size and file name, which has only 4 of the 40 function names.
    "other": program { $0 % 10 == 0 ? "f\($0)" : "other_\($0)" },
    // 13 of the 40 names and the same file name, in half as much code.
    "smaller": program({ $0 % 3 == 0 ? "f\($0)" : "renamed_\($0)" }, bytes: 1800)
      .replacing(
        "int f0(", with: (0..<60).map { "int more\($0)(int x) { return x; } " }.joined() + "int f0("
      ),
  ]

  private static let builds = PreparedFolder<Workshop> { workshop in
    for (name, text) in sources {
      try workshop.must("mkdir", [name])
      try workshop.write(text.utf8, "\(name).c")
      try workshop.must(
        "clang",
        [
          "-O1", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--build-id", "\(name).c", "-o",
          "\(name)/app",
        ])
    }
    try workshop.mustOrderfile("record", "--breakpoints", "-o", "old.oftrace", "--", "old/app")
    try workshop.mustOrderfile("gen", "old.oftrace", "-o", "old.order")
    try workshop.mustOrderfile("merge", "old.oftrace", "-o", "old.ofprofile")
  }

  private static let commands = [
    ["diff", "old/app", "NEW", "--trace", "old.oftrace"],
    ["diff", "NEW", "old/app", "--trace", "old.ofprofile"],
    ["report", "-o", "report.html", "old/app", "NEW", "old.oftrace", "old.order"],
    ["gen", "old.ofprofile", "--image", "NEW", "-o", "new.order"],
    ["gen", "old.oftrace", "--image", "NEW", "-o", "new.order"],
  ]

  private static func run(_ workshop: Workshop, _ command: [String], _ build: String) throws -> Run
  {
    try workshop.orderfile(command.map { $0 == "NEW" ? "\(build)/app" : $0 })
  }

  /// The numbers of found and of all functions that a warning states.
  private static func counts(_ errors: String) -> (found: Int, all: Int)? {
    errors.firstMatch(
      of:
        /renamed\/app: only (\d+) of (\d+) recorded functions \(\d+\.\d%\) were found by name/
    ).flatMap { match in
      Int(match.1).flatMap { found in Int(match.2).map { (found, $0) } }
    }
  }

  @Test(arguments: commands) func aBuildOfWhichHalfOfTheFunctionsWereRenamedHasAResultAndAWarning(
    command: [String]
  ) throws {
    let workshop = try Self.builds.copy()
    let run = try Self.run(workshop, command, "renamed")
    #expect(run.status == 0, "\(run.errors)")
    let (found, all) = try #require(Self.counts(run.errors), "\(run.errors)")
    #expect(2 * found < all && found > 13)
    #expect(run.errors.contains("it has the same file name and a similar size"), "\(run.errors)")
    if command[0] == "report" {
      #expect(!run.errors.contains("did not follow"), "it placed what it has: \(run.errors)")
      #expect(
        run.errors.contains(/old\.order: only \d+ of \d+ entries \(\d+\.\d%\) are in renamed\/app/))
    }
  }

  @Test(arguments: commands) func anotherProgramWithThatFileNameIsRefused(command: [String]) throws
  {
    let workshop = try Self.builds.copy()
    for build in ["other", "smaller"] {
      let run = try Self.run(workshop, command, build)
      #expect(run.status == 3, "\(build): \(run.errors)")
      #expect(
        run.errors.contains("another program, or its symbols were stripped"),
        "\(build): \(run.errors)")
    }
  }

  @Test func aCheckOfSuchABuildHasAVerdictAndAWarning() throws {
    let workshop = try Self.builds.copy()
    for (name, command) in [("diff", Self.commands[0]), ("gen", Self.commands[3])] {
      let run = try Self.run(workshop, command + ["--json"], "renamed")
      try workshop.write(run.output, "\(name).json")
    }
    let documents = ["diff.json", "gen.json"]
    try workshop.mustOrderfile(["check", "--init", "-o", "budget.json"] + documents)
    let run = try workshop.orderfile(["check", "--budget", "budget.json"] + documents)
    #expect(run.status == 0, "\(run.errors)")
    for name in ["diff", "gen"] {
      #expect(
        run.errors.contains("\(name).json: only ")
          && run.errors.contains("the figures of '\(name)' count only these functions"),
        "\(run.errors)")
    }
  }

  /// A recording of an instrumented build, which has more code.
  @Test func aRecordedInstrumentedBuildIsToldByTheNumberOfItsFunctions() throws {
    let workshop = try Self.builds.copy()
    try workshop.must("mkdir", ["instrumented"])
    try workshop.must(
      "clang", ["-O1", "-ffunction-sections", "-c", Build.coverage, "old.c", "-o", "old.o"])
    try workshop.must(
      "clang",
      [
        "-fuse-ld=lld", "-Wl,--build-id", "old.o", try #require(Built.recorder), "-o",
        "instrumented/app",
      ])
    try workshop.mustOrderfile("record", "-o", "i.oftrace", "--", "instrumented/app")
    let run = try workshop.orderfile(
      "gen", "i.oftrace", "--image", "renamed/app", "-o", "new.order")
    #expect(run.status == 0 && Self.counts(run.errors) != nil, "\(run.errors)")
  }
}
