import Foundation
import TestSupport
import Testing

/// `orderfile check --launch`, which makes the documents itself, with the builds of `CheckTests`.
@Suite(.needs(.recording)) struct CheckLaunchTests {
  private static let commit = ["--commit", "c1", "--time", "1700000000"]

  /// The names of the files in the folder after a check, ascending; without the measured times, which only some budgets
  /// need.
  private static let fileNames = [
    "audit.json", "check.json", "diff.json", "launch.log", "launch.oftrace", "pages.json",
    "verify.json",
  ]

  private static func names(in folder: String, of workshop: Workshop) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: workshop.path(folder))) ?? []).sorted()
  }

  private static func budget(_ limits: String...) -> String.UTF8View {
    "{\"limits\": [\(limits.map { "{\($0)}" }.joined(separator: ",\n"))], \"schema\": \"orderfile.budget/1\"}"
      .utf8
  }

  private static let anyPages = budget("\"metric\": \"pages.textPages\", \"max\": 900")
  private static let predicted = budget("\"metric\": \"diff.predictedPages\", \"max\": 900")

  private static func figures(_ document: [String: Any]) -> [String] {
    ["textPages", "dataPages"].compactMap { name in
      ((document["images"] as? [[String: Any]])?.first?[name] as? Int).map { "\(name) \($0)" }
    }
  }

  /// If the history were written only after the launches, an error would lose the figures of the launches.
  @Test func aHistoryThatCannotBeWrittenIsFoundBeforeTheLaunches() throws {
    let workshop = try CheckTests.builds.copy()
    try workshop.write(Self.anyPages, "any.json")
    try workshop.write("no history\n".utf8, "damaged.jsonl")
    for (history, message) in [
      ("gone/h.jsonl", "gone/h.jsonl: unable to write: No such file or directory"),
      ("/dev/full", "/dev/full: unable to append: expected a regular file"),
      ("damaged.jsonl", "damaged.jsonl: "),
    ] {
      let run = try workshop.orderfile(
        ["check", "--budget", "any.json", "--launch", "base/app", "--history", history]
          + Self.commit)
      #expect(run.status == 1 && run.errors.contains(message), "\(run.errors)")
      #expect(Self.names(in: "orderfile-check", of: workshop).isEmpty)
    }
  }

  @Test func oneLineDoesWhatSevenCommandsDo() throws {
    let workshop = try CheckTests.builds.copy()
    let words = ["check", "--base", "check.json", "--before", "default", "--order", "app.order"]
    let kept = try workshop.orderfile(
      words + ["--budget", "budget.json", "--launch", "base/app", "--history", "h.jsonl"]
        + Self.commit)
    #expect(kept.status == 0, "\(kept.text)\(kept.errors)")
    #expect(
      kept.errors.contains("orderfile: the documents of the launch are in orderfile-check\n"))
    #expect(Self.names(in: "orderfile-check", of: workshop) == Self.fileNames)
    // The documents say the same as those of the single commands.
    let (own, made) = try (
      parsedJSON(workshop.bytes("base/pages.json")),
      parsedJSON(workshop.bytes("orderfile-check/pages.json"))
    )
    #expect(Self.figures(made) == Self.figures(own) && Self.figures(own).count == 2)
    func functions(_ path: String) throws -> [String] {
      let functions = try parsedJSON(workshop.bytes(path))["functions"] as? [[String: Any]]
      return try #require(functions).compactMap { $0["name"] as? String }
    }
    #expect(try functions("orderfile-check/diff.json") == functions("base/diff.json"))
    // The history has the lines that `history add` makes of them.
    try workshop.mustOrderfile(
      ["history", "add", "other.jsonl"]
        + ["audit", "verify", "pages", "diff"].map { "orderfile-check/\($0).json" } + Self.commit)
    #expect(workshop.bytes("h.jsonl") == workshop.bytes("other.jsonl"))
    #expect(workshop.text("h.jsonl").contains("\"source\": \"verify\""))

    // The report in the folder is a base; the next build runs another function.
    try FileManager.default.moveItem(
      atPath: workshop.path("orderfile-check/check.json"), toPath: workshop.path("main.json"))
    let worse = try workshop.orderfile(
      "check", "--base", "main.json", "--budget", "budget.json", "--order", "app.order",
      "--launch", "now/app", "--history", "h.jsonl", "--commit", "c2", "--time", "1700000001",
      "--export-junit", "junit.xml", "--json")
    #expect(worse.status == 2 && worse.json["outcome"] as? String == "fail", "\(worse.errors)")
    #expect(worse.errors.contains("new: load_plugins"))
    #expect(worse.output == workshop.bytes("orderfile-check/check.json"))
    #expect(workshop.text("junit.xml").contains("load_plugins"))
    #expect(workshop.text("h.jsonl").contains("\"commit\": \"c2\""))
    // A job that runs again at a commit leaves the history as it is.
    let lines = workshop.bytes("h.jsonl")
    let again = try workshop.orderfile(
      "check", "-q", "--budget", "budget.json", "--order", "app.order", "--launch", "base/app",
      "--history", "h.jsonl", "--commit", "c2", "--time", "1700000001")
    #expect(again.status == 0 && again.errors.isEmpty, "\(again.errors)")
    #expect(workshop.bytes("h.jsonl") == lines)
  }

  @Test func theFirstBudgetNeedsNoDocuments() throws {
    let workshop = try CheckTests.builds.copy()
    let made = try workshop.orderfile(
      "check", "--init", "-o", "new.json", "--order", "app.order", "--launch", "base/app")
    #expect(made.status == 0, "\(made.errors)")
    for figure in ["pages.textPages", "diff.inOrder", "verify.stale", "audit.libraries"] {
      #expect(workshop.text("new.json").contains("\"\(figure)\""))
    }
    let kept = try workshop.orderfile(
      "check", "--budget", "new.json", "--order", "app.order", "--launch", "base/app")
    #expect(kept.status == 0, "\(kept.text)\(kept.errors)")
  }

  @Test func aScriptLaunchesTheImageInAFolderWithBlanks() throws {
    let workshop = try CheckTests.builds.copy()
    try workshop.must("mkdir", ["my build"])
    try workshop.must("cp", ["base/app", "my build/app"])
    try workshop.writeProgram("#!/bin/sh\ncat\n\"my build/app\" $#\n".utf8, "my run.sh")
    try workshop.write(Self.anyPages, "any.json")
    try workshop.write("from the file\n".utf8, "my input")
    let words = ["check", "--budget", "any.json", "--documents", "my documents"]
    func textPages() throws -> [String] {
      let document = try parsedJSON(workshop.bytes("my documents/pages.json"))
      #expect((document["images"] as? [Any])?.count == 1)
      return Self.figures(document)
    }
    let direct = try workshop.orderfile(words + ["--launch", "'my build/app' --help"])
    #expect(direct.status == 0, "\(direct.errors)")
    let expected = try textPages()
    let script = try workshop.orderfile(
      words + [
        "--launch", "'./my run.sh' 'a b'", "--image", "my build/app", "--input", "my input",
      ])
    #expect(script.status == 0, "\(script.errors)")
    #expect(try textPages() == expected)
    #expect(script.text.contains("pages.textPages of app, 4 KiB pages"))
    #expect(workshop.text("my documents/launch.log") == "from the file\n")
    let unnamed = try workshop.orderfile(words + ["--launch", "'./my run.sh'"])
    #expect(
      unnamed.status == 1
        && unnamed.errors.contains("hint: name the image that the script runs with '--image'"))
  }

  @Test func aLaunchThatFailsIsAnError() throws {
    let workshop = try CheckTests.builds.copy()
    try workshop.write(Self.anyPages, "any.json")
    func errors(_ launch: String) throws -> String {
      let run = try workshop.orderfile(
        "check", "--budget", "any.json", "--image", "base/app", "--launch", launch, "--history",
        "h.jsonl", "--commit", "c", "--time", "1")
      #expect(run.status == 1 && run.text.isEmpty, "\(run.text)\(run.errors)")
      #expect(Self.names(in: "orderfile-check", of: workshop) == ["launch.log"])
      #expect(!workshop.fileNames.contains("h.jsonl"))
      return run.errors
    }
    let failed = try errors("sh -c 'base/app; echo no plugin; exit 3'")
    #expect(failed.contains("/sh: the launch failed: exit status 3\n  no plugin\n"), "\(failed)")
    #expect(failed.contains("--launch \"sh -c 'COMMAND || true'\" --image base/app"))
    #expect(try errors("sh -c 'base/app; kill -9 $$'").contains("killed by signal 9"))
    #expect(try errors("true").contains("base/app: the launch did not touch any page of the image"))
    let slow = try workshop.orderfile(
      "check", "--budget", "any.json", "--image", "base/app", "--timeout", "0.5", "--launch",
      "sh -c 'base/app; sleep 60'")
    #expect(slow.status == 1 && slow.errors.contains("the program ran longer than 0.5 s"))
  }

  /// The only limit is on a figure that needs no launch.
  @Test(arguments: [
    (["--until-ready", "line=ready", "--launch", "base/app"], "ended before it was ready"),
    (
      [
        "--timeout", "0.5", "--image", "base/app", "--launch",
        "sh -c 'trap \"exit 0\" TERM; base/app; while :; do sleep 1; done'",
      ], "the program ran longer than 0.5 s"
    ),
  ])
  func aLaunchThatIsNotReadyOrTakesTooLongEndsTheCheck(words: [String], error: String) throws {
    let workshop = try CheckTests.builds.copy()
    try workshop.write(
      Self.budget("\"metric\": \"audit.libraries\", \"max\": 900"), "audit.json")
    let run = try workshop.orderfile(
      ["check", "--budget", "audit.json", "--history", "h.jsonl"] + Self.commit + words)
    #expect(run.status == 1 && run.errors.contains(error), "\(run.errors)")
    #expect(!workshop.fileNames.contains("h.jsonl"))
  }

  @Test func limitsWithoutAFigureAreNamedWithTheReason() throws {
    let workshop = try CheckTests.builds.copy()
    try workshop.write(
      Self.budget(
        "\"metric\": \"gen.entries\", \"max\": 900",
        "\"metric\": \"pages.textPages\", \"max\": 900",
        "\"metric\": \"diff.stale\", \"max\": \"5%\"",
        "\"metric\": \"measure.wallTime\", \"againstBase\": \"+90%\", \"state\": \"warm\""),
      "more.json")
    let run = try workshop.orderfile("check", "--budget", "more.json", "--launch", "base/app")
    #expect(run.status == 1 && run.text.isEmpty)
    #expect(
      run.errors == """
        orderfile: error: more.json: 3 limits are on figures that no document has:
          no document has gen.entries (at line 1)
          no document has diff.stale (at line 3): no order file was given
          no document has measure.wallTime in the state 'warm' (at line 4): times need another build for comparison, and none was given
          hint: give a document that 'orderfile gen --json' has written; give '--order', the order file that the image was linked with; give '--before', the build of the base

        """)
    // The files that the check has made are kept, so that the user can look at them.
    #expect(Self.names(in: "orderfile-check", of: workshop).contains("pages.json"))
    // A document that is given is not made.
    let given = try workshop.orderfile(
      "check", "--budget", "budget.json", "--launch", "base/app", "base/diff.json",
      "base/audit.json")
    #expect(given.status == 0, "\(given.text)\(given.errors)")
    #expect(
      Self.names(in: "orderfile-check", of: workshop) == ["check.json", "launch.log", "pages.json"])
  }

  @Test func timesAreMeasuredIfALimitIsOfATime() throws {
    let workshop = try CheckTests.builds.copy()
    try workshop.write(
      Self.budget(
        "\"metric\": \"measure.wallTime\", \"againstBase\": \"+90%\", \"state\": \"warm\""),
      "times.json")
    let words = ["check", "--budget", "times.json", "--before", "base/app", "--runs", "3"]
    let run = try workshop.orderfile(words + ["--launch", "now/app --help"])
    #expect(run.status == 0, "\(run.text)\(run.errors)")
    let measured = try parsedJSON(workshop.bytes("orderfile-check/measure.json"))
    let states = try #require(measured["states"] as? [[String: Any]])
    let sides = try #require(states.first?["sides"] as? [[String: Any]])
    #expect(states.count == 1 && sides.compactMap { $0["name"] as? String }.count == 3)
    #expect(sides.allSatisfy { ($0["launches"] as? [Any])?.count == 3 })
    let script = try workshop.orderfile(
      words + ["--image", "now/app", "--launch", "sh -c 'now/app --help'"])
    #expect(script.status == 1)
    #expect(script.errors.contains("the launched program is not the image"))
  }

  @Test func aStrippedImageHasPagesOnly() throws {
    let workshop = try CheckTests.builds.copy()
    try workshop.must("mkdir", ["stripped"])
    try workshop.must("strip", ["base/app", "-o", "stripped/app"])
    try workshop.write(Self.anyPages, "any.json")
    let pages = try workshop.orderfile("check", "--budget", "any.json", "--launch", "stripped/app")
    #expect(pages.status == 0, "\(pages.errors)")
    #expect(pages.errors.contains("no figures of diff: "), "\(pages.errors)")
    try workshop.write(Self.predicted, "predicted.json")
    let limited = try workshop.orderfile(
      "check", "--budget", "predicted.json", "--launch", "stripped/app")
    #expect(limited.status == 1)
    #expect(
      limited.errors.contains(
        "predicted.json: no document has diff.predictedPages (at line 1): "),
      "\(limited.errors)")
  }

  @Test func withoutTracingOnlyTheFiguresOfATraceAreMissing() throws {
    let workshop = try CheckTests.builds.copy()
    try AutoProject.buildUntraced(in: workshop)
    try workshop.write(Self.anyPages, "any.json")
    try workshop.write(Self.predicted, "predicted.json")
    func run(_ budget: String) throws -> Run {
      try workshop.start(
        "./untraced", [Built.orderfile, "check", "--budget", budget, "--launch", "base/app"]
      ).end()
    }
    let pages = try run("any.json")
    #expect(pages.status == 0, "\(pages.errors)")
    #expect(pages.errors.contains("no figures of diff: unable to trace: "), "\(pages.errors)")
    let predicted = try run("predicted.json")
    #expect(predicted.status == 1)
    #expect(
      predicted.errors.contains(
        "predicted.json: no document has diff.predictedPages (at line 1): base/app: unable to trace: "
      ),
      "\(predicted.errors)")
  }

  @Test(arguments: [SIGINT, SIGTERM]) func interruptedItLeavesNoDocuments(signal: Int32) throws {
    let workshop = try CheckTests.builds.copy()
    try workshop.write(Self.anyPages, "any.json")
    let words = ["check", "--budget", "any.json", "--image", "base/app"]
    try workshop.mustOrderfile(words + ["--launch", "base/app"])
    let running = try workshop.start(
      Built.orderfile,
      words + ["--launch", "sh -c 'base/app; touch waiting; exec sleep 60'"] + Self.commit
        + ["--history", "h.jsonl"])
    try running.wait(for: "the launch") { workshop.fileNames.contains("waiting") }
    running.sendToGroup(signal)
    let run = running.endAlone()
    #expect(
      run.status == 1 && run.errors.hasSuffix("orderfile: error: interrupted\n"), "\(run.errors)")
    #expect(Self.names(in: "orderfile-check", of: workshop) == ["launch.log"])
    #expect(running.leavesNothing() && !workshop.fileNames.contains("h.jsonl"))
  }

  @Test func whatIsReadIsNotReplaced() throws {
    let workshop = try CheckTests.builds.copy()
    try workshop.write(Self.anyPages, "any.json")
    let words = ["check", "-q", "--budget", "any.json", "--launch", "base/app"]
    try workshop.mustOrderfile(words)
    let report = workshop.bytes("orderfile-check/check.json")
    let base = try workshop.orderfile(words + ["--base", "orderfile-check/check.json"])
    #expect(base.status == 1)
    #expect(
      base.errors == """
        orderfile: error: orderfile-check/check.json: the check would replace this file, which is also one of its inputs
          hint: name another folder with '--documents', or copy the file to another place

        """)
    #expect(workshop.bytes("orderfile-check/check.json") == report)
    let twice = try workshop.orderfile(
      words + ["-o", "orderfile-check/../orderfile-check/check.json"])
    #expect(twice.status == 64 && twice.errors.contains("two reports can't go to one file"))
    #expect(Self.names(in: "orderfile-check", of: workshop).contains("pages.json"))
    let program = workshop.bytes("base/app")
    let replaced = try workshop.orderfile(
      ["check", "--budget", "any.json", "--launch", "base/app --help", "-o", "base/app"])
    #expect(replaced.status == 1 && replaced.errors.contains("base/app: unable to write"))
    #expect(workshop.bytes("base/app") == program)
    let same = try workshop.orderfile(words + ["--json", "-o", "orderfile-check/check.json"])
    #expect(same.status == 0 && same.text.isEmpty)
    #expect(workshop.bytes("orderfile-check/check.json") == report)
  }
}
