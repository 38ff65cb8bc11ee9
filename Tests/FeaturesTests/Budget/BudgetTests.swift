import Budget
import ByteReading
import ImageModel
import TestSupport
import Testing

@Suite struct BudgetTests {
  @Test func readsAsItIsWritten() throws {
    let budget = try Budget.of(
      "\"metric\": \"pages.textPages\", \"max\": 150, \"image\": \"app\", \"pageSizeBytes\": 16384",
      "\"metric\": \"diff.stale\", \"max\": \"5%\"",
      "\"metric\": \"diff.inOrder\", \"min\": \"98.5%\", \"againstBase\": \"-1%\"",
      "\"metric\": \"measure.wallTime\", \"state\": \"cold\", \"againstBase\": \"+3%\"",
      libraries: "\"libc.so.6\", \"lib*\"")
    var again = try Budget(parsing: FileBytes(budget.json()))
    #expect(again.limits.map(\.line) == [7, 8, 9, 10] && again.libraries?.line == 2)
    #expect(budget.limits.map(\.line) == [1, 2, 3, 4])
    for index in again.limits.indices { again.limits[index].line = index + 1 }
    again.libraries?.line = 1
    #expect(again == budget)
  }

  /// An error has the number of the line. For a misspelt word it suggests the right one.
  @Test(arguments: [
    (
      "{\"schema\": \"orderfile.budget/1\",\n\"limits\": [\n{\"metric\": \"gen.entries\", \"maxx\": 5}]}",
      "invalid key: expected one of againstBase, image, max, metric, min, pageSizeBytes, state, found 'maxx', did you mean 'max'? (at line 3)"
    ),
    (
      "{\"schema\": \"orderfile.budget/1\",\n\"limit\": []}",
      "invalid key: expected one of allowedLibraries, allowedTasks, limits, schema, found 'limit', did you mean 'limits'? (at line 2)"
    ),
    (
      "{\"schema\": \"orderfile.budget/2\"}",
      "invalid schema: expected orderfile.budget/1, found orderfile.budget/2 (at line 1)"
    ),
    (
      "{\"schema\": \"orderfile.budget/1\", \"limits\": [\n",
      "ends early, in 'limits' (at line 2, column 1)"
    ),
    (
      "{\"schema\": \"orderfile.budget/1\", \"limits\": []}",
      "invalid limits: expected at least one, found none (at line 1)"
    ),
  ])
  func saysWhatIsWrongAndWhere(text: String, message: String) {
    let error = #expect(throws: ParseError.self) { try Budget(text) }
    #expect(error.map { "\($0)" } == message)
  }

