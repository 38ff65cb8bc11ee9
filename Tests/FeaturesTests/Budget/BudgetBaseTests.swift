import Audit
import Budget
import ByteReading
import ImageModel
import Rendering
import TestSupport
import Testing

@Suite struct BudgetBaseTests {
  @Test func aBaseThatIsMissingFailsNothing() throws {
    #expect(try BudgetCheck.outcomes("\"againstBase\": \"+2\"", 9) == [.noBaseline])
    #expect(
      try BudgetCheck.outcomes("\"max\": 5, \"againstBase\": \"+2\"", 9) == [.fail, .noBaseline])
    #expect(try BudgetCheck.outcomes("\"againstBase\": \"+2\"", 9, base: 7) == [.pass])
    #expect(try BudgetCheck.outcomes("\"againstBase\": \"+2\"", 10, base: 7) == [.fail])
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
    #expect(try BudgetCheck.outcomes("\"max\": 8", 11, base: 11) == [.alreadyInBase])
    #expect(try BudgetCheck.outcomes("\"max\": 8", 10, base: 11) == [.alreadyInBase], "better")
    #expect(try BudgetCheck.outcomes("\"max\": 8", 12, base: 11) == [.fail], "worse")
    #expect(try BudgetCheck.outcomes("\"max\": 8", 11, base: 8) == [.fail])
    #expect(try BudgetCheck.outcomes("\"max\": 8", 11) == [.fail], "no base")
    let allowance = "\"max\": 8, \"againstBase\": \"+2\""
    #expect(
      try BudgetCheck.outcomes(allowance, 12, base: 11) == [.alreadyInBase, .pass], "allowed")
    #expect(try BudgetCheck.outcomes(allowance, 14, base: 11) == [.fail, .fail])
    #expect(try BudgetCheck.outcomes(allowance, 9, base: 8) == [.fail, .pass], "newly exceeded")
    #expect(
      try BudgetCheck.outcomes("\"max\": \"2%\"", 0.5, base: 0.5, figure: "diff.stale") == [
        .alreadyInBase
      ]
    )
    #expect(
      try BudgetCheck.outcomes("\"min\": \"98%\"", 0.9, base: 0.9, figure: "diff.inOrder")
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
}
