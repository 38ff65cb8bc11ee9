import Budget
import ByteReading
import TestSupport
import Testing

/// `report` reads the document of a check to show it.
@Suite struct CheckDocumentTests {
  private static func parse(_ text: String) throws(ParseError) -> CheckDocument {
    try CheckDocument(parsing: FileBytes(Array(text.utf8)))
  }

  private static func golden() throws -> String {
    String(decoding: try fixture("check/expected.json"), as: UTF8.self)
  }

  @Test func whatIsWrittenIsReadAndWrittenAgain() throws {
    let text = try Self.golden()
    let check = try Self.parse(text)
    #expect(String(decoding: check.json(), as: UTF8.self) == text)
    #expect(check.outcome == (try sampleCheck()).outcome)
    #expect(check.summary == (try sampleCheck()).summary)
  }

  @Test func itKeepsWhetherUndecidedLimitsFailIt() throws {
    var check = try sampleCheck()
    #expect(!String(decoding: check.json(), as: UTF8.self).contains("strict"))
    check.isStrict = true
    #expect(try CheckDocument(parsing: FileBytes(check.json())).isStrict)
  }

  @Test(arguments: [
    (
      "\"metric\": \"pages.textPages\"", "\"metric\": \"pages.pixels\"",
      "invalid metric: expected one of pages.dataPages, "
    ),
    ("\"outcome\": \"fail\"", "\"outcome\": \"lost\"", "invalid outcome"),
    ("\"kind\": \"grown\"", "\"kind\": \"shrunk\"", "invalid kind"),
    ("\"value\": 147\n", "\"value\": 1e300\n", "invalid value: expected a figure, found 1e+300"),
    (
      "\"againstBase\": \"+2\"", "\"againstBase\": \"2\"",
      "invalid againstBase: expected '+2' or '+2%'"
    ),
    ("\"low\": ", "\"low\": 9", "invalid high: expected at least low"),
    ("orderfile.check/1", "orderfile.check/2", "invalid schema"),
  ]) func saysWhatIsWrong(_ old: String, _ new: String, _ message: String) throws {
    let text = try Self.golden()
    try #require(text.contains(old), "\(old)")
    let error = #expect(throws: ParseError.self) { try Self.parse(text.replacing(old, with: new)) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  @Test(.needs(.time)) func damagedDocumentsNeverTrapHostile() throws {
    let bytes = Array(try Self.golden().utf8)
    for length in hostilePrefixLengths(of: bytes) where length < bytes.count - 2 {
      #expect(throws: ParseError.self, "\(length)") {
        try CheckDocument(parsing: FileBytes(Array(bytes[..<length])))
      }
    }
    for copy in byteFlips(of: bytes) {
      guard let check = try? CheckDocument(parsing: FileBytes(copy)) else { continue }
      _ = CheckText(check).text
    }
  }
}
