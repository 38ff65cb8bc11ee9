import Addresses
import ByteReading
import FaultEstimate
import ImageModel
import JSON
import PagesFormat
import Prediction
import Rendering
import TestSupport
import Testing

@Suite struct DiffReadingTests {
  static func parse(_ bytes: [UInt8]) throws(ParseError) -> DiffDocument {
    try DiffDocument(parsing: FileBytes(bytes))
  }

  @Test(arguments: DiffDocumentTests.names) func whatIsWrittenReadsBackEqual(_ name: String) throws
  {
    let document = DiffDocumentTests.document(name)
    #expect(try Self.parse(document.json()) == document)
  }

  @Test func theTextOfADocumentThatWasReadIsTheSame() throws {
    for name in DiffDocumentTests.names {
      let document = DiffDocumentTests.document(name)
      #expect(try DiffText(Self.parse(document.json())).text == DiffText(document).text)
    }
  }

  /// The members that no layout of the other cases has.
  @Test func rareMembersReadBackEqual() throws {
    var document = DiffDocumentTests.document("with-order")
    document.prediction.functionsByBlocks = BeforeAfter(before: 3, after: 4)
    let sizes = ImageSizes(
      fileBytes: 90_000, sections: 30, codeBytes: 20_000, unwindBytes: 300, symbolTableBytes: 4000,
      symbols: 70)
    document.imageSizes = BeforeAfter(before: sizes, after: sizes)
    document.imageSizes?.after.unwindBytes = 450
    document.warnings = [Diagnostic("a: b", hint: "c\nd")]
    document.compliance.drifted = [NameWithReason(name: "parse", reason: "2 and 3 basic blocks")]
    document.prediction.faultCurveArea.after = .max
    document.compliance.order?.firstDeviation = nil
    document.prediction.sections[0].cause = nil
    document.recordableUnknown = .recordedImageGone
    document.newCode = NewCode(
      comparedWith: .otherLayout, before: nil,
      after: NewCode.Side(functions: 2, bytes: 70, allBytes: 900, largest: ["b", "a"]))
    #expect(try Self.parse(document.json()) == document)
    #expect(DiffText(document).text.contains("300 →    450  +50.0%  unwind tables\n"))
    #expect(DiffText(document).text.contains("file (30 → 30 sections)\n"))
    document.prediction.dataPages = Self.dataPages
    document.dataPagesUnknown = "app: the recorded image is gone"
    #expect(try Self.parse(document.json()) == document)
    document.refusal = "no prediction: too little"
    #expect(try Self.parse(document.json()) == document)
  }

  static let dataPages = DataPagesPrediction(
    sections: [
      DataPagesPrediction.Section(
        name: ".rodata", kind: "constants", pages: BeforeAfter(before: 10, after: 3),
        loaderPages: BeforeAfter(before: 0, after: 0)),
      DataPagesPrediction.Section(
        name: ".bss", kind: "zero-filled", pages: BeforeAfter(before: 2, after: 1),
        loaderPages: BeforeAfter(before: 1, after: 1)),
    ], zeroFilledPages: BeforeAfter(before: 1, after: 0),
    unplaced: BeforeAfter(before: 0, after: 4), pagesAtMost: BeforeAfter(before: 12, after: 8))

