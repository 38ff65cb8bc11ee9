import Foundation
import OrderFileCommands
import TestSupport
import Testing

/// The commands in the pages. Scripts and other tests run the commands of README, the tutorial and the build systems.
/// This test checks that all other commands exist, and that their options exist.
@Suite struct DocumentedCommandIntegrations {
  private struct Command {
    var place: String
    var words: [String]
    /// Whether the command is in a block, for the reader's own terminal. Otherwise the text mentions it, perhaps
    /// without its operands.
    var isInBlock: Bool

    /// The error with which the command refuses its words; `nil` if it accepts them.
    var problem: String? {
      do {
        if words.first == "cargo" {
          _ = try OrderFileCommand.parse(cargoCommandLine: ["cargo-orderfile"] + words.dropFirst())
        } else {
          _ = try OrderFileCommand.parse(commandLine: words)
        }
        return nil
      } catch {
        let message = OrderFileCommand.message(for: error)
        // A request for help is also thrown as an error.
        if OrderFileCommand.exitCode(for: error).isSuccess { return nil }
        if !isInBlock, message.lowercased().hasPrefix("missing ") { return nil }
        return "\(place): \(words.joined(separator: " ")): \(message)"
      }
    }
  }

  @Test(.needs(.time)) func eachCommandOfThePagesIsUnderstood() throws {
    let pages = try ["docs", "Examples", "Benchmarks"].flatMap { folder in
      try FileManager.default.subpathsOfDirectory(
        atPath: projectFolder.appendingPathComponent(folder).path
      ).map { "\(folder)/\($0)" }.filter { $0.hasSuffix(".md") }
    }
    let commands = try (pages.sorted() + ["README.md", "CONTRIBUTING.md"]).flatMap(Self.commands)
    #expect(commands.count > 100)
    var seen: Set<[String]> = []
    let problems = commands.filter { seen.insert($0.words + ["\($0.isInBlock)"]).inserted }
      .compactMap(\.problem)
    #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
  }

  @Test func commandsThatDoNotExistAreSeen() {
    for (line, isInBlock) in [
      ("$ orderfile gen a.oftrace --nosuch", true), ("orderfile nosuch", false),
      ("A=b orderfile gen", true), ("cargo orderfile nosuch", false),
    ] {
      #expect(Self.command(line, "", isInBlock: isInBlock)?.problem != nil, "\(line)")
    }
    #expect(Self.command("orderfile gen", "", isInBlock: false)?.problem == nil)
  }

  /// Returns the commands in lines of blocks and in code in the text, apart from commands with omissions.
  private static func commands(ofPage path: String) throws -> [Command] {
    let page = try String(
      contentsOf: projectFolder.appendingPathComponent(path), encoding: .utf8)
    var isInBlock = false
    var line = ""
    return page.components(separatedBy: "\n").enumerated().flatMap { index, text -> [Command] in
      let place = "\(path):\(index + 1)"
      if text.hasPrefix("```") {
        isInBlock.toggle()
        return []
      }
      guard isInBlock else {
        guard text.contains("orderfile ") else { return [] }
        return text.matches(of: /`([^`]+)`/).compactMap {
          Self.command(String($0.1), place, isInBlock: false)
        }
      }
      line += text
      if line.hasSuffix("\\") {
        line.removeLast()
        return []
      }
      defer { line = "" }
      return [Self.command(line, place, isInBlock: true)].compactMap { $0 }
    }
  }

  /// Returns the command in a line; `nil` if the line is no command of this program.
  private static func command(_ line: String, _ place: String, isInBlock: Bool) -> Command? {
    guard !line.contains("…"), !line.contains("..."), !line.contains("COMMAND") else { return nil }
    var words = words(of: line.hasPrefix("$ ") ? String(line.dropFirst(2)) : line)[...]
    while words.first?.wholeMatch(of: /[A-Z_]+=.*/) != nil { words.removeFirst() }
    guard words.count > 1, words.first == "orderfile" || words.prefix(2) == ["cargo", "orderfile"]
    else { return nil }
    return Command(place: place, words: Array(words), isInBlock: isInBlock)
  }

  /// Returns the words of the first command in a line.
  private static func words(of line: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in line {
      switch (character, quote) {
      case (quote, _?): quote = nil
      case ("'", nil), ("\"", nil):
        quote = character
        word = word ?? ""
      case (" ", nil):
        words += [word].compactMap { $0 }
        word = nil
      case ("|", nil), (";", nil), ("&", nil), (">", nil), ("<", nil), ("#", nil):
        return words + [word].compactMap { $0 }
      default: word = (word ?? "") + String(character)
      }
    }
    return words + [word].compactMap { $0 }
  }
}
