import Budget
import ChangePoints
import ImageModel
import TestSupport
import Testing

@Suite struct HistoryReportTests {
  private static func history() throws -> HistoryFile { try HistoryFile(HistoryEntry.sample) }
  private static func trend() throws -> TrendDocument {
    TrendDocument(try history())
  }

  /// The sample has a regression: three more pages at c12.
  @Test func theTrendNamesTheCommitOfAChange() throws {
    let series = try Self.trend().series
    let changes = series.flatMap { $0.metrics.flatMap(\.changes) }
    #expect(changes.map(\.commit) == ["c12"] && changes.map(\.previous) == ["c11"])
    let metric = try #require(series.last?.metrics.last)
    #expect(metric.latest.name == "textPages" && metric.isBetter(changes[0]) == false)
  }

  /// Commits c11b to c13 lack the figure: each of them, or c14, may have made the change.
  @Test func aFigureThatACommitLacksIsUnknown() throws {
    var entries = (0..<26).map { HistoryEntry.pages("c\($0)", $0 * 60, $0 < 12 ? 143 : 146) }
    for index in 12...13 {
      entries[index].metrics.removeFirst()
    }
    entries.append(.time("c11b", 11 * 60 + 30, 12))
    // The order of lines must not matter.
    entries.reverse()
    let document = TrendDocument(try HistoryFile(entries), ChangePointDetection())
    let changes = document.series.flatMap { $0.metrics.flatMap(\.changes) }
    #expect(changes.map(\.commit) == ["c14"] && changes.map(\.previous) == ["c11"])
    #expect(changes.map(\.unknown) == [["c11b", "c12", "c13"]])
    let text = TrendText(document).text
    #expect(
      text.contains("\n  c14     1970-01-01     143    146   +2.1%  worse  pages.textPages of app"))
    #expect(
      text.contains(
        "\nc14: the history lacks figures of 3 commits after c11: these may have made the change\n")
    )
    #expect(String(decoding: document.json(), as: UTF8.self).contains(#""c11b","#))
  }

  private static func history(
    _ unit: HistoryMetric.Unit, from before: Double, to after: Double
  ) throws -> HistoryFile {
    try HistoryFile(
      (0..<40).map { index in
        var entry = HistoryEntry.pages("c\(index)", index, 1)
        entry.metrics = [HistoryMetric("figure", unit, .lower, index < 20 ? before : after)]
        return entry
      })
  }

  @Test(arguments: [
    (HistoryMetric.Unit.ratio, 0.99601, 0.99642, "99.60%  99.64%  +0.04%"),
    (.ratio, 0.5, 0.5000004, "50.00000%  50.00004%  +0.0001%"),
    (.seconds, 0.01, 0.0100004, "10.0000 ms  10.0004 ms  +0.004%"),
    (.pages, 1000.04, 1000.01, "1000.04  1000.01  -0.003%"),
    (.pages, 143, 146, "143  146  +2.1%"),
  ])
  func numbersThatDifferLookDifferent(
    unit: HistoryMetric.Unit, before: Double, after: Double, expected: String
  ) throws {
    // Otava's method leaves out no small changes.
    let text = TrendText(
      TrendDocument(
        try Self.history(unit, from: before, to: after), ChangePointDetection())
    ).text
    let words = text.split(separator: "\n").first { $0.contains(".figure ") }?
      .split(separator: " ")
    #expect(
      words?.joined(separator: " ").contains(expected.split(separator: " ").joined(separator: " "))
        ?? false, "\(text)")
  }

  /// A change by one page, by one function, or in the last digit that is printed.
  @Test(arguments: [
    (HistoryMetric.Unit.ratio, 0.99601, 0.99642, false), (.ratio, 0.995, 0.997, true),
    (.seconds, 0.01, 0.0100004, false), (.seconds, 0.01, 0.0101, true),
    (.pages, 1000.04, 1000.01, false), (.pages, 143, 144, true),
    (.bytes, 600_000, 604_000, false), (.bytes, 600_000, 604_096, true),
    (.functions, 9000, 9001, false), (.functions, 900, 901, true),
  ])
  func aChangeThatCannotMatterIsNoChange(
    unit: HistoryMetric.Unit, before: Double, after: Double, matters: Bool
  ) throws {
    let document = TrendDocument(try Self.history(unit, from: before, to: after))
    #expect(document.changedCommits == (matters ? ["c20"] : []))
    let text = TrendText(document).text
    #expect(text.contains("no change: figure (") != matters, "\(text)")
  }

  @Test func commitsThatGitKnowsHaveTheirSubjects() throws {
    var document = TrendDocument(try Self.history())
    document.commits = [
      "c12": GitCommitName(shortHash: "0c12", subject: "Load plugins\u{1b}[31m at startup")
    ]
    let text = TrendText(document).text
    #expect(text.contains("\n  0c12    2023-11-14  Load plugins\\x1b[31m at startup  "), "\(text)")
    let json = try parsedJSON(document.json())
    let commits = try #require(json["commits"] as? [[String: String]])
    #expect(commits.map { $0["shortHash"] } == ["0c12"])
  }

  /// The changes of a commit follow each other under its name, worse ones first.
  @Test func aCommitIsNamedOnce() throws {
    var entries = HistoryEntry.sample
    for index in entries.indices where entries[index].series.source == .pages {
      let isLater = entries[index].metrics[0].value > 143
      entries[index].metrics[1].value = isLater ? 10 : 12
    }
    let lines = TrendText(TrendDocument(try HistoryFile(entries))).text.split(separator: "\n")
    let rows = lines.filter { $0.contains("ages of app, 4 KiB pages") }
    #expect(rows.count == 2 && rows[0].hasPrefix("  c12 ") && rows[1].hasPrefix("      "))
    #expect(rows[0].contains("worse") && rows[1].contains("better"), "\(rows)")
    #expect(lines[0] == "1 commit changed 2 figures of 2 series")
  }

  @Test func theTrendIsAsRecorded() throws {
    let document = try Self.trend()
    try expectGolden(TrendText(document).text, "history/trend.txt")
    try expectGolden(String(decoding: document.json(), as: UTF8.self), "history/trend.json")
  }

  @Test func coloursAreOnlyOnChanges() throws {
    let (plain, coloured) = (
      TrendText(try Self.trend()).text, TrendText(try Self.trend(), isColoured: true).text
    )
    #expect(!plain.contains("\u{1b}"))
    #expect(coloured.replacing("\u{1b}[31m", with: "").replacing("\u{1b}[0m", with: "") == plain)
    #expect(coloured.count { $0 == "\u{1b}" } == 2)
  }

  @Test func theValuesAreAsRecorded() throws {
    try expectGolden(HistoryText(try Self.history(), limit: 2).text, "history/show.txt")
  }

  @Test(arguments: HistoryExport.allCases) func anExportIsAsRecorded(_ form: HistoryExport) throws {
    let history = try HistoryFile(Array(HistoryEntry.sample.prefix(6)))
    try expectGolden(form.text(of: history), "history/export.\(form.rawValue)")
  }

  @Test func twoCommitsAreTooFewToTellAChange() throws {
    func text(_ values: [Int]) throws -> String {
      let history = try HistoryFile(values.enumerated().map { .pages("c\($0)", $0, $1) })
      return TrendText(TrendDocument(history)).text
    }
    #expect(try text([143, 146]).hasSuffix("too few commits: dataPages (12), textPages (146)\n"))
    #expect(try text([143, 143, 143]).hasSuffix("no change: dataPages (12), textPages (143)\n"))
  }

  /// InfluxDB's line protocol has no empty tags.
  @Test func anEmptyPropertyIsNoTag() throws {
    let text = HistoryExport.influx.text(of: try HistoryFile([.pages("a", 1, 3, image: "")]))
    #expect(text.hasPrefix("orderfile_pages,arch=x86_64,page_size=4096 commit="))
  }

  /// InfluxDB keeps one point for each moment, and Prometheus refuses a second one.
  @Test func commitsOfTheSameSecondAreExportedApart() throws {
    let history = try HistoryFile([
      .pages("a", 100, 1), .pages("b", 100, 2), .pages("c", 101, 3), .pages("d", 200, 4),
    ])
    let times = HistoryExport.influx.text(of: history).split(separator: "\n").map {
      String($0.split(separator: " ").last ?? "")
    }
    #expect(times == ["100000000000", "101000000000", "102000000000", "200000000000"])
  }

  @Test func theNameOfAMetricEndsWithItsUnit() {
    func name(_ name: String, _ unit: HistoryMetric.Unit) -> String {
      OpenMetrics.name(of: HistoryMetric(name, unit, .lower, 1), .diff)
    }
    #expect(name("textPages", .pages) == "orderfile_diff_text_pages")
    #expect(name("wallTime", .seconds) == "orderfile_diff_wall_time_seconds")
    #expect(name("predictedWindows64k", .windows) == "orderfile_diff_predicted_windows64k_windows")
    #expect(name("entries", .entries) == "orderfile_diff_entries")
  }
}
