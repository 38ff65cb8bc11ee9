import Foundation
import TestSupport
import Testing

/// Exports of a history, read by InfluxDB with the queries of the dashboard, and by Prometheus.
@Suite(.needs("python3", "git")) struct HistoryExportIntegrations {
  /// A history of ten commits with the documents of each command, from the goldens of the reports. Two commits are of
  /// the same second.
  private static func workshop() throws -> Workshop {
    let workshop = try Workshop()
    let documents = ["audit", "auto", "diff/with-order", "gen", "measure/cold-and-warm", "pages"]
    for (index, name) in documents.enumerated() {
      var document = try parsedJSON(fixture("reporting/\(name)/expected.json"))
      // The images of the sample of `gen` have the same name.
      if name == "gen" { document["images"] = (document["images"] as? [Any])?.prefix(1).map { $0 } }
      try workshop.write(JSONSerialization.data(withJSONObject: document), "\(index).json")
    }
    for commit in 0..<10 {
      let run = try workshop.orderfile(
        ["history", "add", "-q", "h.jsonl"] + documents.indices.map { "\($0).json" } + [
          "--commit", "c\(commit)", "--time", "\(1_700_000_000 + max(commit, 1) * 3600)",
          "--arch", "x86_64", "--launch-name", "a, \"b\"=c d",
        ])
      try #require(run.status == 0, "\(run.errors)")
    }
    return workshop
  }

  @Test(.needs("influxd")) func influxHoldsAllValuesAndAnswersTheDashboard() throws {
    let workshop = try Self.workshop()
    try workshop.mustOrderfile("export", "influx", "h.jsonl", "-o", "lines.txt")
    try workshop.write(fixture("history/influx.py"), "influx.py")
    let dashboard = projectFolder.appendingPathComponent("docs/how-to/grafana-dashboard.json").path
    let run = try workshop.must(
      "python3", ["influx.py", "lines.txt", dashboard, workshop.folder.path])
    let counts = try #require(run.json["counts"] as? [String: Int])
    #expect(counts.count >= 12)
    for (query, count) in counts { #expect(count > 0, "\(query)") }
    // InfluxDB has a point for each line, with all its values.
    let points = try #require(run.json["points"] as? [String: [[String: Any]]])
    let lines = workshop.text("h.jsonl").split(separator: "\n")
    #expect(points.values.reduce(0) { $0 + $1.count } == lines.count)
    for line in lines {
      let line = try parsedJSON(Array(line.utf8))
      let commit = try #require(line["commit"] as? String)
      let source = try #require(line["source"] as? String)
      // A control character is escaped, and a backslash becomes a slash.
      let image = (line["image"] as? String)?.replacing("\u{1b}", with: "/x1b")
      let found = (points["orderfile_\(source)"] ?? []).filter { point in
        point["commit"] as? String == commit
          && point["image"] as? String == image
          && point["state"] as? String == line["state"] as? String
          && point["page_size"] as? String == (line["pageSizeBytes"] as? Int).map { "\($0)" }
      }
      try #require(found.count == 1, "\(commit) \(source)")
      #expect(found[0]["launch"] as? String == "a, \"b\"=c d")
      for metric in try #require(line["metrics"] as? [[String: Any]]) {
        let name = try #require(metric["name"] as? String)
        #expect(found[0][name] as? Double == metric["value"] as? Double, "\(name)")
      }
    }
  }

  @Test(.needs("promtool", .python("prometheus_client"))) func prometheusTakesTheMetrics() throws {
    let workshop = try Self.workshop()
    try workshop.mustOrderfile("export", "openmetrics", "h.jsonl", "-o", "h.om")
    let check = try workshop.start("promtool", ["check", "metrics"], input: workshop.bytes("h.om"))
      .end()
    #expect(check.status == 0 && check.text.isEmpty && check.errors.isEmpty, "\(check.errors)")
    let script = """
      import sys
      from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
      print(sum(len(f.samples) for f in parse(open("h.om").read()) if f.unit and f.documentation))
      """
    let parsed = try workshop.start("python3", ["-c", script], environment: pythonEnvironment).end()
    try #require(parsed.status == 0, "\(parsed.errors)")
    let lines = try workshop.text("h.jsonl").split(separator: "\n").map {
      try parsedJSON(Array($0.utf8))
    }
    // Prometheus has the values, and the commit of each line.
    let values = lines.reduce(0) { $0 + (($1["metrics"] as? [Any])?.count ?? 0) } + lines.count
    #expect(parsed.text == "\(values)\n")
    let blocks = try workshop.must(
      "promtool", ["tsdb", "create-blocks-from", "openmetrics", "h.om", "blocks"])
    #expect(blocks.text.contains("NUM SAMPLES"))
  }

  /// Python's reader of comma-separated values, with line ends as they are.
  @Test func aTableReadsBack() throws {
    let workshop = try Self.workshop()
    try workshop.mustOrderfile("export", "csv", "h.jsonl", "-o", "h.csv")
    let script = """
      import csv, json, sys
      rows = list(csv.DictReader(open("h.csv", newline=""), strict=True))
      json.dump({"rows": rows}, sys.stdout)
      """
    let run = try workshop.must("python3", ["-c", script])
    let rows = try #require(run.json["rows"] as? [[String: String]])
    var index = 0
    for row in rows { index += row["launch"] == "a, \"b\"=c d" && row.count == 17 ? 1 : 0 }
    let lines = try workshop.text("h.jsonl").split(separator: "\n").map {
      try parsedJSON(Array($0.utf8))
    }
    let values = lines.reduce(0) { $0 + (($1["metrics"] as? [Any])?.count ?? 0) }
    #expect(index == rows.count && rows.count == values)
  }
}
