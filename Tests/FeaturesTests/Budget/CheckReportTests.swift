import Budget
import ByteReading
import Foundation
import ImageModel
import Prediction
import Rendering
import TestSupport
import Testing

/// The reports of a check with each outcome, against golden files.
@Suite struct CheckReportTests {
  @Test func text() throws {
    try expectGolden(CheckText(sampleCheck()).text, "check/expected.txt")
    try expectGolden(BudgetExplanation(sampleCheck()).text, "check/why.txt")
  }

  @Test func whyThereIsNoBaselineIsSaidOnce() throws {
    let image = CheckedImage(["gen.entries": 8, "diff.floorPages": 4, "pages.textPages": 3])
    let budget = try Budget.of(
      "\"metric\": \"diff.floorPages\", \"againstBase\": \"+1\"",
      "\"metric\": \"gen.entries\", \"max\": 9",
      "\"metric\": \"pages.textPages\", \"againstBase\": \"+1\"")
    let reason = "no --base was given"
    let results = try BudgetCheck(budget, images: [image], base: nil, baseIsMissing: reason)
      .results()
    let document = CheckDocument(
      budget: "b.json", base: [], baseIsMissing: reason, results: results, images: [image])
    #expect(!CheckText(document).text.contains(reason))
    #expect(!BudgetExplanation(document).text.contains(reason))
    #expect(document.baselineNote == "2 limits without a baseline: \(reason)")
  }

  /// The commands have the files and the launch of the documents. A launch is recorded again only if the trace is of an
  /// older build.
  @Test(arguments: [true, false])
  func aStaleOrderComesWithWhatRenewsIt(isRecorded: Bool) throws {
    let builds = try SampleBuilds.ofOneProgram()
    try builds.write((SampleBuilds.used + ["gone"]).joined(separator: "\n"), "app.order")
    if !isRecorded {
      try builds.writeTrace("app.oftrace", of: "app.rec", used: SampleBuilds.used + ["f15"])
      try builds.writeImage(SampleBuilds.functions.dropLast(), "after", id: [0xaf])
    }
    var options = LayoutDiff.Options(before: builds.path("before"), after: builds.path("after"))
    options.launches.traces = [builds.path("app.oftrace")]
    options.launches.order = builds.path("app.order")
    options.launches.launch = ["./app", "--help"]
    var images: [CheckedImage] = []
    try images.add(
      CommittedDocument(judging: .diff(try LayoutDiff(options).document)), path: "diff.json")
    let results = try BudgetCheck(
      Budget.of("\"metric\": \"diff.stale\", \"max\": \"2%\""), images: images, base: nil
    ).results()
    let trace = builds.path("app.oftrace")
    let commands =
      (isRecorded ? [] : ["orderfile record --breakpoints -o \(trace) -- ./app --help"]) + [
        "orderfile gen \(trace) --image \(builds.path("after")) -o \(builds.path("app.order"))"
      ]
    #expect(results.map(\.renewal) == [commands])
    let document = CheckDocument(budget: "b.json", base: [], results: results, images: images)
    let renewal =
      "renew the order file: \(commands.map { "'\($0)'" }.joined(separator: ", ")), and link after again"
    #expect(document.failures(mangled)[0].hint?.contains(renewal) == true)
    #expect(CheckText(document).text.contains("  \(renewal)\n"))
    #expect(try CheckDocument(parsing: FileBytes(document.json())).results == results)
  }

  @Test func documents() throws {
    let check = try sampleCheck()
    try expectGolden(String(decoding: check.json(), as: UTF8.self), "check/expected.json")
    let sarif = CheckSARIF(check, toolVersion: "1.2.3").json()
    try expectGolden(String(decoding: sarif, as: UTF8.self), "check/expected.sarif")
    try expectGolden(JUnitReport(check).text, "check/junit.xml")
    try expectGolden(CheckMarkdown(check).text, "check/expected.md")
  }

  /// An outcome that fails the command also fails the test report.
  @Test func aStrictReportHasErrorsForWhatIsUndecided() throws {
    let check = try sampleCheck()
    let undecided = check.count(.inconclusive)
    #expect(undecided > 0)
    let strict = JUnitReport(check, isStrict: true).text
    #expect(strict.contains("failures=\"8\" errors=\"\(undecided)\""))
    #expect(strict.components(separatedBy: "<error type=\"inconclusive\"").count == undecided + 1)
    #expect(strict.contains("skipped=\"\(3 - undecided)\""))
  }

  @Test func aReportIsTheBaseOfTheNext() throws {
    let check = try sampleCheck()
    var base: [CheckedImage] = []
    try base.addBase(FileBytes(check.json()), path: "check.json")
    #expect(base.count == 1)
    #expect(base[0].functions?.map(\.address) == check.images[0].functions?.map(\.address))
    #expect(base[0].figures.map(\.id) == check.images[0].figures.map(\.id))
    let budget = try Budget.of("\"metric\": \"pages.textPages\", \"againstBase\": \"+0\"")
    let again = try BudgetCheck(budget, images: check.images, base: base).results()
    #expect(again.map(\.outcome) == [.pass])
    #expect(throws: Diagnostic.self) {
      try base.addBase(FileBytes(check.json()), path: "again.json")
    }
  }

  @Test func timesOfAnotherJobAreNoBase() throws {
    var base: [CheckedImage] = []
    let bytes = FileBytes(try fixture("reporting/measure/cold-and-warm/expected.json"))
    let error = #expect(throws: Diagnostic.self) { try base.addBase(bytes, path: "m.json") }
    #expect(error?.message == "times of another job can't be compared with this build")
  }

  /// A comment on GitHub holds 65,536 characters.
  @Test func markdownFitsIntoAComment() throws {
    var check = try sampleCheck()
    let name = SymbolName(String(repeating: "<x>", count: 500))
    for index in check.results.indices {
      check.results[index].setCauses(
        (0..<500).map { RegressionCause(.new, "\(name.description)\($0)", bytes: 5) })
    }
    check.results = (0..<30).flatMap { _ in check.results }
    let text = CheckMarkdown(check).text
    #expect(text.utf8.count < 65_536)
    #expect(text.contains("did not fit"))
    #expect(
      text.components(separatedBy: "<details>").count
        == text.components(separatedBy: "</details>").count)
  }
}