  @Test func pagesOfDataAreAnnouncedAsPredicted() {
    var document = DiffDocumentTests.document("elf-measured")
    document.prediction.dataPages = Self.dataPages
    document.measurement.pages?.before?.predictedData = DataPageAccount(
      pageSize: .fourKibibytes, predicted: 11, measured: 12, onlyPredicted: 1,
      onlyMeasured: [.init(.library, pages: 2)])
    document.measurement.pages?.before?.data = [
      DataPages.Row(section: ".rodata", segment: .readOnly, accessor: .program, pages: [12, 4, 1])
    ]
    let text = DiffText(document).text
    #expect(
      text.contains(
        """

        predicted 4 KiB pages of data that hold what the launch touched:
          not counted: pages that only the kernel, or code without callbacks such as the C library, touches
         PAGES   AFTER  SAVED  CHANGE LOADER   AFTER  SECTION
         -----   -----  -----  ------ ------   -----  -----------------------------
            10 →     3      7  -70.0%      0 →     0  .rodata (constants)
             2 →     1      1  -50.0%      1 →     1  .bss (zero-filled)
            12 →     4      8  -66.7%      1 →     1  TOTAL predicted pages of data
          of these, pages of zeros, which no file has: 1 → 0
        at most 12 → 8: 0 touches before and 4 after have \
        no known page, because the touched data have no name

        """), "\(text)")
    #expect(
      text.contains(
        """

        before: 11 pages of data (4 KiB) predicted, 12 measured, error -1; only predicted 1, only measured 2 by \
        libraries

        """), "\(text)")
    document.prediction.dataPages = nil
    document.dataPagesUnknown = "app: the recorded image is gone"
    #expect(
      DiffText(document).text.contains(
        "\nno prediction for pages of data: app: the recorded image is gone\n"))
  }

  /// Returns the document of a measured diff with one change.
  static func changed(_ text: String, to other: String) -> [UInt8] {
    var document = DiffDocumentTests.document("elf-measured")
    document.prediction.cost = .published(for: .machO)
    return Array(
      String(decoding: document.json(), as: UTF8.self).replacing(text, with: other).utf8)
  }

  @Test(arguments: [
    ("\"schema\": \"orderfile.diff/3\"", "\"schema\": \"orderfile.diff/9\"", "invalid schema: "),
    (
      "\"pageSizeBytes\": 4096,\n  \"pres", "\"pageSizeBytes\": 4097,\n  \"pres",
      "invalid pageSizeBytes: expected a power of two of at least 512, found 4097"
    ),
    ("\"counted\": \"constant\"", "\"counted\": \"luck\"", "invalid counted: expected one of "),
    ("\"low\": 0.06", "\"low\": 0.9", "invalid low: expected 0 <= low <= typical <= high"),
    ("\"costSource\"", "\"costFrom\"", "missing costSource "),
    ("\"low\": 0.06", "\"low\": -1", "invalid low: expected 0 <= low <= typical <= high"),
    ("\"low\": 0.06", "\"low\": 1e300", "invalid low: expected milliseconds, found"),
    (
      "\"majorFaults\": {\"after\": 2", "\"majorFaults\": {\"after\": -2",
      "invalid after: expected 0 to 2^53, found -2"
    ),
    ("\"measured\": 4", "\"measured\": 9007199254740993", "invalid measured: expected 0 to 2^53"),
    ("\"missing\": [", "\"lost\": [", "missing missing "),
    ("\"isExecuted\": true", "\"isExecuted\": 1", "invalid isExecuted: expected true or false"),
  ])
  func saysWhatIsWrong(text: String, other: String, message: String) {
    let bytes = Self.changed(text, to: other)
    let error = #expect(throws: ParseError.self) { try Self.parse(bytes) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  @Test func sumsOfHugeFiguresStayAtTheTop() throws {
    let huge = "\"after\": 9007199254740992, \"before\": 9007199254740992"
    var document = try Self.parse(Self.changed("\"after\": 3, \"before\": 6", to: huge))
    document.prediction.sections = Array(repeating: document.prediction.sections[0], count: 2000)
    let text = DiffText(document, limits: DiffText.Limits(sections: 0)).text
    #expect(text.contains("2000 other sections"))
  }

  /// A small document that has every member.
  static let whole: DiffDocument = {
    var document = DiffDocumentTests.document("with-order")
    let measured = DiffDocumentTests.document("elf-measured")
    let pageIns = DiffDocumentTests.document("macho-measured")
    document.prediction.sections = Array(measured.prediction.sections.suffix(1))
    document.missing = Array(document.missing.prefix(1))
    document.prediction.functionsByBlocks = BeforeAfter(before: 1, after: 2)
    document.prediction.linuxFaults = measured.prediction.linuxFaults
    document.prediction.linuxFaults?.warmMinorFaults = BeforeAfter(before: [3], after: [2, 4])
    document.prediction.linuxFaults?.cold.removeLast()
    document.prediction.xnuReads = pageIns.prediction.xnuReads.map { Array($0.prefix(1)) }
    document.measurement.pages = measured.measurement.pages
    document.measurement.pages?.after = nil
    document.measurement.pages?.before?.differences.removeFirst(3)
    document.measurement.pages?.before?.counts.removeLast(2)
    document.measurement.pages?.before?.predictedData = DataPageAccount(
      pageSize: .fourKibibytes, predicted: 1, measured: 1, onlyPredicted: 1,
      onlyMeasured: [.init(.kernel, pages: 1)])
    document.prediction.dataPages = dataPages
    document.dataPagesUnknown = "gone"
    document.measurement.pageIns = pageIns.measurement.pageIns
    document.measurement.pageIns?.sections.removeLast(2)
    document.prediction.pageMaps = PageMapTests.document().prediction.pageMaps
    document.prediction.pageMaps?.before.pages.removeLast(4)
    document.prediction.pageMaps?.after.pages.removeLast(4)
    return document
  }()

  @Test(.needs(.time)) func damagedDocumentsNeverTrapHostile() throws {
    let bytes = withoutIndentation(Self.whole.json())
    #expect(try Self.parse(bytes) == Self.whole)
    for length in hostilePrefixLengths(of: bytes) where length < bytes.count - 1 {
      #expect(throws: ParseError.self, "\(length)") { try Self.parse(Array(bytes[..<length])) }
    }
    for copy in byteFlips(of: bytes) {
      guard let document = try? Self.parse(copy) else { continue }
      _ = DiffText(document, limits: DiffText.Limits(sections: 1, listsPages: true)).text
      _ = PageMapText(document, style: PageMapStyle())?.text
      _ = document.json()
    }
  }
}

/// Returns a document without indentation. It is small, because each of its prefixes is read.
func withoutIndentation(_ json: [UInt8]) -> [UInt8] {
  let lines = json.split(separator: UInt8(ascii: "\n"))
  return Array(lines.map { $0.drop { $0 == UInt8(ascii: " ") } }.joined()) + [UInt8(ascii: "\n")]
}
