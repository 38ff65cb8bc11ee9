import ImageModel
import Ordering
import TestSupport
import Testing

@Suite struct VerifyDocumentTests {
  static let document = VerifyDocument(
    path: "app\u{1b}.order", dialect: "lld",
    images: [
      ImageReference(
        path: "build/app", architecture: Architecture("x86_64"), id: "0102"),
      ImageReference(path: "build/libapp.so"),
    ], entries: 120, dataEntries: 1, otherArchitectures: 2, patterns: 3,
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
        reason: "3 functions have this name"),
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

  @Test func whatAnUpdateLeavesIsSaid() {
    var document = Self.document
    document.update = .init(outputPath: "new.order", lines: 1)
    let updated = VerifyText(document)
    #expect(updated.summary.hasSuffix("; after the update 4 of 120 (3.3%)"))
    #expect(updated.updateNote == "wrote the present names of functions into 1 line: new.order")
    document.problems.removeFirst()
    document.update?.lines = 0
    #expect(
      VerifyText(document).updateNote
        == "no entry is renamed: new.order: copied without changes; 4 entries stay stale: record the launch again"
    )
    document.problems = []
    document.update?.outputPath = document.path
    #expect(
      VerifyText(document).updateNote == "no entry is renamed: app\\x1b.order: unchanged")
    #expect(VerifyText(Self.document).updateNote == nil)
  }

  @Test func entriesForOtherImagesAreCounted() throws {
    var document = Self.document
    #expect(try parsedJSON(document.json())["otherImages"] == nil)
    document.otherImages = 7
    #expect(
      VerifyText(document).summary.contains("; 2 for other architectures; 7 for other images;"))
    #expect(try parsedJSON(document.json())["otherImages"] as? Int == 7)
  }

  @Test func withoutProblemsThereIsNoTable() {
    let document = VerifyDocument(
      path: "app.order", dialect: "gold", images: [ImageReference(path: "app")], entries: 1)
    #expect(
      VerifyText(document).text == """
        order file app.order
          dialect: gold
          image: app

        0 of 1 entry are stale

        """)
  }
}