  @Test(arguments: [
    (
      "\"metric\": \"pages.txtPages\", \"max\": 1",
      "one of pages.dataPages, pages.readOnlyPages, pages.readTextPages, pages.textPages, pages.unprefetched, found 'pages.txtPages', did you mean 'pages.textPages'?"
    ),
    (
      "\"metric\": \"textPages\", \"max\": 1",
      "one of auto.textPages, pages.textPages, found 'textPages'"
    ),
    ("\"metric\": \"pages.textPages\", \"max\": \"5%\"", "a whole number, found \"5%\""),
    (
      "\"metric\": \"stages.milliseconds\", \"min\": 5",
      "max or againstBase, because less time is better, found 5"
    ),
    (
      "\"metric\": \"tasks.count\", \"state\": \"warm\", \"max\": 1",
      "none for tasks.count, found 'warm'"
    ),
    ("\"metric\": \"pages.textPages\", \"max\": -1", "0 to 2^53, found -1"),
    ("\"metric\": \"pages.textPages\", \"max\": \"many\"", "a share as \"5%\", found \"many\""),
    ("\"metric\": \"diff.stale\", \"max\": 5", "a share as \"5%\", found 5"),
    ("\"metric\": \"diff.stale\", \"againstBase\": \"+2\"", "a percentage, found '+2'"),
    ("\"metric\": \"diff.stale\", \"againstBase\": \"-2%\"", "'+2' or '+2%', found '-2%'"),
    ("\"metric\": \"diff.present\", \"againstBase\": \"+2%\"", "'-2%', found '+2%'"),
    ("\"metric\": \"gen.entries\", \"againstBase\": \"+2\"", "neither more nor less"),
    ("\"metric\": \"gen.entries\", \"againstBase\": \"2\"", "'+2' or '+2%', found '2'"),
    ("\"metric\": \"gen.entries\"", "max, min or againstBase for gen.entries, found none"),
    ("\"metric\": \"measure.wallTime\", \"max\": 5", "times of other launches can't be compared"),
    ("\"metric\": \"measure.wallTime\", \"againstBase\": \"+5\"", "a percentage, found '+5'"),
    (
      "\"metric\": \"measure.wallTime\", \"againstBase\": \"+5%\", \"state\": \"cld\"",
      "found 'cld', did you mean 'cold'?"
    ),
    ("\"metric\": \"gen.entries\", \"max\": 1, \"state\": \"cold\"", "none for gen.entries"),
    ("\"metric\": \"measure.requests\", \"max\": \"5%\"", "a whole number, found \"5%\""),
    ("\"metric\": \"measure.requests\", \"max\": 5, \"state\": \"cool\"", "one of cold, warm"),
    (
      "\"metric\": \"measure.requests\", \"max\": 5, \"pageSizeBytes\": 4096",
      "none for measure.requests"
    ),
    ("\"metric\": \"gen.entries\", \"max\": 1, \"pageSizeBytes\": 5", "a power of two"),
  ])
  func refusesWhatDoesNotFitTheFigure(limit: String, message: String) {
    let error = #expect(throws: ParseError.self) { try Budget.of(limit) }
    #expect(error.map { "\($0)".contains(message) } ?? false, "\(error.map { "\($0)" } ?? "")")
  }

