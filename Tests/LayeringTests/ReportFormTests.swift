import TestSupport
import Testing

/// A result is one document. All its forms are made from the document, so that they agree.
@Suite struct ReportFormTests {
  /// Types that are documents under another name, with what they are.
  private static let others = [
    "OrderedImage": "an element of the document of gen",
    "ReportContents": "the document of a report, read back",
    "MeasuredPages": "an element of the document of diff",
    "HistoryFile": "its lines are documents",
    "LaunchSummary": "the document of the launches of a file",
  ]

  /// Returns the type from which the form in `file` is made; `nil` if the file has no form.
  private static func source(of file: SourceFile) -> String? {
    let text = file.lines.joined(separator: "\n")
    return text.firstMatch(of: /package init\??\(\s*_ \w+: (\w+)/).map { String($0.1) }
  }

  @Test func eachFormIsMadeFromADocument() throws {
    var found: [String: String] = [:]
    for file in try sourceFiles("Sources/Features", ["swift"]) {
      let name = file.path.split(separator: "/").last ?? ""
      guard
        ["Text.swift", "Markdown.swift", "SARIF.swift", "Report.swift"].contains(
          where: name.hasSuffix),
        !file.path.contains("/Rendering/"), let source = Self.source(of: file)
      else { continue }
      found[file.path] = source
    }
    #expect(found.count > 20)
    for (path, source) in found.sorted(by: { $0.key < $1.key }) {
      #expect(source.hasSuffix("Document") || Self.others[source] != nil, "\(path): \(source)")
    }
  }

  @Test func formsOfOtherThingsAreSeen() {
    let file = SourceFile(
      path: "Sources/A/BText.swift",
      text: "struct B {\n  package init(\n    _ layout: Layout, width: Int\n")
    #expect(Self.source(of: file) == "Layout")
  }
}
