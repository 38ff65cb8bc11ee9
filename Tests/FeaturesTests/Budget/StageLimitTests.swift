import Audit
import Budget
import ByteReading
import ImageModel
import Stages
import TestSupport
import Testing

/// Limits on times of divided launches, and on start-up tasks.
@Suite struct StageLimitTests {
  private static func images(_ documents: StagesDocument...) throws -> [CheckedImage] {
    var images: [CheckedImage] = []
    for document in documents {
      try images.add(CommittedDocument(judging: .stages(document)), path: "stages.json")
    }
    return images
  }

  private static func results(
    _ limit: String, _ document: StagesDocument, failsOnBase: Bool = false
  ) throws -> [CheckResult] {
    var check = BudgetCheck(try Budget.of(limit), images: try images(document), base: nil)
    check.failsOnBase = failsOnBase
    return try check.results()
  }

  private static let settings =
    "\"metric\": \"stages.task settings of first.screen one.milliseconds\""

  @Test func aTaskThatTakesTenMillisecondsMoreFails() throws {
    let slow = try StageLaunches(settings: 13, seed: 2).compared(with: StageLaunches())
    let result = try #require(
      try Self.results("\(Self.settings), \"againstBase\": \"+5\"", slow).first)
    #expect(result.outcome == .fail)
    #expect(abs(result.value - 10) < 0.5 && result.interval?.contains(10) ?? false)
    #expect(result.valueWording.hasPrefix("+10.0") || result.valueWording.hasPrefix("+9.9"))
    #expect(result.requirementWording == "at most 5 ms more than the base")
    #expect(
      result.subject == "stages.task settings of first.screen one.milliseconds of app")
    // The launch and the stage of the tasks fail, too, and name the task.
    for figure in ["stages.milliseconds", "tasks.first.screen one.milliseconds"] {
      let whole = try #require(
        try Self.results("\"metric\": \"\(figure)\", \"againstBase\": \"+5\"", slow).first)
      #expect(whole.outcome == .fail)
      #expect(
        whole.causes.contains {
          $0.kind == .grown && $0.name == "task settings of first.screen one"
        }, "\(whole.causes)")
    }
  }

  @Test func noiseFailsNothing() throws {
    let same = try StageLaunches(seed: 2).compared(with: StageLaunches())
    for figure in [
      "stages.milliseconds", "tasks.first.screen one.milliseconds",
      "stages.first screen.elapsedMilliseconds",
    ] {
      for limit in ["\"+5\"", "\"+10%\""] {
        let results = try Self.results(
          "\"metric\": \"\(figure)\", \"againstBase\": \(limit)", same)
        #expect(results.map(\.outcome) == [.pass], "\(figure) \(limit)")
      }
    }
  }

  @Test func aNewTaskIsTheFirstCause() throws {
    let more = try StageLaunches(settings: 13, hasUpload: true, seed: 2)
      .compared(with: StageLaunches())
    let result = try #require(
      try Self.results(
        "\"metric\": \"tasks.first.screen one.milliseconds\", \"againstBase\": \"+5\"", more
      ).first)
    #expect(result.outcome == .fail)
    #expect(
      result.causes.map(\.name) == [
        "task upload of first.screen one", "task settings of first.screen one",
      ])
    #expect(result.causes.map(\.kind) == [.new, .grown])
  }

  @Test func launchesThatDoNotDecideSayHowManyWould() throws {
    // 5% of noise on 3 ms are 0.15 ms, so a limit of the median itself is between both ends of the interval.
    let document = StageLaunches(launches: 8).document
    let median = try #require(
      try document.samples().first { $0.figure.stage == "main" }
    ).times
    let limit = Int(median.median / 1e6)
    #expect(limit == 9 || limit == 10)
    let undecided = try Self.results(
      "\"metric\": \"stages.main.milliseconds\", \"max\": 10", document)[0]
    let interval = try #require(median.medianInterval)
    #expect(interval.contains(10e6))
    #expect(undecided.outcome == .inconclusive)
    #expect(undecided.launchesNeeded ?? 0 > 8)
    #expect(
      undecided.reason?.hasPrefix("8 launches do not decide; about ") ?? false,
      "\(undecided.reason ?? "")")
    let few = try Self.results(
      "\"metric\": \"stages.main.milliseconds\", \"max\": 1", StageLaunches(launches: 5).document)[
        0]
    #expect(few.outcome == .inconclusive && few.launchesNeeded == 6)
  }

  @Test func aLimitOfATimeNeedsNoBase() throws {
    let document = StageLaunches().document
    let limit = "\"metric\": \"stages.first screen.elapsedMilliseconds\", \"max\":"
    #expect(try Self.results("\(limit) 45", document).map(\.outcome) == [.pass])
    let failed = try Self.results("\(limit) 30", document)[0]
    #expect(failed.outcome == .fail && failed.base == nil)
    #expect(failed.requirementWording == "at most 30 ms")
  }

  @Test func aLimitThatTheBaseExceedsAsMuchIsListedApart() throws {
    let same = try StageLaunches(seed: 2).compared(with: StageLaunches())
    let limit = "\(Self.settings), \"max\": 2"
    #expect(try Self.results(limit, same).map(\.outcome) == [.alreadyInBase])
    #expect(try Self.results(limit, same, failsOnBase: true).map(\.outcome) == [.fail])
    let slow = try StageLaunches(settings: 4, seed: 2).compared(with: StageLaunches())
    #expect(try Self.results(limit, slow).map(\.outcome) == [.fail])
  }

  @Test func aChangeOfTheMachineFailsNothing() throws {
    let document = try StageLaunches(drift: 2, seed: 2).compared(with: StageLaunches())
    let result = try Self.results(
      "\"metric\": \"stages.milliseconds\", \"againstBase\": \"+1\"", document)[0]
    #expect(result.outcome == .inconclusive)
    #expect(
      result.reason?.hasSuffix("from the first to the last: the machine may be the cause") ?? false)
  }

  @Test func withoutOtherLaunchesThereIsNoBaseline() throws {
    let result = try Self.results(
      "\(Self.settings), \"againstBase\": \"+5\"", StageLaunches().document)[0]
    #expect(result.outcome == .noBaseline && result.valueWording == "-")
    #expect(
      result.reason?.hasSuffix("give 'orderfile stages' the base's launches with '--base'") ?? false
    )
    let more = try StageLaunches(hasUpload: true, seed: 2).compared(with: StageLaunches())
    let new = try Self.results(
      "\"metric\": \"stages.task upload of first.screen one.milliseconds\", \"againstBase\": \"+5\"",
      more)[0]
    #expect(
      new.outcome == .noBaseline && new.reason == "the base's launches do not have this figure")
  }

  @Test(arguments: [
    (
      "\"metric\": \"tasks.frist.screen one.milliseconds\", \"max\": 1",
      "no document has tasks.frist.screen one.milliseconds (at line 1): found the stages 'first.screen one'",
      "did you mean 'first.screen one'?"
    ),
    (
      "\"metric\": \"stages.mian.milliseconds\", \"max\": 1",
      "no document has stages.mian.milliseconds (at line 1): found the stages 'main', 'first screen', 'task database of first.screen one', 'task settings of first.screen one'",
      "did you mean 'main'?"
    ),
    (
      "\"metric\": \"tasks.count\", \"max\": 1", "no document has tasks.count (at line 1)",
      "give a document that 'orderfile audit --json' has written"
    ),
    (
      "\"metric\": \"stages.milliseconds\", \"max\": 1, \"state\": \"cold\"",
      "no document has stages.milliseconds in the state 'cold' (at line 1)",
      "give a document that 'orderfile stages --json' has written"
    ),
  ])
  func aStageThatIsNotThereIsAnError(limit: String, message: String, hint: String) throws {
    let document = StageLaunches().document
    #expect(throws: Diagnostic(message, hint: hint)) {
      try Self.results(limit, document)
    }
  }

  @Test func aDocumentWithoutAProgramHasNoFigures() {
    var document = StageLaunches().document
    document.image = nil
    let nameless = document
    #expect(
      throws: Diagnostic(
        "invalid document: it does not state which program was launched",
        hint: "give 'orderfile stages' the program with '--image'")
    ) { try CommittedDocument(judging: .stages(nameless)) }
  }

  // MARK: Tasks

  /// Returns an image with start-up tasks, as `audit` lists them.
  private static func image(_ tasks: [String], stage: String = "first screen") throws
    -> CheckedImage
  {
    let rows = (tasks.map { ($0, stage, "") } + [("lost", stage, "\"problem\": \"unlinked\", ")])
      .map { "{\"image\": \"app\", \"name\": \"\($0.0)\", \($0.2)\"stage\": \"\($0.1)\"}" }
    let text = """
      {"findings": [], "images": [{"name": "app", "path": "app", "relocations": {"words": 0}}],
      "initializers": [], "libraries": [], "schema": "orderfile.audit/1",
      "tasks": [\(tasks.isEmpty ? "" : rows.joined(separator: ", "))]}
      """
    var images: [CheckedImage] = []
    try images.add(
      CommittedDocument(parsing: FileBytes(Array(text.utf8)), path: "audit.json"),
      path: "audit.json")
    return images[0]
  }

  @Test func aNewTaskExceedsALimitAndTheListOfTasks() throws {
    let budget = try Budget(
      """
      {
        "allowedTasks": ["database of first screen", "* of later"],
        "limits": [{"againstBase": "+0", "max": 1, "metric": "tasks.first screen.count"}],
        "schema": "orderfile.budget/1"
      }
      """)
    let base = try Self.image(["database"])
    let check = BudgetCheck(budget, images: [try Self.image(["database", "upload"])], base: [base])
    let results = try check.results()
    #expect(results.map(\.outcome) == [.fail, .fail, .fail])
    #expect(results.map(\.line) == [3, 3, 2])
    #expect(results.map(\.value) == [2, 2, 1])
    #expect(results[0].causes == [RegressionCause(.new, "upload of first screen")])
    #expect(results[2].causes == [RegressionCause(.notAllowed, "upload of first screen")])
    #expect(results[2].requirement == .allowedTasks && results[2].subject == "tasks.count of app")
    #expect(
      try BudgetCheck(budget, images: [base], base: [base]).results().allSatisfy {
        $0.outcome == .pass
      })
    // What the base registers, too, does not fail this build.
    let old = try Self.image(["database", "upload"])
    let kept = try BudgetCheck(budget, images: [old], base: [old]).results()
    #expect(kept.map(\.outcome) == [.alreadyInBase, .pass, .alreadyInBase])
  }

  @Test func anImageWithoutTasksMeetsTheListAndHasNoCount() throws {
    let image = try Self.image([])
    let list = try Budget(
      "{\"allowedTasks\": [], \"limits\": [], \"schema\": \"orderfile.budget/1\"}")
    #expect(try BudgetCheck(list, images: [image], base: nil).results().map(\.outcome) == [.pass])
    let limit = try Budget.of("\"metric\": \"tasks.first screen.count\", \"max\": 1")
    #expect(
      throws: Diagnostic(
        "no document has tasks.first screen.count (at line 1): the image registers no start-up tasks"
      )
    ) { try BudgetCheck(limit, images: [image], base: nil).results() }
    #expect(
      throws: Diagnostic(
        "no document lists start-up tasks (at line 1)",
        hint: "give a document that 'orderfile audit --json' has written")
    ) { try BudgetCheck(list, images: [CheckedImage(["pages.textPages": 1])], base: nil).results() }
  }

  @Test func aReportKeepsTheTasksForALaterCheck() throws {
    var document = CheckDocument(
      budget: "b.json", base: [], results: [], images: [try Self.image(["database"])])
    document = try CheckDocument(parsing: FileBytes(document.json()))
    #expect(document.images[0].tasks == ["database of first screen"])
    #expect(
      document.images[0].figures.map(\.id).suffix(2) == ["tasks.count", "tasks.first screen.count"])
  }

  // MARK: History

  @Test func timesAreKeptWithTheirQuartiles() throws {
    let document = try CommittedDocument(judging: .stages(StageLaunches().document))
    let entries = try document.entries(
      commit: "c1", time: HistoryTime(seconds: 0), launch: nil, architecture: { _ in .arm64 })
    #expect(entries.map(\.series.source) == [.stages, .tasks])
    let line = String(decoding: entries[1].line, as: UTF8.self)
    let read = try HistoryFile(line)
    let metric = try #require(read.entries[0].metric("first.screen one.milliseconds"))
    #expect(metric.unit == .milliseconds && metric.sample?.count == 30)
    #expect(metric.stage == "first.screen one" && metric.quantity == "milliseconds")
    let sample = try #require(metric.sample)
    #expect(sample.low < metric.value && metric.value < sample.high)
  }

  /// 270 launches a commit; the task takes 4% longer from the thirtieth commit on.
  @Test(.needs(.time)) func aTrendFindsTheCommitThatMadeATaskSlower() throws {
    var entries: [HistoryEntry] = []
    for commit in 0..<50 {
      let launches = StageLaunches(
        launches: 270, settings: commit < 30 ? 3 : 3.12, seed: UInt64(commit + 1))
      entries += try CommittedDocument(judging: .stages(launches.document)).entries(
        commit: "c\(commit)", time: HistoryTime(seconds: commit), launch: nil,
        architecture: { _ in .arm64 })
    }
    let trend = TrendDocument(try HistoryFile(entries))
    let text = TrendText(trend).text
    let changes = trend.series.flatMap { series in
      series.metrics.flatMap { metric in
        metric.changes.map { "\(series.series.source.rawValue).\(metric.latest.name) \($0.commit)" }
      }
    }
    #expect(
      changes.contains("stages.task settings of first.screen one.milliseconds c30"), "\(text)")
    #expect(changes.allSatisfy { $0.hasSuffix(" c30") }, "\(text)")
    #expect(!changes.contains { $0.contains("database") || $0.contains("main") }, "\(text)")
  }

  @Test func exportsHaveTheStageAsALabel() throws {
    let document = try CommittedDocument(judging: .stages(StageLaunches().document))
    let history = try HistoryFile(
      document.entries(
        commit: "c1", time: HistoryTime(seconds: 7), launch: nil, architecture: { _ in .arm64 }))
    let influx = HistoryExport.influx.text(of: history)
    #expect(
      influx.contains(
        "orderfile_tasks,arch=arm64,image=app,stage=first.screen\\ one commit=\"c1\",milliseconds="),
      "\(influx)")
    #expect(influx.contains("orderfile_tasks,arch=arm64,image=app commit=\"c1\",milliseconds="))
    let metrics = HistoryExport.openmetrics.text(of: history)
    #expect(
      metrics.contains(
        "orderfile_stages_elapsed_milliseconds{arch=\"arm64\",image=\"app\",stage=\"first screen\"} "
      ),
      "\(metrics)")
  }
}
