import Foundation
import TestSupport
import Testing

/// Returns the lines of a page outside of blocks of code, numbered from 1.
private func prose(of page: SourceFile) -> [(number: Int, text: String)] {
  var isInBlock = false
  return page.lines.enumerated().compactMap { index, line in
    if line.hasPrefix("```") { isInBlock.toggle() }
    return isInBlock ? nil : (index + 1, line)
  }
}

/// Returns the fragments by which links name the headings of a page, as GitHub makes them.
private func anchors(of page: SourceFile) -> Set<String> {
  var found: Set<String> = []
  var names: [String: Int] = [:]
  for (_, line) in prose(of: page) {
    guard line.hasPrefix("#"), let heading = line.wholeMatch(of: /#{1,6} (.+)/)?.1 else { continue }
    let text = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.1) }.lowercased()
    let name = String(text.filter { $0.isLetter || $0.isNumber || "_- ".contains($0) })
      .replacing(" ", with: "-")
    let count = names[name, default: 0]
    names[name] = count + 1
    found.insert(count == 0 ? name : "\(name)-\(count)")
  }
  return found
}

/// Returns the pictures and the links of the form [text](path) or [text](path#heading) that lead to no file of the
/// project or to no heading of the file. `pages` has the anchors of all pages by path.
private func deadLinks(of page: SourceFile, _ pages: [String: Set<String>]) -> [String] {
  let folder = projectFolder.appendingPathComponent(page.path).deletingLastPathComponent()
  return prose(of: page).flatMap { number, line -> [String] in
    guard line.contains("](") || line.contains("src") else { return [] }
    return line.matches(of: /\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/).compactMap { match in
      let link = match.1 ?? match.2 ?? ""
      guard !link.contains("://") else { return nil }
      let path = link.prefix { $0 != "#" }
      let target =
        path.isEmpty
        ? page.path
        : String(
          folder.appendingPathComponent(String(path)).standardizedFileURL.path
            .dropFirst(projectFolder.standardizedFileURL.path.count + 1))
      let file = projectFolder.appendingPathComponent(target).path
      guard FileManager.default.fileExists(atPath: file) else {
        return "\(page.path):\(number): \(path)"
      }
      guard path.count < link.count, let anchors = pages[target],
        !anchors.contains(String(link.dropFirst(path.count + 1)))
      else { return nil }
      return "\(page.path):\(number): \(link)"
    }
  }
}

/// Returns the anchors of each page of the project, by the path of the page.
private func anchorsOfPages() throws -> [String: Set<String>] {
  Dictionary(
    uniqueKeysWithValues: try sourceFiles("", ["md"]).map { ($0.path, anchors(of: $0)) })
}

@Suite struct DocumentTests {
  @Test func everyRelativeLinkLeadsToAFileAndAHeading() throws {
    let pages = try sourceFiles("", ["md"])
    #expect(pages.map(\.path).contains("README.md"))
    let anchors = try anchorsOfPages()
    let dead = pages.flatMap { deadLinks(of: $0, anchors) }
    #expect(dead.isEmpty, "\(dead.joined(separator: "\n"))")
  }

  @Test func deadLinksAreSeen() throws {
    let text =
      "# It `is` here\n[a](README.md#install) [b](nowhere.md#x) [c](https://example.org#x)\n"
      + "[d](#it-is-here) [e](#it-was) [f](README.md#it-is)\n```\n[g](nowhere.md)\n```"
    let page = SourceFile(path: "CHANGELOG.md", text: text)
    let anchors = try anchorsOfPages().merging([page.path: anchors(of: page)]) { $1 }
    #expect(
      deadLinks(of: page, anchors) == [
        "CHANGELOG.md:2: nowhere.md", "CHANGELOG.md:3: #it-was", "CHANGELOG.md:3: README.md#it-is",
      ])
  }

  /// A row of docs/README.md has a page, and the question that the page answers.
  @Test func theIndexListsEveryPage() throws {
    let folder = projectFolder.appendingPathComponent("docs")
    let pages = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".md") && $0 != "README.md" }
    let index = try String(contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
    let listed = index.matches(of: /(?m)^\| \[[A-Z-]+\]\(([^)]+)\) \| .+\? .*\|$/)
      .map { String($0.1) }
    #expect(listed.sorted() == pages.sorted())
  }

  /// The design page has phases, storeys, invariants and non-goals. The page of a feature says how the feature works.
  @Test func theDesignStaysShort() throws {
    let page = try #require(sourceFiles("docs", ["md"]).first { $0.path == "docs/DESIGN.md" })
    #expect(page.lines.count <= 150)
  }

  /// Messages, comments and schemas name pages by their paths.
  @Test func everyPageThatIsNamedExists() throws {
    let paths = ["Sources", "Runtime", "Tests", "Scripts", "Fleet"].flatMap {
      sourcePaths($0, ["swift", "h", "c", "sh", "py", "md"])
    }
    let page = try expression(#"(?<![\w/.-])docs/[\w/-]+\.md"#)
    var count = 0
    for path in paths + sourcePaths("docs", ["md", "json"]) {
      let text = try String(
        contentsOf: projectFolder.appendingPathComponent(path), encoding: .utf8)
      let all = NSRange(location: 0, length: text.utf16.count)
      for match in page.matches(in: text, range: all) {
        let name = (text as NSString).substring(with: match.range)
        let file = projectFolder.appendingPathComponent(name).path
        #expect(FileManager.default.fileExists(atPath: file), "\(path): \(name)")
        count += 1
      }
    }
    #expect(count > 40)
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

  /// Pages name the packages and the GitHub action of the current version.
  @Test func pagesNameTheCurrentVersion() throws {
    let sources = try sourceFiles("Sources/Features/Rendering", ["swift"])
    let versions = sources.flatMap(\.lines)
      .compactMap { $0.firstMatch(of: /toolVersion = "(.+)"/)?.1 }
    let version = try #require(versions.first)
    var count = 0
    for page in try sourceFiles("docs", ["md"]) {
      for (index, line) in page.lines.enumerated() {
        for match in line.matches(of: /orderfile(?:_|-|@v)(\d+\.\d+\.\d+)/) {
          #expect(match.1 == version, "\(page.path):\(index + 1): \(match.0)")
          count += 1
        }
      }
    }
    #expect(count == 3)
  }

  /// A heading quotes a message as it is in the sources, with … for the parts that differ.
  @Test func thePageForTroubleQuotesTheMessages() throws {
    let page = try String(
      contentsOf: projectFolder.appendingPathComponent("docs/start/TROUBLESHOOTING.md"),
      encoding: .utf8)
    let quotes = page.matches(of: /(?m)^### `(.+)`$/).map { String($0.1) }
    #expect(quotes.count >= 30 && Set(quotes).count == quotes.count)
    let sources = try sourceFiles("Sources", ["swift"]).map { $0.lines.joined(separator: "\n") }
    for quote in quotes {
      // If a page quotes an older message, nobody who sees the newer one finds the page.
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
