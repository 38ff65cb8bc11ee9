import Audit
import Budget
import ByteReading
import ImageModel
import LaunchMeasurement
import Measuring
import Rendering
import TestSupport
import Testing

@Suite struct BudgetCheckTests {
  private static func outcomes(
    _ limit: String, _ value: Double, base: Double? = nil, figure: String = "pages.textPages"
  ) throws -> [CheckOutcome] {
    let old = base.map { [CheckedImage([figure: $0])] }
    return try BudgetCheck(
      Budget.of("\"metric\": \"\(figure)\", \(limit)"), images: [CheckedImage([figure: value])],
      base: old
    ).results().map(\.outcome)
  }

  @Test func limitsIncludeTheirEnds() throws {
    #expect(try Self.outcomes("\"max\": 150", 150) == [.pass])
    #expect(try Self.outcomes("\"max\": 150", 151) == [.fail])
    #expect(try Self.outcomes("\"min\": 3", 2) == [.fail])
    #expect(try Self.outcomes("\"max\": \"7%\"", 7.0 / 100, figure: "diff.stale") == [.pass])
    #expect(try Self.outcomes("\"min\": \"98%\"", 0.979, figure: "diff.inOrder") == [.fail])
  }

  @Test func aBaseThatIsMissingFailsNothing() throws {
    #expect(try Self.outcomes("\"againstBase\": \"+2\"", 9) == [.noBaseline])
    #expect(try Self.outcomes("\"max\": 5, \"againstBase\": \"+2\"", 9) == [.fail, .noBaseline])
    #expect(try Self.outcomes("\"againstBase\": \"+2\"", 9, base: 7) == [.pass])
    #expect(try Self.outcomes("\"againstBase\": \"+2\"", 10, base: 7) == [.fail])
    let results = try BudgetCheck(
      Budget.of(
        "\"metric\": \"gen.entries\", \"max\": 9",
        "\"metric\": \"diff.floorPages\", \"againstBase\": \"+1\""),
      images: [CheckedImage(["gen.entries": 8, "diff.floorPages": 4])],
      base: [CheckedImage(["gen.entries": 8])]
    ).results()
    #expect(results.map(\.outcome) == [.pass, .noBaseline])
    #expect(results[1].reason == "the base does not have this figure")
  }

