import Foundation
import TestSupport
import Testing

/// `audit`, `stages --base`, `check` and `history` of an app whose start-up tasks have limits.
@Suite(.needs(.processes, "clang", "ld.lld")) struct StageBudgetTests {
  private static let budget = """
    {
      "allowedTasks": ["database of first.screen one", "* of later"],
      "limits": [
        {"max": 1, "metric": "tasks.first.screen one.count"},
        {"againstBase": "+5", "metric": "stages.first screen.milliseconds"},
        {"max": 3600000, "metric": "tasks.first.screen one.milliseconds"}
      ],
      "schema": "orderfile.budget/1"
    }
    """

  /// Builds an app, in the folder `name`, with the tasks of the stage 'first.screen one'.
  private static func build(_ name: String, tasks: [String], in workshop: Workshop) throws {
    try FileManager.default.createDirectory(
      at: workshop.folder.appendingPathComponent(name), withIntermediateDirectories: true)
    let registrations = tasks.map {
      "static void \($0)(void) { __asm__ volatile(\"nop\"); }\n"
        + "ORDERFILE_TASK(\"first.screen one\", \"\($0)\", \($0))\n"
    }
    try workshop.write(
      """
      #include <orderfile_tasks.h>
      \(registrations.joined())
      static void statistics(void) { __asm__ volatile("nop"); }
      ORDERFILE_TASK("later", "statistics", statistics)
      int main(void) {
        orderfile_run_tasks("first.screen one");
        orderfile_run_tasks("later");
        return 0;
      }
      """.utf8, "\(name)/app.c")
    let runtime = projectFolder.appendingPathComponent("Runtime").path
    try workshop.must(
      "clang",
      [
        "-O1", "-I\(runtime)/Tasks/include", "-I\(runtime)/Recorder/include", "-fuse-ld=lld",
        "-Wl,--build-id", "\(name)/app.c", "\(runtime)/Tasks/orderfile_tasks.c", "-o",
        "\(name)/app",
      ])
  }

  private static func run(
    _ workshop: Workshop, _ arguments: [String], status: Int32 = 0
  ) throws -> (output: String, errors: String) {
    let run = try workshop.start(Built.orderfile, arguments).end()
    try #require(run.status == status, "\(arguments): \(run.status) \(run.text)\(run.errors)")
    return (run.text, run.errors)
  }

  @Test func aNewTaskAtLaunchNeedsAReview() throws {
    let workshop = try Workshop()
    try workshop.write(
      Self.budget.replacing(
        "    {\"againstBase\": \"+5\", \"metric\": \"stages.first screen.milliseconds\"},\n",
        with: ""
      ).utf8, "budget.json")
    for (name, tasks) in [("base", ["database"]), ("new", ["database", "upload"])] {
      try Self.build(name, tasks: tasks, in: workshop)
      _ = try Self.run(workshop, ["audit", "--json", "-o", "\(name)/audit.json", "\(name)/app"])
      _ = try Self.run(
        workshop,
        ["stages", "--runs", "2", "--json", "-o", "\(name)/stages.json", "--", "\(name)/app"])
    }
    _ = try Self.run(
      workshop,
      [
        "check", "--budget", "budget.json", "base/audit.json", "base/stages.json", "--json", "-o",
        "base/check.json",
      ], status: 0)
    let (output, errors) = try Self.run(
      workshop,
      [
        "check", "--budget", "budget.json", "--base", "base/check.json", "new/audit.json",
        "new/stages.json", "--export-sarif", "check.sarif", "--export-junit", "check.xml",
      ], status: 2)
    #expect(
      output.contains(
        """
        tasks.first.screen one.count of app: expected at most 1, found 2 (base 1)
          new: upload of first.screen one

        """), "\(output)")
    #expect(
      output.contains(
        "tasks.count of app: expected only allowed tasks, found 1 other\n"
          + "  not allowed: upload of first.screen one\n"), "\(output)")
    #expect(errors.contains("budget.json:4: tasks.first.screen one.count of app"), "\(errors)")
    let log = try parsedJSON(workshop.bytes("check.sarif"))
    let results = ((log["runs"] as? [[String: Any]])?.first?["results"] as? [[String: Any]]) ?? []
    #expect(
      results.filter { $0["level"] as? String == "error" }.compactMap { $0["ruleId"] as? String }
        == ["budget-exceeded", "task-not-allowed"])
    let xml = String(decoding: workshop.bytes("check.xml"), as: UTF8.self)
    #expect(xml.contains("name=\"tasks.first.screen one.count of app: at most 1\""), "\(xml)")
  }

  /// `check` and `stages` launch both builds in turn. No limit here depends on how long a launch takes.
  @Test func bothBuildsAreLaunchedInTurn() throws {
    let workshop = try Workshop()
    try workshop.write(
      Self.budget.replacing("\"+5\"", with: "\"+3600000\"").replacing(
        "stages.first screen.milliseconds",
        with: "stages.task database of first.screen one.milliseconds"
      ).utf8, "budget.json")
    try Self.build("base", tasks: ["database"], in: workshop)
    try Self.build("new", tasks: ["database", "upload"], in: workshop)
    let stages = try Self.run(
      workshop, ["stages", "--runs", "3", "--base", "base/app", "--", "new/app"])
    #expect(stages.output.contains("\ncompared with "), "\(stages.output)")
    #expect(stages.output.contains(" launches: base/app\n"), "\(stages.output)")
    #expect(
      stages.output.contains("only here: task upload of first.screen one ("), "\(stages.output)")
    let check = [
      "check", "--budget", "budget.json", "--before", "base/app", "--runs", "6", "--launch",
    ]
    let (output, _) = try Self.run(workshop, check + ["new/app"], status: 2)
    #expect(output.contains("not allowed: upload of first.screen one\n"), "\(output)")
    let document = try parsedJSON(workshop.bytes("orderfile-check/stages.json"))
    let comparison = try #require(document["base"] as? [String: Any])
    #expect(comparison["origins"] as? [String] == ["base/app"])
    #expect((document["image"] as? [String: Any])?["path"] as? String == "new/app")
    // Launches of the same build.
    _ = try Self.run(workshop, check + ["base/app"])
  }

  /// Logs of launches on devices, whose times the test chooses. Each differs by up to 2 ms.
  private static func writeLogs(
    _ name: String, _ milliseconds: Double, seed: UInt64, in workshop: Workshop
  ) throws {
    var random = SeededRandom(seed: seed)
    try FileManager.default.createDirectory(
      at: workshop.folder.appendingPathComponent(name), withIntermediateDirectories: true)
    for number in 0..<30 {
      let time = milliseconds + Double.random(in: -1...1, using: &random)
      try workshop.write(
        "main\t40\t40\nfirst screen\t\(40 + time)\t\(time)\n".utf8, "\(name)/\(number).log")
    }
  }

  @Test func aSlowerStageFailsAndNoiseDoesNot() throws {
    let workshop = try Workshop()
    try workshop.write(Self.budget.utf8, "all.json")
    try workshop.write(
      """
      {"limits": [{"againstBase": "+5", "metric": "stages.first screen.milliseconds"}],
       "schema": "orderfile.budget/1"}
      """.utf8, "budget.json")
    try Self.build("build", tasks: ["database"], in: workshop)
    for (number, (name, milliseconds)) in [("base", 200.0), ("same", 200), ("slow", 210)]
      .enumerated()
    {
      try Self.writeLogs(name, milliseconds, seed: UInt64(number + 1), in: workshop)
    }
    for (name, status) in [("same", 0), ("slow", 2)] as [(String, Int32)] {
      _ = try Self.run(
        workshop,
        [
          "stages", "--base", "base", "--image", "build/app", "--json", "-o", "\(name).json", name,
        ])
      let (output, _) = try Self.run(
        workshop, ["check", "--budget", "budget.json", "\(name).json"], status: status)
      #expect(
        output.contains("stages.first screen.milliseconds of app: expected at most 5 ms more")
          == (status == 2), "\(output)")
    }
    // The document has the comparison, and can be read again.
    let text = try Self.run(workshop, ["stages", "slow.json"]).output
    #expect(text.contains("compared with 30 launches: base/0.log"), "\(text)")
    #expect(text.contains("slower     first screen\n"), "\(text)")
    // A document without the program has no figures.
    _ = try Self.run(workshop, ["stages", "--json", "-o", "nameless.json", "same"])
    let refused = try Self.run(
      workshop, ["check", "--budget", "budget.json", "nameless.json"], status: 1)
    #expect(refused.errors.contains("give 'orderfile stages' the program with '--image'"))
    // A history keeps the times.
    let git = ["--commit", "c1", "--time", "2026-01-01T00:00:00Z"]
    _ = try Self.run(workshop, ["history", "add", "h.jsonl", "slow.json"] + git)
    let shown = try Self.run(workshop, ["show", "h.jsonl"]).output
    #expect(shown.contains(" ms  first screen.elapsedMilliseconds\n"), "\(shown)")
    // The budget has a limit of tasks, which logs do not have.
    let absent = try Self.run(workshop, ["check", "--budget", "all.json", "slow.json"], status: 1)
    #expect(
      absent.errors.contains("no document lists start-up tasks (at line 2)"), "\(absent.errors)")
  }
}
