import Budget
import ImageModel
import Measuring
import Ordering
import Testing

/// `--limit` of `diff`, `verify`, `audit` and `measure`, and limits on resident memory.
@Suite struct CommandLimitsTests {
  @Test(arguments: [
    ("diff.present", "expected FIGURE<=NUMBER or FIGURE>=NUMBER, found 'diff.present'"),
    ("pages.textPages<=40", "unknown figure: expected one of diff.covered, "),
    ("diff.presnt>=5%", "found 'diff.presnt', did you mean 'diff.present'?"),
    (
      "diff.present>=95", "invalid limit of diff.present: expected a share such as 5%, found '95'"
    ),
    (
      "diff.drifted<=5%", "invalid limit of diff.drifted: expected a whole number, found '5%'"
    ),
    ("diff.drifted<=-1", "expected a whole number, found '-1'"),
    ("diff.drifted<=", "expected a whole number, found ''"),
    ("\u{1b}<=1", "found '\\x1b'"),
  ])
  func whatIsNoLimitIsAnError(text: String, message: String) {
    let error = #expect(throws: Diagnostic.self) { try CommandLimits(parsing: [text], of: .diff) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  /// A time has no limit of its own, because times of other launches can't be compared.
  @Test func memoryCanBeLimitedAndATimeCannot() throws {
    let limits = try CommandLimits(
      parsing: ["measure.rss<=3000000", "measure.imageRSS<=400000"], of: .measure)
    #expect(limits.limits.map(\.maximum) == [.count(3_000_000), .count(400_000)])
    let error = #expect(throws: Diagnostic.self) {
      try CommandLimits(parsing: ["measure.wallTime<=3"], of: .measure)
    }
    #expect(error?.message.contains("expected one of measure.imagePSS, ") == true)
  }

  /// The median of 20 launches is the figure, so a budget with 2% more memory fails at 5% more.
  @Test func fivePercentMoreMemoryExceedsABudgetOfTwoPercent() throws {
    func document(_ percent: UInt64) throws -> MeasureDocument {
      var memory = try #require(MeasureDocumentTests.document("memory").memory)
      for index in memory.sides[1].figures.launches.indices {
        memory.sides[1].figures.launches[index].rss *= 100 + percent
        memory.sides[1].figures.launches[index].rss /= 100
      }
      var document = MeasureDocumentTests.document("memory")
      document.memory = memory
      return document
    }
    func images(_ percent: UInt64) throws -> [CheckedImage] {
      var images: [CheckedImage] = []
      try images.add(CommittedDocument(judging: .measure(document(percent))), path: "m.json")
      return images
    }
    let budget = try BudgetDraft.budget(for: images(0))
    let base = try images(0)
    for (percent, failed) in [(UInt64(0), 0), (1, 0), (5, 2)] {
      let results = try BudgetCheck(budget, images: images(percent), base: base).results()
      let failures = results.filter { $0.outcome == .fail }
      #expect(failures.map(\.figure.id) == Array(repeating: "measure.rss", count: failed))
    }
  }

  @Test func blanksAroundTheSignDoNotCount() throws {
    let limits = try CommandLimits(
      parsing: ["diff.recordable >= 10%", " diff.drifted <= 3 "], of: .diff)
    #expect(limits.minimumShare(of: "diff.recordable") == Share(percent: 10))
    #expect(limits.limits.map(\.maximum) == [nil, .count(3)])
  }

  @Test func eachFailureIsNamedWithItsRemedy() throws {
    let limits = try CommandLimits(
      parsing: ["verify.stale<=5%", "verify.stale>=10%", "verify.stale<=1%"], of: .verify)
    var document = VerifyDocument(
      path: "app.order", dialect: "lld", images: [ImageReference(path: "build/app")], entries: 50)
    document.problems = [.init(line: 1, name: "f", kind: .missing, reason: "no such symbol")]
    let failures = try limits.failures(
      of: .verify(VerifyFigures(document)), path: "app.order", remedy: { _ in "record again" })
    #expect(
      failures == [
        Diagnostic(
          "verify.stale of app: expected at least 10%, found 2%", context: ["app.order"],
          hint: "record again", severity: .checkFailed),
        Diagnostic(
          "verify.stale of app: expected at most 1%, found 2%", context: ["app.order"],
          hint: "record again", severity: .checkFailed),
      ])
  }
}
