import Addresses
import ByteReading
import CZlib
import Counting
import FaultEstimate
import Foundation
import ImageModel
import PagesFormat
import Prediction
import Rendering
import Reports
import TestSupport
import Testing

@Suite struct ReportDocumentTests {
  private static let hostile: SymbolName = "</script><b>'&\"\u{1b}"

  private static func side(
    _ side: ReportLayout.Side, _ layout: Layout, _ estimate: PageFaultEstimate,
    measured: ReportLayout.Measured? = nil
  ) -> ReportLayout {
    ReportLayout(
      side: side,
      ImageReference(
        path: "build/\(side.rawValue)", architecture: Architecture("x86_64"), id: "ab"),
      layout: layout, mappings: [], estimate: estimate,
      owners: layout.functions.indices.map {
        FunctionOwner(module: nil, file: $0 % 2 == 0 ? "main.o" : nil)
      }, measured: measured)
  }

  static var document: ReportDocument {
    let estimates = DiffDocumentTests.estimates(DiffDocumentTests.before, DiffDocumentTests.after)
    var document = ReportDocument(title: "app </title>", pageSize: .fourKibibytes)
    document.layouts = [
      side(.before, DiffDocumentTests.before, estimates.before.faults),
      side(
        .after, DiffDocumentTests.after, estimates.after.faults,
        measured: ReportLayout.Measured(
          method: "preload",
          pages: [
            PagesDocument.Page(
              access: .execute, address: StatedAddress(rawValue: 0x2000), segment: .text,
              function: "main", instruction: StatedAddress(rawValue: 0x2004),
              instructionImage: nil, step: 0)
          ])),
    ]
    document.traces = ["app.oftrace"]
    document.otherLayouts = [
      .init(path: "build/other", curve: document.layouts[0].curve)
    ]
    document.stages =
      (try? ReportStages.tables(
        parsing: FileBytes(fixture("reporting/stages/expected.json")))) ?? []
    document.faults = [
      ReportFaults(path: "faults.json", FaultsDocumentTests.document, side: .after),
      ReportFaults(path: "refused.json", FaultsDocumentTests.refused, side: .before),
    ]
    document.unproved = ["app.log states too little to check that it is about this program"]
    document.launch = ReportLaunch(
      path: "app.oftrace",
      hits: [
        .init(nanoseconds: 5_000_000, thread: 1, name: "main"),
        .init(nanoseconds: 5_250_999, thread: 2, name: hostile),
      ], marks: [(name: "ready", nanoseconds: 6_000_000)])
    document.diff = DiffDocumentTests.document("with-order")
    document.absentViews = [.init(view: "history", command: "orderfile history add h.jsonl")]
    return document
  }

