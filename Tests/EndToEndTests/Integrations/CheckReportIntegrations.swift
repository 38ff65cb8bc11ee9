import Foundation
import TestSupport
import Testing

/// The reports of a check, read by parsers of other projects. The reports have names with quotes, markup, control bytes
/// and bytes that are not UTF-8.
@Suite(.needs("python3")) struct CheckReportIntegrations {
  private static let nasty = "a\\\"b<c>&amp;|`*]]>\\u001b[31m\\u0000\\n</code></details>\u{fffe}"

  /// Pages of a launch, by the function that was first on each.
  private static func pages(_ functions: [String]) -> [UInt8] {
    let pages = functions.enumerated().map { index, name in
      "{\"access\": \"execute\", \"address\": \"0x\(String((index + 1) * 0x1000, radix: 16))\", \"function\": \"\(name)\", \"pc\": null, \"segment\": \"text\", \"step\": \(index)}"
    }
    return Array(
      "{\"command\": [], \"exitStatus\": 0, \"images\": [{\"id\": null, \"pages\": [\(pages.joined(separator: ", "))], \"path\": \"/opt/a <b>\"}], \"method\": \"preload\", \"schema\": \"orderfile.pages/1\"}"
        .utf8)
  }

  private static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(pages(["main"]), "base.json")
    var now = pages(["main", nasty, "x", "_ZN3app5parseEv"])
    // One byte of the name is made a byte that is not UTF-8.
    if let place = now.indices.first(where: { now[$0...].starts(with: "\"x\"".utf8) }) {
      now[place + 1] = 0xff
    }
    try workshop.write(now, "now.json")
    try workshop.write(
      """
      {"limits": [
      {"metric": "pages.textPages", "pageSizeBytes": 4096, "max": 2, "againstBase": "+1"},
      {"metric": "pages.dataPages", "pageSizeBytes": 4096, "max": 0}
      ], "schema": "orderfile.budget/1"}
      """.utf8, "budget.json")
    let run = try workshop.orderfile(
      "check", "-q", "--budget", "budget.json", "--base", "base.json", "now.json", "-o", "text",
      "--export-junit", "junit.xml", "--export-sarif", "check.sarif", "--export-markdown",
      "check.md")
    try #require(run.status == 2, "\(run.errors)")
    return workshop
  }

  private static func python(_ script: String, in workshop: Workshop) throws -> Run {
    let run = try workshop.start("python3", ["-c", script], environment: pythonEnvironment).end()
    try #require(run.status == 0, "\(run.errors)")
    return run
  }

  @Test(.needs(.python("junitparser"))) func junitParserReadsTheTestCases() throws {
    let run = try Self.python(
      """
      import json
      from junitparser import JUnitXml
      report = JUnitXml.fromfile("junit.xml")
      cases = [c for suite in report for c in suite]
      print(json.dumps({"counts": [report.tests, report.failures, report.errors, report.skipped], "cases": [
        [c.classname, c.name, [r.text for r in c.result]] for c in cases]}))
      """, in: Self.workshop())
    let json = run.json
    #expect(json["counts"] as? [Int] == [3, 2, 0, 0])
    let cases = try #require(json["cases"] as? [[Any]])
    #expect(cases.count == 3)
    #expect(cases.first?.first as? String == "orderfile.a <b>")
    let text = try #require((cases.first?.last as? [String])?.first)
    #expect(text.contains("touching: app::parse() (1 more page)"))
    #expect(text.contains("a\"b<c>&amp;|`*]]>\\x1b[31m\\x00\\n</code></details>\u{fffd}"))
  }

  @Test(.needs("xmllint", .python("junit-10.xsd"))) func theTestCasesFollowTheSchemaOfJenkins()
    throws
  {
    let workshop = try Self.workshop()
    func validate(_ file: String) throws -> Run {
      try workshop.start(
        "xmllint", ["--noout", "--schema", "\(pythonPackages)/junit-10.xsd", file]
      ).end()
    }
    let run = try validate("junit.xml")
    #expect(run.status == 0, "\(run.errors)")
    let wrong = workshop.text("junit.xml").replacing(" failures=", with: " fails=")
    try workshop.write(wrong.utf8, "wrong.xml")
    #expect(try validate("wrong.xml").status != 0)
  }

  @Test(.needs(.python("sarif_pydantic"))) func sarifModelsTakeTheFindings() throws {
    let run = try Self.python(
      """
      import json
      from sarif_pydantic import Sarif
      log = Sarif.model_validate_json(open("check.sarif").read())
      results = log.runs[0].results
      rules = [rule.id for rule in log.runs[0].tool.driver.rules]
      print(json.dumps({"rules": [r.rule_id for r in results], "known": rules, "lines": [
        r.locations[0].physical_location.region.start_line for r in results], "uris": [
        r.locations[0].physical_location.artifact_location.uri for r in results]}))
      """, in: Self.workshop())
    let json = run.json
    #expect(json["rules"] as? [String] == ["budget-exceeded", "regression"])
    #expect((json["known"] as? [String])?.contains("regression") ?? false)
    #expect(json["lines"] as? [Int] == [2, 2])
    #expect(json["uris"] as? [String] == ["budget.json", "budget.json"])
  }

  @Test(.needs("cmark-gfm")) func markdownIsTwoTablesAndAList() throws {
    let workshop = try Self.workshop()
    let html = try workshop.must(
      "cmark-gfm", ["--extension", "table", "--unsafe", "check.md"]
    ).text
    func count(_ tag: String) -> Int { html.components(separatedBy: tag).count - 1 }
    #expect(count("<table>") == 2 && count("<li>") == 3)
    #expect(count("<details>") == 1 && count("</details>") == 1)
    // The tables are a header with two failures, and a header with the limits that passed.
    #expect(count("<tr>") == 5 && count("<td") == 15)
    #expect(count("<em>") == 0 && count("<b>") == 0)
    #expect(html.contains("<code>a&quot;b&lt;c&gt;&amp;amp;|`*]]&gt;\\x1b[31m"), "\(html)")
  }
}
