import Addresses
import ByteReading
import CZlib
import ImageModel
import Measuring
import Prediction
import Rendering
import Reports
import TestSupport
import Testing

@Suite struct ReportContentsTests {
  private static func parse(_ bytes: [UInt8]) throws(ParseError) -> ReportContents {
    try ReportContents(parsing: FileBytes(bytes))
  }

  /// Returns a page with the tag before `data`.
  private static func page(_ data: String) -> [UInt8] {
    Array("<!DOCTYPE html>\n<script type=\"text/plain\" id=\"data\">\(data)</script>\n".utf8)
  }

  private static let document: ReportDocument = {
    var document = ReportDocumentTests.document
    document.measure = MeasureDocumentTests.document("cold-and-warm")
    document.limitsOfCheck = [Diagnostic("the report has 2 of 3 limits", context: ["check.json"])]
    return document
  }()

  @Test func thePageGivesBackWhatIsInIt() throws {
    let page = ReportPage(Self.document, wording: upperCase)
    #expect(ReportContents.isPage(FileBytes(page.html)))
    #expect(ReportContents.isPage(FileBytes(Array("<!doctype html>\n".utf8))))
    #expect(!ReportContents.isPage(FileBytes(Array("<!doc".utf8))))
    let contents = try Self.parse(page.html)
    #expect(contents.data == page.data)
    #expect(contents.title == "app </title>" && contents.pageSize == .fourKibibytes)
    #expect(contents.layouts.map(\.side) == ["before", "after"])
    #expect(contents.threads == [1, 2] && contents.marks == 1)
    #expect(contents.diff == Self.document.diff && contents.measure == Self.document.measure)
  }

  @Test func theTextHasTheReportsOfItsDocuments() throws {
    let contents = try Self.parse(ReportPage(Self.document, wording: mangled).html)
    let text = ReportContentsText(contents, path: "a\u{1b}.html").text
    #expect(text.hasPrefix("report a\\x1b.html: app </title>\n  page size:  4 KiB\n"))
    #expect(text.contains("  before:     build/before, 6 functions\n"))
    #expect(text.contains("  first hits: 2 by 2 threads, 1 mark\n"))
    #expect(text.contains("  left out:   check.json: the report has 2 of 3 limits\n"))
    #expect(text.contains("  without history: orderfile history add h.jsonl\n"))
    let (diff, measure) = (
      try #require(Self.document.diff), try #require(Self.document.measure)
    )
    #expect(text.contains("\n\n" + DiffText(diff).text + "\n" + MeasureText(measure).text))
  }

  @Test(arguments: [
    ("", "missing data of a report"), ("<!DOCTYPE html><p>", "missing data of a report"),
    ("AAA", "invalid data of a report: expected Base64, found other text"),
    ("A=AA", "invalid data of a report: expected Base64, found other text"),
    ("AAAA", "invalid data of a report: expected deflated data, found damaged data"),
    // `{}`
    ("eNqrrgUAAXUA+Q==", "missing schema"),
  ]) func saysWhatIsWrong(_ data: String, _ message: String) {
    let bytes = message.hasPrefix("missing data") ? Array(data.utf8) : Self.page(data)
    let error = #expect(throws: ParseError.self) { try Self.parse(bytes) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  /// 8 MiB of zeros deflate to 8 KiB.
  @Test func dataThatSwellBeyondMeasureAreRefused() throws {
    let zeros = [UInt8](repeating: 0, count: 8 << 20)
    var count = orderfile_deflate_bound(UInt(zeros.count))
    var deflated = [UInt8](repeating: 0, count: Int(count))
    #expect(orderfile_deflate(&deflated, &count, zeros, UInt(zeros.count)) == Z_OK)
    let text = String(decoding: base64(Array(deflated.prefix(Int(count)))), as: UTF8.self)
    let error = #expect(throws: ParseError.self) { try Self.parse(Self.page(text)) }
    #expect(error?.description.contains("expected deflated data") ?? false)
  }

  @Test func damagedPagesNeverTrapHostile() throws {
    let html = String(
      decoding: ReportPage(Self.document, wording: mangled).html, as: UTF8.self)
    let start = try #require(html.range(of: "id=\"data\">")).upperBound
    let bytes = Self.page(String(html[start...].prefix { $0 != "<" }))
    #expect(throws: Never.self) { try Self.parse(bytes) }
    for length in hostilePrefixLengths(of: bytes) where length < bytes.count - 10 {
      #expect(throws: ParseError.self, "\(length)") { try Self.parse(Array(bytes[..<length])) }
    }
    for copy in byteFlips(of: bytes) {
      guard let contents = try? Self.parse(copy) else { continue }
      _ = ReportContentsText(contents, path: "report.html").text
    }
  }

  @Test(arguments: 0..<9) func base64ReadsBack(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 83 + 250) }
    #expect(decodedBase64(base64(bytes)[...]) == bytes)
  }
}
