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
    #expect(absent.compactMap { $0["view"] } == ["measured pages", "launches", "history"])
  }

  @Test func showsWhatItIsGiven() throws {
    let workshop = try CommandLineTests.workshop()
    try workshop.write(fixture("reporting/measure/cold-and-warm/expected.json"), "measure.json")
    try workshop.write(fixture("reporting/diff/with-order/expected.json"), "diff.json")
    try workshop.write(fixture("history/of-pages.jsonl"), "h.jsonl")
    let one = try workshop.mustOrderfile("report", "--json", "app", "app.oftrace").json
    #expect((one["layouts"] as? [Any])?.count == 1)
    let documents = try workshop.mustOrderfile(
      "report", "--json", "measure.json", "diff.json", "h.jsonl"
    ).json
    let kinds = try #require(documents["documents"] as? [String: Any])
    #expect(kinds.keys.sorted() == ["diff", "history", "measure", "trend"])
    #expect((documents["layouts"] as? [Any])?.isEmpty == true)
  }

  @Test(arguments: [
    (["app"], "missing the startup functions of a layout"),
    (["app", "ordered", "app", "app.oftrace"], "too many layouts"),
    (["app.order", "app.order"], "expected one order file, found a second"),
    (["other.json"], "unsupported document: expected one of diff, pages, measure or history"),
    (["app.order"], "missing the layouts"), (["pages.json"], "missing the image that was counted"),
    (["app", "app.oftrace", "pages.json"], "image ID mismatch"),
    (["cut.json"], "cut.json: "), (["newer.json"], "expected orderfile.measure/2"),
    (["nowhere"], "nowhere: "),
  ]) func saysWhatDoesNotFit(_ files: [String], _ message: String) throws {
    let workshop = try CommandLineTests.workshop()
    let pages = try fixture("reporting/pages/expected.json")
    try workshop.write(pages, "pages.json")
    try workshop.write(Array(pages.prefix(pages.count / 2)), "cut.json")
    try workshop.write(Array(#"{"schema": "orderfile.doctor/1"}"#.utf8), "other.json")
    try workshop.write(Array(#"{"schema": "orderfile.measure/9"}"#.utf8), "newer.json")
    let run = try workshop.orderfile(["report", "-o", "report.html"] + files)
    #expect(run.status != 0 && run.errors.contains(message), "\(run.errors)")
    #expect(!workshop.fileNames.contains("report.html"))
  }
}
