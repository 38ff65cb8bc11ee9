import Addresses
import CZlib
import FaultEstimate
import Foundation
import ImageModel
import PagesFormat
import Reporting
import TestSupport
import Testing

@Suite struct ReportDocumentTests {
  private static let hostile: SymbolName = "</script><b>'&\"\u{1b}"

  private static func side(
    _ side: ReportLayout.Side, _ layout: Layout, _ estimate: PageFaultEstimate,
    measured: ReportLayout.Measured? = nil
  ) -> ReportLayout {
    ReportLayout(
      side: side, path: "build/\(side.rawValue)", layout: layout, mappings: [],
      touches: estimate.touches,
      owners: layout.functions.indices.map { $0 % 2 == 0 ? "main.o" : nil }, measured: measured)
  }

  static var document: ReportDocument {
    let comparison = DiffDocumentTests.comparison(DiffDocumentTests.before, DiffDocumentTests.after)
    var document = ReportDocument(title: "app </title>", pageSize: .fourKibibytes)
    document.layouts = [
      side(.before, DiffDocumentTests.before, comparison.before),
      side(
        .after, DiffDocumentTests.after, comparison.after,
        measured: ReportLayout.Measured(
          method: "preload",
          pages: [
            PagesDocument.Page(
              access: .execute, address: StatedAddress(rawValue: 0x2000), segment: .text,
              function: "main", instruction: StatedAddress(rawValue: 0x2004),
              instructionImage: nil, step: 0)
          ])),
    ]
    document.launch = ReportLaunch(
      hits: [
        .init(nanoseconds: 5_000_000, thread: 1, name: "main"),
        .init(nanoseconds: 5_250_999, thread: 2, name: hostile),
      ], marks: [(name: "ready", nanoseconds: 6_000_000)])
    document.diff = DiffDocumentTests.document("with-order")
    document.absentViews = [.init(view: "history", command: "orderfile history add h.jsonl")]
    return document
  }

  @Test func theDataAreAsRecorded() throws {
    let json = Self.document.json()
    try expectGolden(String(decoding: json, as: UTF8.self), "reporting/report/expected.json")
    #expect(try parsedJSON(json)["schema"] as? String == ReportDocument.schema)
  }

  @Test func thePageContainsTheDataAndNothingThatEndsAnElement() throws {
    let page = ReportPage(Self.document, wording: upperCase)
    let html = String(decoding: page.html, as: UTF8.self)
    #expect(page.html == ReportPage(Self.document, wording: upperCase).html)
    #expect(html.contains("<title>app &lt;/title&gt;: pages of a launch</title>"))
    #expect(!html.contains("{{") && html.components(separatedBy: "</script>").count == 3)
    for address in ["http:", "https:", "import(", "fetch(", "src="] {
      #expect(!html.replacing("http://www.w3.org/2000/svg", with: "").contains(address))
    }
    let start = try #require(html.range(of: "id=\"data\">"))
    let encoded = html[start.upperBound...].prefix { $0 != "<" }
    let data = try #require(Data(base64Encoded: String(encoded)))
    var inflated = [UInt8](repeating: 0, count: page.data.count)
    let status = orderfile_inflate(
      &inflated, UInt(inflated.count), Array(data), UInt(data.count))
    #expect(status == Z_OK && inflated == page.data)
    let names = try #require(try parsedJSON(inflated)["names"] as? [String])
    #expect(names.contains("MAIN") && names.contains(Self.hostile.description.uppercased()))
  }

  @Test(arguments: 0..<7) func base64IsThatOfFoundation(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 83 + 250) }
    #expect(base64(bytes) == Array(Data(bytes).base64EncodedString().utf8))
  }

  @Test func aReportOfManyFunctionsKeepsThoseOfStartup() throws {
    let functions = (0..<50_000).map {
      (name: SymbolName("f\($0)"), address: UInt64(0x2000 + $0 * 4), size: UInt64(4))
    }
    let layout = sampleLayout(functions)
    let startup = stride(from: 0, to: 50_000, by: 100).map { $0 }
    let estimate = PageFaultEstimate(of: layout, startup: startup, pageSize: .fourKibibytes)
    var document = ReportDocument(title: "many", pageSize: .fourKibibytes)
    document.layouts = [Self.side(.after, layout, estimate)]
    let value = try parsedJSON(document.json())
    let stored = try #require((value["layouts"] as? [[String: Any]])?.first)
    let kept = try #require(stored["functions"] as? [String: [Int]])
    let touched = try #require(stored["touched"] as? [String: [Int]])
    #expect(kept["name"]?.count == 40_000 && stored["functionCount"] as? Int == 50_000)
    #expect(touched["function"]?.count == 500 && touched["function"]?.contains(-1) == false)
  }

  @Test func aBodyThatClaimsAllAddressesEndsWithItsSection() throws {
    let layout = sampleLayout([("main", 0x2000, .max - 0x2000), ("last", 0x3_0000, 1)])
    let estimate = PageFaultEstimate(of: layout, startup: [0, 1], pageSize: .fourKibibytes)
    var document = ReportDocument(title: "large", pageSize: .fourKibibytes)
    document.layouts = [Self.side(.after, layout, estimate)]
    let stored = try #require(
      (try parsedJSON(document.json())["layouts"] as? [[String: Any]])?.first)
    #expect((stored["pageOwners"] as? [Int])?.count == 0x51)
  }
}

@Suite struct HTMLTextTests {
  @Test(arguments: [
    ("a < b & \"c\" > 'd'", "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;"),
    ("</script>", "&lt;/script&gt;"), ("\u{1b}[1m\u{0}\tx\n", "\u{fffd}[1m\u{fffd}\tx\n"), ("", ""),
    ("naïve", "naïve"),
  ]) func escapesWhatHasAMeaning(_ text: String, _ html: String) {
    #expect(HTMLText(text).html == html)
  }
}
