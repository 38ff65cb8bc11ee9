import Counting
import ImageModel
import PagesFormat
import TestSupport
import Testing

@Suite struct AdviceTextTests {
  static let document: AdviceDocument = {
    func pages(_ tablePages: UInt64) -> AdviceDocument.Pages {
      AdviceDocument.Pages(DataPagesTextTests.image(tablePages: tablePages))
    }
    func option(
      _ name: String, _ outcome: AdviceDocument.Outcome, givesUp: String? = nil
    ) -> AdviceDocument.Option {
      AdviceDocument.Option(
        name: name, linking: ["-Wl,-z,\(name)"], compiling: [], effect: "changes \(name)",
        needs: name == "best" ? "a linker" : nil, givesUp: givesUp, outcome: outcome)
    }
    var document = AdviceDocument(
      ImageReference(path: "app", architecture: .x8664, id: "9f3a"), command: ["./app", "a b"],
      present: pages(30))
    document.variation = 0
    document.options = [
      option("best", .measured(pages(2))), option("same", .unchanged),
      option("more", .measured(pages(31))), option("bad", .failed("the command failed")),
      option("risky", .measured(pages(0)), givesUp: "something"),
    ]
    document.together = AdviceDocument.Together(
      names: ["best"], linking: ["-Wl,-z,best"], compiling: [], pages: pages(2))
    return document
  }()

  @Test func theReportIsAsRecorded() throws {
    try expectGolden(AdviceText(Self.document).text, "reporting/advise/expected.txt")
    let json = String(decoding: Self.document.json(), as: UTF8.self)
    try expectGolden(json, "reporting/advise/expected.json")
  }

  @Test func withoutALinkTheReportSaysThatItPredicts() {
    var document = Self.document
    document.variation = nil
    document.together = nil
    document.options = []
    let text = AdviceText(document).text
    #expect(
      text.contains(
        "predicted from the tables of the image; nothing was linked\nno option without a drawback saves a page"
      ))
  }
}
