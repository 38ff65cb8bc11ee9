import Foundation
import TestSupport
import Testing

/// Links of the form [text](path) or [text](path#heading) that lead to no file of the project.
private func deadLinks(of page: SourceFile) -> [String] {
  let folder = projectFolder.appendingPathComponent(page.path).deletingLastPathComponent()
  var isInBlock = false
  return page.lines.enumerated().flatMap { index, line -> [String] in
    if line.hasPrefix("```") { isInBlock.toggle() }
    guard !isInBlock else { return [] }
    return line.matches(of: /\]\(([^)\s]+)\)/).compactMap { match in
      let link = match.1.prefix { $0 != "#" }
      guard !link.isEmpty, !link.contains("://") else { return nil }
      let target = folder.appendingPathComponent(String(link)).path
      guard !FileManager.default.fileExists(atPath: target) else { return nil }
      return "\(page.path):\(index + 1): \(link)"
    }
  }
}

@Suite struct DocumentTests {
  @Test func everyRelativeLinkLeadsToAFile() throws {
    let pages = try sourceFiles("", ["md"])
    #expect(pages.map(\.path).contains("README.md"))
    let dead = pages.flatMap(deadLinks)
    #expect(dead.isEmpty, "\(dead.joined(separator: "\n"))")
  }

  @Test func deadLinksAreSeen() {
    let text =
      "[a](README.md) [b](nowhere.md#x) [c](https://example.org)\n```\n[d](nowhere.md)\n```"
    #expect(
      deadLinks(of: SourceFile(path: "CHANGELOG.md", text: text)) == ["CHANGELOG.md:1: nowhere.md"])
  }

  @Test func theTopLevelIsWhatContributorsExpect() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: projectFolder.path)
      .filter { !$0.hasPrefix(".") && $0 != "Package.resolved" }
    #expect(
      names.sorted() == [
        "Benchmarks", "CHANGELOG.md", "CONTRIBUTING.md", "Examples", "Fleet", "Fuzz", "LICENSE",
        "Makefile", "Package.swift", "README.md", "Runtime", "Scripts", "Sources", "Tests",
        "action.yml", "docs",
      ])
  }

  @Test func everyMakeTargetThatAPageNamesExists() throws {
    let makefile = try String(
      contentsOf: projectFolder.appendingPathComponent("Makefile"), encoding: .utf8)
    let targets = Set(makefile.matches(of: /(?m)^([a-z-]+):/).map { String($0.1) })
    for page in try sourceFiles("", ["md"]) {
      for (index, line) in page.lines.enumerated() {
        for match in line.matches(of: /`(?:[A-Z_]+=1 )?make ([a-z-]+)[^`]*`/) {
          #expect(
            targets.contains(String(match.1)), "\(page.path):\(index + 1): make \(match.1)")
        }
      }
    }
  }

  /// A heading quotes a message as its literal in the sources has it, with … for what differs.
  @Test func thePageForTroubleQuotesTheMessages() throws {
    let page = try String(
      contentsOf: projectFolder.appendingPathComponent("docs/start/TROUBLESHOOTING.md"),
      encoding: .utf8)
    let quotes = page.matches(of: /(?m)^### `(.+)`$/).map { String($0.1) }
    #expect(quotes.count >= 30 && Set(quotes).count == quotes.count)
    let sources = try sourceFiles("Sources", ["swift"]).map { $0.lines.joined(separator: "\n") }
    for quote in quotes {
      // A page that quotes an older message would not be found by who has the newer one.
      let parts = quote.split(separator: "…").map { $0.trimmingCharacters(in: .whitespaces) }
      let message = try expression(
        parts.map(NSRegularExpression.escapedPattern).joined(separator: ".*"))
      let isThere = sources.contains {
        message.firstMatch(in: $0, range: NSRange(location: 0, length: $0.utf16.count)) != nil
      }
      #expect(isThere, "\(quote)")
    }
  }
}
