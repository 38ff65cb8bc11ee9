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
  @Test func limitsIncludeTheirEnds() throws {
    #expect(try BudgetCheck.outcomes("\"max\": 150", 150) == [.pass])
    #expect(try BudgetCheck.outcomes("\"max\": 150", 151) == [.fail])
    #expect(try BudgetCheck.outcomes("\"min\": 3", 2) == [.fail])
    #expect(try BudgetCheck.outcomes("\"max\": \"7%\"", 7.0 / 100, figure: "diff.stale") == [.pass])
    #expect(try BudgetCheck.outcomes("\"min\": \"98%\"", 0.979, figure: "diff.inOrder") == [.fail])
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
}
