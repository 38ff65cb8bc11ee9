import ImageModel
import Reporting
import TestSupport
import Testing

@Suite struct VerifyDocumentTests {
  static let document = VerifyDocument(
    path: "app\u{1b}.order", dialect: "lld", imagePaths: ["build/app", "build/libapp.so"],
    entries: 120, dataEntries: 1, otherArchitectures: 2,
    problems: [
      .init(
        line: 3, name: "load.llvm.17", kind: .renamed, reason: "no such symbol",
        presentNames: ["load.llvm.230"]),
      .init(line: 9, name: "_ZN3app3rowEv", kind: .missing, reason: "no such symbol"),
      .init(
        line: 12, name: "init.llvm.4", kind: .missing, reason: "no such symbol",
        presentNames: ["init.llvm.5", "init.llvm.6", "init.llvm.7", "init.llvm.8"]),
      .init(line: 40, name: "main", kind: .duplicate, reason: "duplicate ordered symbol"),
      .init(line: 41, name: "puts", kind: .unorderable, reason: "unable to order shared symbol"),
      .init(
        line: 50, name: SymbolName(bytes: [0x66, 0xff]), kind: .ambiguous,
        reason: "3 functions have the name"),
    ])

  @Test func bothFormsAreAsRecorded() throws {
    var document = Self.document
    let text = VerifyText(document) { $0 == "_ZN3app3rowEv" ? "app::row()" : "\($0)" }.text
    try expectGolden(text, "reporting/verify/expected.txt")
    document.update = .init(outputPath: "app.order", lines: 1)
    let json = document.json()
    try expectGolden(String(decoding: json, as: UTF8.self), "reporting/verify/expected.json")
    #expect(try parsedJSON(json)["schema"] as? String == VerifyDocument.schema)
  }

  @Test func theCountsAddUp() {
    let document = Self.document
    #expect(document.stale == 5 && document.count(.ambiguous) == 1)
    #expect(VerifyDocument.Kind.allCases.map { document.count($0) } == [1, 2, 1, 1, 1])
    #expect(document.staleAfterUpdate == 5)
    var updated = document
    updated.update = .init(outputPath: "-", lines: 1)
    #expect(updated.staleAfterUpdate == 4)
  }

  @Test func withoutProblemsThereIsNoTable() {
    let document = VerifyDocument(
      path: "app.order", dialect: "gold", imagePaths: ["app"], entries: 1)
    #expect(
      VerifyText(document).text == """
        order file app.order
          dialect: gold
          image: app

        0 of 1 entry are stale

        """)
  }
}