  /// Returns the data in an element of the page, which are deflated and in Base64.
  private static func unpacked(_ id: String, _ html: String) throws -> [UInt8] {
    let start = try #require(html.range(of: "id=\"\(id)\">"))
    let data = try #require(
      Data(base64Encoded: String(html[start.upperBound...].prefix { $0 != "<" })))
    var inflated = [UInt8](repeating: 0, count: 1 << 20)
    var count = UInt(inflated.count)
    #expect(orderfile_inflate_into(&inflated, &count, Array(data), UInt(data.count)) == Z_OK)
    return Array(inflated.prefix(Int(count)))
  }

  @Test func symbolsAreStoredWithoutWhatTheyShare() throws {
    let layout = sampleLayout([
      ("$s3app4mainyyF", 0x2000, 4), ("$s3app4mainyySiF", 0x2004, 4), ("plain", 0x2008, 4),
      ("$s3app4mainyySiFTm", 0x200c, 4), ("$s3app\u{e4}", 0x2010, 4), ("$s3app\u{f6}", 0x2014, 4),
    ])
    let estimate = PageFaultEstimate(of: layout, startup: [0], pageSize: .fourKibibytes)
    var document = ReportDocument(title: "app", pageSize: .fourKibibytes)
    document.layouts = [Self.side(.only, layout, estimate)]
    let page = ReportPage(document) { $0.description.hasPrefix("$") ? "shown" : $0.description }
    let symbols = try #require(try parsedJSON(page.data)["symbols"] as? [String: Any])
    let rest = try #require(symbols["rest"] as? [String])
    #expect(rest.prefix(6) == ["$s3app4mainyyF", "SiF", "", "Tm", "\u{e4}", "\u{f6}"])
    #expect((symbols["shared"] as? [Int])?.prefix(6) == [0, 13, 0, 16, 6, 6])
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
    #expect(!html.contains("{{") && html.components(separatedBy: "</script>").count == 5)
    let scripts = String(decoding: try Self.unpacked("script", html), as: UTF8.self)
    #expect(scripts.hasPrefix("\"use strict\";\n") && scripts.contains("class Layout {"))
    // Comments and indentation are left out. Of a comment that began inside a line, only the other lines would be.
    for line in scripts.split(separator: "\n") {
      #expect(
        !line.hasPrefix(" ") && !line.hasPrefix("*") && !line.contains("/*")
          && !line.hasPrefix("//"), "\(line)")
    }
    #expect(
      String(decoding: try Self.unpacked("style", html), as: UTF8.self).contains("@media print"))
    for address in ["http:", "https:", "import(", "fetch(", "src="] {
      let code = (html + scripts).replacing("http://www.w3.org/2000/svg", with: "")
      #expect(!code.contains(address))
    }
    let inflated = try Self.unpacked("data", html)
    #expect(inflated == page.data)
    let names = try #require(try parsedJSON(inflated)["names"] as? [String])
    #expect(names.contains("MAIN") && names.contains(Self.hostile.description.uppercased()))
  }

  @Test(arguments: 0..<7) func base64IsThatOfFoundation(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 83 + 250) }
    #expect(base64(bytes) == Array(Data(bytes).base64EncodedString().utf8))
  }

  @Test func aReportOfTooManyFaultsKeepsTheFirstAndSaysSo() throws {
    var launch = FaultsDocumentTests.document
    launch.faults = (0..<30_000).map {
      FaultsDocument.Fault(
        nanoseconds: UInt64($0), handlingNanoseconds: 1, kind: .minor, place: .memory("heap"))
    }
    var document = ReportDocument(title: "many", pageSize: .fourKibibytes)
    document.faults = [ReportFaults(path: "faults.json", launch, side: nil)]
    let stored = try #require(
      (try parsedJSON(document.json())["faults"] as? [[String: Any]])?.first)
    #expect((stored["nanoseconds"] as? [Int])?.count == ReportFaults.mostFaults)
    #expect(
      document.limits.map(\.description) == [
        "faults.json: the report has the first 25000 of 30000 faults"
      ])
  }

  @Test(.needs(.time)) func aReportOfManyFunctionsKeepsThoseOfStartup() throws {
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
    #expect(kept["name"]?.count == ReportLayout.mostFunctions)
    #expect(stored["functionCount"] as? Int == 50_000)
    #expect(touched["function"]?.count == 500 && touched["function"]?.contains(-1) == false)
    #expect(
      document.limits.map(\.message) == ["the report has 25000 of 50000 functions on touched pages"]
    )
  }

  @Test(.needs(.time)) func aReportOfMoreStartupFunctionsThanItHoldsIsThinnedAndSaysSo() throws {
    let count = 60_000
    let layout = sampleLayout(
      (0..<count).map { (name: SymbolName("f\($0)"), address: UInt64(0x2000 + $0 * 4), size: 4) })
    // The last functions are used first.
    let estimate = PageFaultEstimate(
      of: layout, startup: (0..<count).reversed(), pageSize: .fourKibibytes)
    var document = ReportDocument(title: "many", pageSize: .fourKibibytes)
    document.layouts = [Self.side(.only, layout, estimate)]
    document.launch = ReportLaunch(
      path: "many.oftrace",
      hits: (0..<count).map {
        .init(nanoseconds: UInt64($0), thread: 1, name: SymbolName("f\($0)"))
      },
      marks: (0..<1000).map { (name: "mark \($0)", nanoseconds: 1) })
    let value = try parsedJSON(document.json())
    let stored = try #require((value["layouts"] as? [[String: Any]])?.first)
    func column(_ table: String, _ key: String) -> [Int] {
      (stored[table] as? [String: Any])?[key] as? [Int] ?? []
    }
    #expect(column("functions", "name").count == ReportLayout.mostFunctions)
    #expect(column("touched", "step").count == ReportLayout.mostTouches)
    #expect(column("functions", "gap").first == 0x2000 + (count - 25_000) * 4)
    // The pages and the curve cover all functions.
    #expect(column("pages", "bytes").reduce(0, +) == count * 4)
    #expect(column("curve", "pages").reduce(0, +) == (count * 4 + 4095) / 4096)
    #expect(column("curve", "step").count <= 2_000)
    #expect((value["hits"] as? [String: Any]).flatMap { $0["name"] as? [Int] }?.count == 25_000)
    #expect((value["marks"] as? [String: Any]).flatMap { $0["name"] as? [Int] }?.count == 500)
    #expect((value["limits"] as? [String])?.count == 4 && document.limits.count == 4)
  }

  @Test func buildsAreComparedBySymbol() throws {
    let before = sampleLayout([
      ("same", 0x2000, 16), ("grown", 0x2010, 16), ("gone", 0x2020, 8), ("twin", 0x2030, 4),
      ("alias", 0x2030, 4), ("twin", 0x2040, 4),
    ])
    let after = sampleLayout([
      ("new", 0x2000, 64), ("grown", 0x2040, 24), ("same", 0x2060, 16), ("twin", 0x2070, 4),
    ])
    let sides = [(ReportLayout.Side.before, before), (.after, after)].map { side, layout in
      Self.side(
        side, layout, PageFaultEstimate(of: layout, startup: [0], pageSize: .fourKibibytes))
    }
    // Namesakes are one symbol. Aliases count once, under the first name.
    let changes = SymbolChange.between(sides[0], sides[1])
    #expect(
      changes == [
        SymbolChange("new", before: nil, after: 64), SymbolChange("gone", before: 8, after: nil),
        SymbolChange("grown", before: 16, after: 24), SymbolChange("alias", before: 4, after: nil),
      ])
    #expect(SymbolChange.between(sides[0], sides[0]).isEmpty)
    var document = ReportDocument(title: "builds", pageSize: .fourKibibytes)
    document.layouts = sides
    document.symbolChanges = changes
    let value = try parsedJSON(document.json())
    let stored = try #require(value["symbolChanges"] as? [String: Any])
    #expect(stored["before"] as? [Int] == [-1, 8, 16, 4])
    #expect(stored["after"] as? [Int] == [64, -1, 24, -1] && stored["others"] as? Int == 0)
  }

  @Test func anUnknownOwnerCountsForThePage() throws {
    let layout = sampleLayout([
      ("a", 0x2000, 16), ("b", 0x2010, 32), ("c", 0x3000, 16), ("d", 0x3010, 16), ("e", 0x5000, 8),
    ])
    let estimate = PageFaultEstimate(of: layout, startup: [0], pageSize: .fourKibibytes)
    var document = ReportDocument(title: "owners", pageSize: .fourKibibytes)
    document.layouts = [Self.side(.only, layout, estimate)]
    document.layouts[0].owners = ["a.c", nil, "c.c", nil, nil].map {
      FunctionOwner(module: nil, file: $0)
    }
    let value = try parsedJSON(document.json())
    let names = try #require(value["names"] as? [String])
    let stored = try #require((value["layouts"] as? [[String: Any]])?.first)
    let ofPages = try #require(stored["pageOwners"] as? [Int])
    // The empty name is an unknown owner. If a known owner has as many bytes, the known owner counts.
    #expect(ofPages.filter { $0 >= 0 }.map { names[$0] } == ["", "c.c", ""])
    let owners = try #require(stored["owners"] as? [String: [Int]])
    let unknown = try #require(owners["name"]?.firstIndex(of: -1))
    #expect(owners["functions"]?[unknown] == 3 && owners["bytes"]?[unknown] == 56)
    #expect(owners["usedFunctions"]?[unknown] == 0)
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
