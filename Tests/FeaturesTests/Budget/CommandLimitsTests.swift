import Budget
import ImageModel
import Ordering
import Testing

/// `--limit` of `diff`, `verify` and `audit`.
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