  @Test func damagedBudgetsNeverTrapHostile() throws {
    let bytes = Array(
      """
      {
        "allowedLibraries": ["libc.so.6", "libicu*"],
        "allowedTasks": ["database of first screen", "* of later"],
        "limits": [
          {"againstBase": "+2", "image": "app", "max": 150, "metric": "pages.textPages", "pageSizeBytes": 4096},
          {"max": "5%", "metric": "diff.stale"},
          {"againstBase": "+3%", "metric": "measure.wallTime", "state": "cold"}
        ],
        "schema": "orderfile.budget/1"
      }

      """.utf8)
    #expect(throws: Never.self) { try Budget(parsing: FileBytes(bytes)) }
    for length in hostilePrefixLengths(of: bytes) where length < bytes.count - 2 {
      #expect(throws: ParseError.self, "\(length)") {
        try Budget(parsing: FileBytes(Array(bytes[..<length])))
      }
    }
    for copy in byteFlips(of: bytes) {
      guard let budget = try? Budget(parsing: FileBytes(copy)) else { continue }
      _ = try? BudgetCheck(budget, images: [CheckedImage(name: "app")], base: nil).results()
    }
  }

  /// If the two lists differed, a document would have a figure that can't be limited, or a limit would never find its
  /// figure.
  @Test func figuresAreThoseOfTheDocuments() throws {
    var found: Set<String> = []
    for name in [
      "audit", "auto", "diff/traced", "diff/with-order", "gen", "measure/cold-and-warm",
      "measure/memory", "pages", "verify",
    ] {
      let document = try CommittedDocument(
        parsing: FileBytes(fixture("reporting/\(name)/expected.json")), path: name)
      for set in document.images.flatMap(\.sets) {
        for metric in set.metrics {
          let id = "\(set.source.rawValue).\(metric.name)"
          found.insert(id)
          guard let figure = BudgetFigure(id: id) else {
            // These figures do not repeat exactly, and have no interval.
            #expect(
              set.source == .measure && !["wallTime", "cpuTime"].contains(metric.name), "\(id)")
            continue
          }
          #expect(figure.unit == metric.unit && figure.direction == metric.direction, "\(id)")
        }
      }
    }
    let all = BudgetFigure.all.map(\.id)
    #expect(Set(all).count == all.count)
    // No sample has these figures.
    let others = Set(all).subtracting(found)
    #expect(
      others.isSubset(of: [
        "measure.instructions", "measure.requests", "measure.readBytes", "audit.embeddedLibraries",
        "diff.covered", "diff.coveredBytes", "diff.drifted", "diff.recordable",
        "diff.unprefetched", "faults.prefetchedFaults",
        "faults.readBytes", "faults.requests", "pages.unprefetched", "verify.unprefetched",
        "stages.milliseconds", "stages.elapsedMilliseconds", "tasks.milliseconds", "tasks.count",
      ]),
      "\(others.sorted())")
  }

  /// The names of stages have blanks and dots.
  @Test(arguments: [
    ("tasks.count", "count"), ("tasks.first screen.count", "first screen.count"),
    ("tasks.a.b.count", "a.b.count"),
    ("stages.a b.c.elapsedMilliseconds", "a b.c.elapsedMilliseconds"),
    ("stages.milliseconds", "milliseconds"),
  ])
  func aFigureMayHaveAStage(id: String, name: String) throws {
    let figure = try #require(BudgetFigure(id: id))
    #expect(figure.name == name && figure.id == id)
  }

  @Test(arguments: [
    (
      "tasks..count",
      "one of tasks.count, tasks.<stage>.count, tasks.milliseconds, tasks.<stage>.milliseconds, found 'tasks..count', did you mean 'tasks.count'?"
    ),
    (
      "tasks.first screen.counts",
      "one of tasks.count, tasks.<stage>.count, tasks.milliseconds, tasks.<stage>.milliseconds, found 'tasks.first screen.counts'"
    ),
    (
      "stages.elapsedMilliseconds",
      "one of stages.<stage>.elapsedMilliseconds, stages.milliseconds, stages.<stage>.milliseconds, found 'stages.elapsedMilliseconds'"
    ),
    (
      "pages.main.textPages",
      "one of pages.dataPages, pages.readOnlyPages, pages.readTextPages, pages.textPages, pages.unprefetched, found 'pages.main.textPages'"
    ),
  ])
  func aMisspeltFigureOfAStageIsAnError(metric: String, message: String) {
    let error = #expect(throws: ParseError.self) {
      try Budget.of("\"metric\": \"\(metric)\", \"max\": 1")
    }
    #expect(error.map { "\($0)" }?.contains(message) ?? false, "\(String(describing: error))")
  }

  @Test func timesAndMemoryAreFiguresOfTheirOwn() {
    #expect(
      BudgetFigure.all.filter(\.isTime).map(\.id)
        == ["measure.cpuTime", "measure.instructions", "measure.wallTime"])
    #expect(
      BudgetFigure.all.filter(\.isMemory).map(\.name)
        == ["imagePSS", "imageRSS", "peakRSS", "pss", "rss"])
  }

  @Test(arguments: [
    ("+2", 143.0, [(145.0, true), (146, false)]), ("+2%", 150, [(153, true), (154, false)]),
    ("+0.7%", 1000, [(1007, true), (1008, false)]), ("+0", 3, [(3, true), (4, false)]),
  ])
  func anAllowanceIsExact(text: String, base: Double, cases: [(Double, Bool)]) throws {
    let allowance = try #require(Allowance(text))
    for (value, isAllowed) in cases {
      #expect(allowance.allows(value, base: base, isShare: false) == isAllowed, "\(value)")
    }
    #expect(allowance.description == text)
  }

  /// For a share, a percentage means percentage points.
  @Test func sharesAreComparedByPoints() throws {
    let more = try #require(Allowance("+7%"))
    #expect(more.allows(0.07, base: 0, isShare: true))
    #expect(!more.allows(0.0701, base: 0, isShare: true))
    let less = try #require(Allowance("-2%"))
    #expect(less.allows(0.96, base: 0.98, isShare: true))
    #expect(!less.allows(0.959, base: 0.98, isShare: true))
  }

  @Test(arguments: [
    "2", "+", "-", "+2.5", "+-2", "+200%", "+ 2", "2%", "++2", "+99999999999999999999",
  ])
  func otherTextIsNoAllowance(text: String) {
    #expect(Allowance(text) == nil)
  }
}
