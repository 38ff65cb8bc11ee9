import Foundation
import TestSupport
import Testing

/// `orderfile report`: which files it takes, and what it says of those it does not.
@Suite(.needs(.recording)) struct ReportTests {
  private static let files = ["app", "ordered", "app.oftrace", "app.order"]

  @Test func writesOnePageWhoseDataAreThoseOfDiff() throws {
    let workshop = try CommandLineTests.workshop()
    try workshop.must(Built.orderfile, ["report", "-q", "-o", "report.html"] + Self.files)
    let page = workshop.text("report.html")
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.contains("default-src 'none'"))
    let data = try workshop.must(Built.orderfile, ["report", "--json"] + Self.files).json
    #expect(data["schema"] as? String == "orderfile.report/1")
    var diff = try workshop.mustOrderfile(
      "diff", "app", "ordered", "--trace", "app.oftrace", "--order", "app.order", "--json"
    ).json
    diff["functions"] = nil  // in the layouts
    let embedded = (data["documents"] as? [String: Any])?["diff"] as? [String: Any]
    #expect(NSDictionary(dictionary: embedded ?? [:]) == NSDictionary(dictionary: diff))
    let layouts = try #require(data["layouts"] as? [[String: Any]])
    #expect(layouts.compactMap { $0["side"] as? String } == ["before", "after"])
    let absent = try #require(data["absent"] as? [[String: String]])
    #expect(
      absent.compactMap { $0["view"] } == [
        "measured pages", "stages of the launch", "launches", "history", "budget", "limits",
      ])
  }

  @Test func showsWhatItIsGiven() throws {
    let workshop = try CommandLineTests.workshop()
    try workshop.write(fixture("reporting/measure/cold-and-warm/expected.json"), "measure.json")
    try workshop.write(fixture("reporting/diff/with-order/expected.json"), "diff.json")
    try workshop.write(fixture("history/of-pages.jsonl"), "h.jsonl")
    try workshop.mustOrderfile("check", "--init", "-o", "budget.json", "diff.json")
    try workshop.mustOrderfile(
      "check", "--json", "-o", "check.json", "--budget", "budget.json", "diff.json")
    try workshop.mustOrderfile(
      "stages", "--json", "-o", "stages.json", "--runs", "3", "--", "./app")
    let one = try workshop.mustOrderfile("report", "--json", "app", "app.oftrace", "stages.json")
      .json
    let only = try #require(one["layouts"] as? [[String: Any]])
    #expect(only.count == 1 && only[0]["side"] as? String == "only" && only[0]["id"] != nil)
    let stages = try #require(one["stages"] as? [[String: Any]])
    #expect(stages.count == 1 && (stages[0]["rows"] as? [Any])?.isEmpty == false)
    #expect(stages[0]["launches"] as? Int == 3)
    let documents = try workshop.mustOrderfile(
      "report", "--json", "diff.json", "budget.json", "check.json", "measure.json", "h.jsonl"
    ).json
    let kinds = try #require(documents["documents"] as? [String: Any])
    #expect(kinds.keys.sorted() == ["budget", "check", "diff", "history", "measure", "trend"])
    #expect((documents["layouts"] as? [Any])?.isEmpty == true)
    #expect((documents["unproved"] as? [Any])?.isEmpty == false)
  }

  @Test func countsTheLaunchesThatUseAFunctionAndShowsOtherLayouts() throws {
    let workshop = try CommandLineTests.workshop()
    let report = try workshop.mustOrderfile(
      "report", "--json", "app", "ordered", "app", "app.oftrace", "app.oftrace"
    ).json
    let layouts = try #require(report["layouts"] as? [[String: Any]])
    let functions = try #require(layouts.last?["functions"] as? [String: [Int]])
    let used = try #require(layouts.last?["touched"] as? [String: [Int]])["function"] ?? []
    let launches = try #require(functions["launches"])
    #expect(Set(used.filter { $0 >= 0 }.map { launches[$0] }) == [2])
    let other = try #require((report["otherLayouts"] as? [[String: Any]])?.first)
    #expect(other["path"] as? String == "app")
    let curves = [layouts[0], other].map { $0["curve"] as? [String: [Int]] }
    #expect(curves[0] == curves[1])
  }

  @Test func replacesNoInput() throws {
    let workshop = try CommandLineTests.workshop()
    let image = workshop.folder.appending(path: "ordered")
    let before = try Data(contentsOf: image)
    for path in ["ordered", "./ordered"] {
      let run = try workshop.orderfile(["report", "-o", path] + Self.files)
      #expect(run.status != 0 && run.errors.contains("\(path): unable to write: it is an input"))
    }
    #expect(try Data(contentsOf: image) == before)
    let full = try workshop.orderfile(["report", "-o", "/dev/full"] + Self.files)
    #expect(full.status != 0 && full.errors.contains("/dev/full: unable to write: No space left"))
    let nowhere = try workshop.orderfile(["report", "-o", "no/report.html"] + Self.files)
    #expect(nowhere.status != 0 && nowhere.errors.contains("no/report.html: unable to write"))
  }

  @Test(arguments: [
    (["app"], "missing the startup functions of a layout"),
    (Array(repeating: "app", count: 9), "too many layouts: expected at most 8, found another"),
    (["app.order", "app.order"], "expected one order file, found a second"),
    (
      ["other.json"],
      "unsupported document: expected one of diff, pages, measure, stages, history, budget or check"
    ),
    (["app.order"], "missing the layouts"), (["pages.json"], "missing the image that was counted"),
    (["app", "app.oftrace", "pages.json"], "image ID mismatch"),
    (
      ["measure.json", "pages-history.jsonl"],
      "program mismatch: expected app, app-before of measure.json, found b"
    ),
    (["app", "app.oftrace", "measure.json"], "image ID mismatch: expected "),
    (
      ["arm.jsonl", "app", "app.oftrace"],
      "architecture mismatch: expected x86_64 of app, found arm64"
    ),
    (
      ["earlier.json"],
      "earlier.json: missing images (at offset 0x0)\n  hint: an earlier version wrote it"
    ),
    (["cut.json"], "cut.json: "), (["newer.json"], "expected orderfile.measure/2"),
    (["nowhere"], "nowhere: "),
  ]) func saysWhatDoesNotFit(_ files: [String], _ message: String) throws {
    let workshop = try CommandLineTests.workshop()
    let pages = try fixture("reporting/pages/expected.json")
    try workshop.write(pages, "pages.json")
    try workshop.write(Array(pages.prefix(pages.count / 2)), "cut.json")
    try workshop.write(Array(#"{"schema": "orderfile.doctor/1"}"#.utf8), "other.json")
    try workshop.write(Array(#"{"schema": "orderfile.measure/9"}"#.utf8), "newer.json")
    try workshop.write(
      Array(#"{"schema": "orderfile.stages/1", "tables": []}"#.utf8), "earlier.json")
    var measure = String(
      decoding: try fixture("reporting/measure/cold-and-warm/expected.json"), as: UTF8.self)
    measure.replace(
      "\"path\": \"build/app\"", with: "\"id\": \"build-id:00\", \"path\": \"build/app\"")
    measure.replace(
      "\"path\": \"build/app-before\"",
      with: "\"id\": \"build-id:01\", \"path\": \"build/app-before\"")
    try workshop.write(Array(measure.utf8), "measure.json")
    var history = String(decoding: try fixture("history/of-pages.jsonl"), as: UTF8.self)
    try workshop.write(Array(history.replacing("x86_64", with: "arm64").utf8), "arm.jsonl")
    history.replace("\"image\": \"app\"", with: "\"image\": \"b\"")
    try workshop.write(Array(history.utf8), "pages-history.jsonl")
    let run = try workshop.orderfile(["report", "-o", "report.html"] + files)
    #expect(run.status != 0 && run.errors.contains(message), "\(run.errors)")
    #expect(!workshop.fileNames.contains("report.html"))
  }
}
