import Foundation
import TestSupport
import Testing

/// `orderfile report`: the files that it takes, and its errors about other files.
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
    diff["nextSteps"] = [Any]()  // in the report's own member
    let embedded = (data["documents"] as? [String: Any])?["diff"] as? [String: Any]
    #expect(NSDictionary(dictionary: embedded ?? [:]) == NSDictionary(dictionary: diff))
    let layouts = try #require(data["layouts"] as? [[String: Any]])
    #expect(layouts.compactMap { $0["side"] as? String } == ["before", "after"])
    let absent = try #require(data["absent"] as? [[String: String]])
    #expect(
      absent.compactMap { $0["view"] } == [
        "measured pages", "page faults over time", "stages of the launch", "launches", "history",
        "budget", "limits",
      ])
  }

  /// As in a CI job: the layouts are of this build without and with the order file, and `measure` compares
  /// the previous build with this build.
  @Test func timesOfOtherBuildsAreNoResultOfTheseLayouts() throws {
    let workshop = try CommandLineTests.workshop()
    let layouts = try workshop.mustOrderfile("report", "--json", "app", "ordered", "app.oftrace")
      .json
    let ids = (layouts["layouts"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    try #require(ids.count == 2)
    for (before, after, isOther) in [
      (ids[0], ids[1], false), ("build-id:0123", ids[1], true), (ids[0], "build-id:0123", true),
    ] {
      var measure = String(
        decoding: try fixture("reporting/measure/cold-and-warm/expected.json"), as: UTF8.self)
      measure.replace(
        "\"path\": \"build/app-before\"", with: "\"id\": \"\(before)\", \"path\": \"b/app\"")
      measure.replace("\"path\": \"build/app\"", with: "\"id\": \"\(after)\", \"path\": \"a/app\"")
      try workshop.write(Array(measure.utf8), "measure.json")
      let run = try workshop.orderfile(
        "report", "--json", "app", "ordered", "app.oftrace", "measure.json")
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        run.json["measuresOtherBuilds"] as? Bool == (isOther ? true : nil), "\(before) \(after)")
      #expect(
        run.errors.contains(
          "measure.json: the measured launches are of other builds than the given layouts: ")
          == isOther, "\(run.errors)")
    }
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
    let check = try #require(kinds["check"] as? [String: Any])
    let counts = try #require(documents["outcomes"] as? [[String: Any]])
    #expect(
      counts.compactMap { $0["limits"] as? Int }.reduce(0, +) == (check["limits"] as? [Any])?.count)
    try workshop.mustOrderfile("report", "-q", "-o", "report.html", "diff.json", "check.json")
    let shown = try workshop.mustOrderfile("show", "report.html").text
    #expect(shown.contains("\nbudget.json: ") && shown.contains("\n  OUTCOME  "), "\(shown)")
  }

  /// A few names are in every program: `main`, and the names of the C runtime.
  @Test func refusesTheOrderFileOfAnotherProgram() throws {
    let workshop = try CommandLineTests.workshop()
    try workshop.write(
      Array("main\n_start\nredisInit\nredisLoad\nredisSave\n".utf8), "redis.order")
    for files in [["app", "app.oftrace"], ["app", "ordered", "app.oftrace"]] {
      let run = try workshop.orderfile(["report", "-o", "report.html"] + files + ["redis.order"])
      #expect(run.status == 3, "\(run.errors)")
      #expect(
        run.errors.contains(
          "redis.order: only 2 of 5 entries are in \(files.dropLast().last ?? "")"),
        "\(run.errors)")
      #expect(!workshop.fileNames.contains("report.html"))
    }
  }

  @Test(.needs(.processes)) func warnsOfMeasuredLaunchesWithOtherArguments() throws {
    let workshop = try CommandLineTests.workshop()
    for (name, arguments) in [("none.json", []), ("same.json", []), ("other.json", ["x y"])] {
      try workshop.must(
        Built.orderfile,
        ["faults", "--ignore-failure", "-q", "--json", "-o", name, "--", "./app"] + arguments)
    }
    let files = ["report", "-o", "report.html", "app", "app.oftrace", "none.json"]
    #expect(try !workshop.orderfile(files + ["same.json"]).errors.contains("other arguments"))
    let run = try workshop.orderfile(files + ["other.json"])
    #expect(run.status == 0)
    #expect(
      run.errors.contains(
        "other.json: the launch had other arguments than the launch of 'none.json': expected none, found 'x y'"
      ), "\(run.errors)")
  }

  @Test func aCheckOfManyLimitsIsThinnedToTheWorst() throws {
    let workshop = try CommandLineTests.workshop()
    func limit(_ outcome: String, _ value: Int) -> String {
      #"{"causes": [], "image": "app", "line": 1, "max": 9, "metric": "pages.textPages", "outcome": ""#
        + outcome + #"", "requirement": "at most 9", "value": \#(value)}"#
    }
    let limits = (0..<3000).map { limit($0 == 2900 ? "fail" : "pass", $0 == 2900 ? 10 : 8) }
    try workshop.write(
      Array(
        (#"{"base": [], "budget": "b.json", "images": [], "limits": ["#
          + limits.joined(separator: ",")
          + #"], "outcome": "fail", "schema": "orderfile.check/1"}"#).utf8), "many.json")
    let run = try workshop.orderfile(["report", "--json", "many.json"])
    #expect(run.errors.contains("many.json: the report has 2000 of 3000 limits, the worst first"))
    let documents = try #require(run.json["documents"] as? [String: Any])
    let kept = (documents["check"] as? [String: Any])?["limits"] as? [[String: Any]] ?? []
    #expect(kept.count == 2000 && kept.first?["outcome"] as? String == "fail")
    let counts = try #require(run.json["outcomes"] as? [[String: Any]])
    #expect(counts.compactMap { $0["outcome"] as? String } == ["fail", "pass"])
    #expect(counts.compactMap { $0["limits"] as? Int } == [1, 2999])
  }

  @Test func countsTheLaunchesThatUseAFunctionAndShowsOtherLayouts() throws {
    let workshop = try CommandLineTests.workshop()
    let report = try workshop.mustOrderfile(
      "report", "--json", "app", "ordered", "app.map", "app.oftrace", "app.oftrace"
    ).json
    let layouts = try #require(report["layouts"] as? [[String: Any]])
    let functions = try #require(layouts.last?["functions"] as? [String: [Int]])
    let used = try #require(layouts.last?["touched"] as? [String: [Int]])["function"] ?? []
    let launches = try #require(functions["launches"])
    #expect(Set(used.filter { $0 >= 0 }.map { launches[$0] }) == [2])
    let other = try #require((report["otherLayouts"] as? [[String: Any]])?.first)
    #expect(other["path"] as? String == "app.map")
    let curves = [layouts[0], other].map { ($0["curve"] as? [String: [Int]])?["step"] }
    #expect(curves[0]?.isEmpty == false && curves[0] == curves[1])
  }

  @Test func replacesNoInput() throws {
    let workshop = try CommandLineTests.workshop()
    let image = workshop.folder.appending(path: "ordered")
    let before = try Data(contentsOf: image)
    for path in ["ordered", "./ordered"] {
      let run = try workshop.orderfile(["report", "-o", path] + Self.files)
      #expect(
        run.status != 0
          && run.errors.contains(
            "\(path): unable to write the output to this file: it is also an input")
      )
    }
    #expect(try Data(contentsOf: image) == before)
    let full = try workshop.orderfile(["report", "-o", "/dev/full"] + Self.files)
    #expect(full.status != 0 && full.errors.contains("/dev/full: unable to write: No space left"))
    let nowhere = try workshop.orderfile(["report", "-o", "no/report.html"] + Self.files)
    #expect(nowhere.status != 0 && nowhere.errors.contains("no/report.html: unable to write"))
  }

  @Test(arguments: [
    (["app"], "missing the startup functions of a layout"),
    ((0..<9).map { "app\($0)" }, "too many layouts: expected at most 8, found another"),
    (["app.order", "app.order"], "expected one order file, found a second"),
    (
      ["other.json"],
      "unsupported document: expected one of diff, pages, faults, measure, stages, history, budget or check"
    ),
    (["app", "app", "app.oftrace"], "app: the same layout is given twice"),
    (["app", "ordered", "copy", "app.oftrace"], "copy: this layout is the same as app"),
    (["app", "app0", "app.oftrace"], "app0: this layout is the same as app"),
    (["app.order"], "missing the layouts"),
    (["pages.json"], "missing the image whose pages were counted"),
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
      "earlier.json: missing images (at offset 0x0)\n  hint: an earlier version of orderfile wrote this document"
    ),
    (["cut.json"], "cut.json: "), (["newer.json"], "expected orderfile.measure/2"),
    (["nowhere"], "nowhere: "),
  ]) func saysWhatDoesNotFit(_ files: [String], _ message: String) throws {
    let workshop = try CommandLineTests.workshop()
    let pages = try fixture("reporting/pages/expected.json")
    try workshop.write(pages, "pages.json")
    try workshop.write(Array(pages.prefix(pages.count / 2)), "cut.json")
    try workshop.write(Array(#"{"schema": "orderfile.doctor/1"}"#.utf8), "other.json")
    let image = try [UInt8](Data(contentsOf: workshop.folder.appending(path: "app")))
    try workshop.write(image, "copy")
    for count in 0..<9 {  // the copy is of the same build
      try workshop.write(image + [UInt8](repeating: 0, count: count + 1), "app\(count)")
    }
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