  /// A change does not fail for a limit that the base exceeds as much.
  @Test func aLimitThatTheBaseExceedsAsMuchIsListedApart() throws {
    #expect(try Self.outcomes("\"max\": 8", 11, base: 11) == [.alreadyInBase])
    #expect(try Self.outcomes("\"max\": 8", 10, base: 11) == [.alreadyInBase], "better")
    #expect(try Self.outcomes("\"max\": 8", 12, base: 11) == [.fail], "worse")
    #expect(try Self.outcomes("\"max\": 8", 11, base: 8) == [.fail])
    #expect(try Self.outcomes("\"max\": 8", 11) == [.fail], "no base")
    let allowance = "\"max\": 8, \"againstBase\": \"+2\""
    #expect(try Self.outcomes(allowance, 12, base: 11) == [.alreadyInBase, .pass], "allowed")
    #expect(try Self.outcomes(allowance, 14, base: 11) == [.fail, .fail])
    #expect(try Self.outcomes(allowance, 9, base: 8) == [.fail, .pass], "newly exceeded")
    #expect(
      try Self.outcomes("\"max\": \"2%\"", 0.5, base: 0.5, figure: "diff.stale") == [.alreadyInBase]
    )
    #expect(
      try Self.outcomes("\"min\": \"98%\"", 0.9, base: 0.9, figure: "diff.inOrder")
        == [.alreadyInBase])
    var check = BudgetCheck(
      try Budget.of("\"metric\": \"pages.textPages\", \"max\": 8"),
      images: [CheckedImage(["pages.textPages": 11])],
      base: [CheckedImage(["pages.textPages": 11])])
    func document() throws -> CheckDocument {
      CheckDocument(
        budget: "b.json", base: ["base.json"], results: try check.results(), images: check.images)
    }
    let kept = try document()
    #expect(kept.outcome == .pass && kept.failures(mangled).isEmpty)
    #expect(kept.summary == "0 of 1 limit kept, 1 already exceeded in the base")
    #expect(kept.alreadyInBaseNote?.contains("--fail-on-base") == true)
    #expect(
      CheckText(kept).text.contains(
        "\nalready exceeded in the base, so no failure of this change:\n"))
    let read = try CheckDocument(parsing: FileBytes(kept.json()))
    #expect(read.results == kept.results && read.outcome == .pass)
    check.failsOnBase = true
    let failed = try document()
    #expect(failed.outcome == .fail && failed.failures(mangled).count == 1)
    #expect(failed.alreadyInBaseNote == nil)
  }

  /// Medians of samples differ by chance, so a base that exceeds a limit by nearly as much exceeds the limit, too.
  @Test func aNoisyFigureThatIsNotProvedToBeWorseIsAlreadyInTheBase() throws {
    func outcomes(_ now: Double, base: Double, quartiles: Double?) throws -> [CheckOutcome] {
      func image(_ value: Double) -> CheckedImage {
        var image = CheckedImage(["measure.rss": value])
        image.figures[0].metric.sample = quartiles.map {
          .init(low: value - $0, high: value + $0, count: 20)
        }
        return image
      }
      var old = [image(base)]
      let document = CheckDocument(budget: "b", base: [], results: [], images: old)
      old = []
      try old.addBase(FileBytes(document.json()), path: "check.json")
      return try BudgetCheck(
        Budget.of("\"metric\": \"measure.rss\", \"max\": 1000"), images: [image(now)], base: old
      ).results().map(\.outcome)
    }
    // The notches of both medians are 1.57 * 200 / sqrt(20) = 70, so they differ by at most 99 by chance.
    #expect(try outcomes(2050, base: 2000, quartiles: 100) == [.alreadyInBase])
    #expect(try outcomes(2090, base: 2000, quartiles: 100) == [.alreadyInBase])
    #expect(try outcomes(2110, base: 2000, quartiles: 100) == [.fail])
    #expect(try outcomes(2001, base: 2000, quartiles: nil) == [.fail], "an exact count")
  }

  @Test func aLimitOfTheCommandLineIsNamedByItsOption() throws {
    let limits = try CommandLimits(parsing: ["gen.entries<=7", "diff.floorPages<=9"]).limits
    let images = [CheckedImage(["gen.entries": 8, "diff.floorPages": 4])]
    let results = try BudgetCheck(Budget(limits: limits), images: images, base: nil).results()
    let document = CheckDocument(budget: "b.json", base: [], results: results, images: images)
    #expect(document.failures(mangled).map(\.context) == [["--limit 'gen.entries<=7'"]])
    #expect(BudgetExplanation(document).text.contains("\n--limit 'diff.floorPages<=9': "))
    let read = try CheckDocument(parsing: FileBytes(document.json()))
    #expect(read.results == results && read.results[0].option == "gen.entries<=7")
    let log = try parsedJSON(CheckSARIF(document, toolVersion: "1").json())
    let run = try #require((log["runs"] as? [[String: Any]])?.first)
    #expect((run["results"] as? [Any])?.isEmpty == true, "the option is at no line of a file")
    let invocation = try #require((run["invocations"] as? [[String: Any]])?.first)
    let notes = try #require(invocation["toolExecutionNotifications"] as? [[String: Any]])
    #expect(notes.count == 1 && notes[0]["level"] as? String == "error")
    let text = (notes[0]["message"] as? [String: Any])?["text"] as? String
    #expect(text?.hasPrefix("--limit 'gen.entries<=7'; gen.entries of app: expected") == true)
    let absent = BudgetCheck(
      Budget(limits: limits), images: [CheckedImage(["gen.entries": 8])], base: nil)
    let error = #expect(throws: Diagnostic.self) { try absent.results() }
    #expect(error?.context == ["--limit 'diff.floorPages<=9'"])
    #expect(error?.message == "no document has diff.floorPages")
  }

  /// The newest figures of each series are the base, except those of the checked commit and of other launches.
  @Test func theNewestFiguresOfAHistoryAreABase() throws {
    let lines =
      [
        HistoryEntry.pages("c1", 10, 143), .pages("c3", 30, 150), .pages("c2", 20, 146),
        .pages("c2", 20, 40, .sixteenKibibytes), .time("c2", 20, 5),
      ].flatMap(\.line)
    func base(_ checked: CheckedCommit) throws -> CheckedImage {
      var base: [CheckedImage] = []
      try base.addBase(FileBytes(lines), path: "history.jsonl", checked: checked)
      return try #require(base.first)
    }
    func pages(_ image: CheckedImage) -> [Double] {
      image.figures.filter { $0.id == "pages.textPages" }.map(\.metric.value).sorted()
    }
    #expect(try pages(base(CheckedCommit())) == [40, 150])
    #expect(try pages(base(CheckedCommit(commit: "c3"))) == [40, 146])
    #expect(try base(CheckedCommit()).reference.architecture == .x8664)
    #expect(try base(CheckedCommit()).figures.allSatisfy { $0.source == .pages }, "no times")
    var none: [CheckedImage] = []
    try none.addBase(FileBytes(lines), path: "h", checked: CheckedCommit(launch: "other"))
    #expect(none.isEmpty)
  }

  /// A history may have figures of other images, and of the image for several architectures.
  @Test func aHistoryGivesFiguresOfTheImagesOwnArchitecture() throws {
    var arm = HistoryEntry.pages("c1", 10, 300)
    arm.series.architecture = "arm64"
    let lines = [arm, .pages("c1", 10, 143), .pages("c1", 10, 9, image: "other")].flatMap(\.line)
    var base: [CheckedImage] = []
    try base.addBase(FileBytes(lines), path: "history.jsonl")
    func bases(_ name: String, _ architecture: Architecture?) throws -> [Double?] {
      var image = CheckedImage(["pages.textPages": 143], name: name)
      image.reference.architecture = architecture
      let budget = try Budget.of("\"metric\": \"pages.textPages\", \"againstBase\": \"+999\"")
      return try BudgetCheck(budget, images: [image], base: base).results().map(\.base)
    }
    #expect(try bases("app", .x8664) == [143])
    #expect(try bases("app", .arm64) == [300])
    #expect(try bases("other", .arm64) == [nil], "no figures of this architecture")
    #expect(try bases("new", .x8664) == [nil])
  }

  /// A change does not fail for a library that the base also loads.
  @Test func onlyNewLibrariesFail() throws {
    func results(_ now: [String], base: [String]?) throws -> CheckResult {
      func image(_ names: [String]) -> CheckedImage {
        var image = CheckedImage(["audit.libraries": Double(names.count)])
        image.libraries = names.map { AuditFigures.Library(name: SymbolName($0)) }
        return image
      }
      let check = BudgetCheck(
        try Budget.of("\"metric\": \"audit.libraries\", \"max\": 9", libraries: "\"libc*\""),
        images: [image(now)], base: base.map { [image($0)] })
      return try #require(try check.results().last)
    }
    #expect(try results(["libc.so", "a.so"], base: nil).outcome == .fail)
    #expect(try results(["libc.so", "a.so"], base: ["a.so"]).outcome == .alreadyInBase)
    let new = try results(["libc.so", "a.so", "b.so"], base: ["a.so"])
    #expect(new.outcome == .fail && new.causes.map(\.name) == ["b.so"])
  }

  /// If the base already exceeds the limit, but by less than this build, the message says so.
  @Test(arguments: [
    ("\"max\": 8", 12.0, 11.0, "at most 8, found 12 (base 11): the base already exceeds this"),
    ("\"max\": 8", 11.0, 8.0, "at most 8, found 11 (base 8)"),
    (
      "\"max\": 8, \"againstBase\": \"+1\"", 11.0, 9.0,
      "at most 8 and at most 1 more than the base, found 11 (base 9)"
    ),
  ])
  func aLimitThatTheBaseExceedsIsSaidToBe(
    limit: String, now: Double, base: Double, expected: String
  ) throws {
    let results = try BudgetCheck(
      Budget.of("\"metric\": \"diff.floorPages\", \(limit)"),
      images: [CheckedImage(["diff.floorPages": now])],
      base: [CheckedImage(["diff.floorPages": base])]
    ).results()
    #expect(
      results.failedFigures.map(\.wording) == [
        "diff.floorPages of app, 4 KiB pages: expected \(expected)"
      ])
  }

  @Test func aBaseOfAnotherProgramIsRefused() throws {
    let check = BudgetCheck(
      try Budget.of("\"metric\": \"gen.entries\", \"max\": 9"),
      images: [CheckedImage(["gen.entries": 8], name: "app")],
      base: [CheckedImage(["gen.entries": 8], name: "other")])
    let error = #expect(throws: Diagnostic.self) { try check.results() }
    #expect(error?.severity == .mismatch)
  }

  @Test func aBaseOfAnotherArchitectureIsRefused() throws {
    func results(_ now: Architecture?, _ base: Architecture?) throws -> [CheckResult] {
      var image = CheckedImage(["gen.entries": 8])
      var old = image
      (image.reference.architecture, old.reference.architecture) = (now, base)
      return try BudgetCheck(
        Budget.of("\"metric\": \"gen.entries\", \"max\": 9"), images: [image], base: [old]
      ).results()
    }
    let error = #expect(throws: Diagnostic.self) { try results(.arm64, .x8664) }
    #expect(error?.severity == .mismatch)
    #expect(
      error?.message
        == "app of the base is of another architecture: expected arm64, found x86_64")
    #expect(try results(.arm64, .arm64).map(\.outcome) == [.pass])
    // Older documents do not state the architecture.
    #expect(try results(.arm64, nil).map(\.outcome) == [.pass])
  }

  @Test func aNoteCountsLimitsWithoutABaseline() throws {
    func note(
      base: [CheckedImage]?, missing: String? = nil
    ) throws -> String? {
      let image = CheckedImage(["gen.entries": 8, "diff.floorPages": 4, "pages.textPages": 3])
      let budget = try Budget.of(
        "\"metric\": \"diff.floorPages\", \"againstBase\": \"+1\"",
        "\"metric\": \"pages.textPages\", \"againstBase\": \"+1\"")
      let check = BudgetCheck(budget, images: [image], base: base, baseIsMissing: missing)
      return CheckDocument(
        budget: "b.json", base: [], results: try check.results(), images: [image]
      ).baselineNote
    }
    #expect(try note(base: nil) == "2 limits without a baseline: no --base was given")
    let some = [CheckedImage(["diff.floorPages": 4])]
    #expect(
      try note(base: some) == "1 limit without a baseline: the base does not have this figure")
    #expect(
      try note(base: some, missing: "pages.json does not exist")
        == "1 limit without a baseline: pages.json does not exist")
    #expect(try note(base: [CheckedImage(["diff.floorPages": 4, "pages.textPages": 3])]) == nil)
  }

  /// A limit without a figure would be a gate that is always open, and nobody would notice.
  @Test(arguments: [
    ("\"metric\": \"gen.entries\", \"max\": 9", "no document has gen.entries (at line 1)"),
    (
      "\"metric\": \"pages.textPages\", \"max\": 9, \"pageSizeBytes\": 16384",
      "no document has pages.textPages in pages of 16384 bytes (at line 1): found page sizes of 4096"
    ),
    (
      "\"metric\": \"pages.textPages\", \"max\": 9, \"image\": \"apq\"",
      "no document is about the image 'apq' (at line 1): found app"
    ),
    (
      "\"metric\": \"measure.wallTime\", \"againstBase\": \"+3%\", \"state\": \"cold\"",
      "no document has measure.wallTime in the state 'cold' (at line 1)"
    ),
  ])
  func aLimitWithoutAFigureIsAnError(limit: String, message: String) throws {
    let check = BudgetCheck(
      try Budget.of(limit), images: [CheckedImage(["pages.textPages": 4])], base: nil)
    let error = #expect(throws: Diagnostic.self) { try check.results() }
    #expect(error?.message == message)
  }

  /// A launch that `check` made tells why it has no figures.
  @Test func allLimitsWithoutAFigureAreNamedWithTheReason() throws {
    var check = BudgetCheck(
      try Budget.of(
        "\"metric\": \"diff.stale\", \"max\": \"1%\"",
        "\"metric\": \"pages.textPages\", \"max\": 9",
        "\"metric\": \"diff.floorPages\", \"max\": 9", libraries: "\"libc.so.6\""),
      images: [CheckedImage(["pages.textPages": 4])], base: nil)
    check.absences = [
      FigureAbsence(
        .diff, of: ["stale"], Diagnostic("no order file was given", hint: "give '--order'")),
      FigureAbsence(.diff, Diagnostic("unable to trace", context: ["app"], hint: "allow ptrace")),
    ]
    let error = #expect(throws: Diagnostic.self) { try check.results() }
    #expect(
      error?.description == """
        3 limits are on figures that no document has:
          no document has diff.stale (at line 1): no order file was given
          no document has diff.floorPages (at line 3): app: unable to trace
          no document lists libraries (at line 1)
          hint: give '--order'; allow ptrace; give a document that 'orderfile audit --json' has written
        """)
  }

  @Test func librariesAreComparedWithTheList() throws {
    var image = CheckedImage(["pages.textPages": 4])
    image.libraries = ["libc.so.6", "libicuuc.so.72", "libx.so"].map {
      AuditFigures.Library(name: SymbolName($0))
    }
    let budget = try Budget.of(libraries: "\"libc.so.6\", \"libicu*\"")
    let results = try BudgetCheck(budget, images: [image], base: nil).results()
    #expect(results.map(\.outcome) == [.fail])
    #expect(results[0].causes.map(\.name) == ["libx.so"])
    image.libraries = nil
    #expect(throws: Diagnostic.self) {
      try BudgetCheck(budget, images: [image], base: nil).results()
    }
  }

  @Test(
    arguments: [
      (0.05, 0.04...0.06, .fail, nil), (0.01, 0.0...0.02, .pass, nil),
      (0.02, 0.005...0.036, .inconclusive, 77), (0.04, 0.028...0.05, .inconclusive, 44),
      (0.03, 0.02...0.04, .inconclusive, nil), (0.01, nil, .inconclusive, 6),
    ] as [(Double, ClosedRange<Double>?, CheckOutcome, Int?)])
  func aTimeFailsOnlyWithItsWholeInterval(
    share: Double, interval: ClosedRange<Double>?, outcome: CheckOutcome, needed: Int?
  ) {
    let verdict = TimeVerdict(
      TypicalChange(share: share, interval: interval), launches: 30, allowance: 0.03)
    #expect(verdict.outcome == outcome)
    #expect(verdict.launchesNeeded == needed)
  }

  /// The control is the base, measured again. It differs from the base only because of the machine.
  @Test func aMachineThatIsNotSteadyFailsNothing() throws {
    func results(controlP: Double) throws -> [CheckResult] {
      func comparison(_ after: String, _ p: Double) -> MeasureDocument.Comparison {
        MeasureDocument.Comparison(
          before: "before", after: after,
          metrics: [
            ProgramComparison(
              metric: .wallTime, change: TypicalChange(share: 0.1, interval: 0.08...0.12), p: p,
              correctedP: p)
          ])
      }
      var image = CheckedImage([:])
      image.times = [
        CheckedImage.Times(
          state: "cold", launches: 30,
          comparisons: [comparison("after", 0.0001), comparison("control", controlP)])
      ]
      return try BudgetCheck(
        Budget.of("\"metric\": \"measure.wallTime\", \"againstBase\": \"+3%\""), images: [image],
        base: nil
      ).results()
    }
    #expect(try results(controlP: 0.5).map(\.outcome) == [.fail])
    let unsteady = try results(controlP: 0.0001)
    #expect(unsteady.map(\.outcome) == [.inconclusive])
    #expect(unsteady[0].reason?.contains("not steady") ?? false)
  }

  @Test func oneBuildHasNoBaseline() throws {
    var image = CheckedImage([:])
    image.times = [CheckedImage.Times(state: "cold", launches: 30, comparisons: [])]
    let results = try BudgetCheck(
      Budget.of("\"metric\": \"measure.wallTime\", \"againstBase\": \"+3%\""), images: [image],
      base: nil
    ).results()
    #expect(results.map(\.outcome) == [.noBaseline])
  }

  /// A budget that is written today passes today, with and without the same figures as the base.
  @Test func aDraftIsKeptByWhatItWasMadeOf() throws {
    let image = CheckedImage([
      "pages.textPages": 143, "pages.dataPages": 0, "diff.startupBytes": 60_000,
      "diff.stale": 0.013, "diff.inOrder": 0.997, "diff.present": 1, "gen.entries": 900,
      "gen.untracedInitializers": 3, "audit.libraries": 12,
    ])
    let budget = try BudgetDraft.budget(for: [image])
    #expect(
      budget.limits.map { "\($0.figure.id) \($0.maximum ?? $0.minimum ?? .count(-1))" } == [
        "audit.libraries 12", "diff.inOrder 97%", "diff.present 98%", "diff.stale 4%",
        "diff.startupBytes 61200", "gen.untracedInitializers 3", "pages.dataPages 2",
        "pages.textPages 145",
      ])
    for base in [nil, [image]] {
      let results = try BudgetCheck(budget, images: [image], base: base).results()
      #expect(results.allSatisfy { $0.outcome != .fail })
    }
    #expect(throws: Diagnostic.self) {
      try BudgetDraft.budget(for: [CheckedImage(["gen.entries": 5])])
    }
  }

  /// The limit of a time leaves room for today's interval. Without an interval there is no limit.
  @Test(
    arguments: [
      (0.01, 0.0...0.02, "+3%"), (-0.2, -0.21 ... -0.19, "+3%"), (0.02, 0.01...0.03, "+3%"),
      (0.05, 0.03...0.07, "+7%"), (0.05, 0.04...0.0701, "+8%"), (0.9, 0.5...1.3, nil),
      (0.01, nil, nil),
    ] as [(Double, ClosedRange<Double>?, String?)])
  func aDraftIsKeptByTheTimesItWasMadeOf(
    share: Double, interval: ClosedRange<Double>?, expected: String?
  ) throws {
    var image = CheckedImage(["gen.untracedInitializers": 0])
    let metric = ProgramComparison(
      metric: .wallTime, change: TypicalChange(share: share, interval: interval), p: 0.5,
      correctedP: 0.5)
    image.times = [
      CheckedImage.Times(
        state: "cold", launches: 30,
        comparisons: [
          MeasureDocument.Comparison(before: "before", after: "after", metrics: [metric])
        ])
    ]
    let budget = try BudgetDraft.budget(for: [image])
    let limits = budget.limits.filter { $0.figure.isTime }
    #expect(limits.map { $0.againstBase?.description } == (expected.map { [$0] } ?? []))
    let results = try BudgetCheck(budget, images: [image], base: [image]).results()
    #expect(results.map(\.outcome) == results.map { _ in .pass })
    let notes = BudgetDraft.notes(for: [image])
    #expect(notes.count == (expected == nil ? 1 : 0))
    #expect(
      notes.allSatisfy { $0.hasPrefix("no limit for measure.wallTime of app, cold: ") }, "\(notes)")
  }
}
