import Foundation
import TestSupport
import Testing

/// Checks hints: an option of the running command in a hint must be one that the command has. Every run of these tests is
/// checked, because commands share the code that makes hints.
enum CommandHints {
  static func check(_ run: Run, of arguments: [String]) throws {
    let unknown = try unknownOptions(in: run.errors, of: arguments)
    #expect(
      unknown.isEmpty, "\(arguments.joined(separator: " ")) has no such options: \(run.errors)")
  }

  private static let helps = Memo<[String], String>()

  /// Returns the options that hints in `errors` name but that the command does not have.
  static func unknownOptions(in errors: String, of arguments: [String]) throws -> [String] {
    let options = errors.split(separator: "\n").filter { $0.hasPrefix("  hint: ") }
      .flatMap { ownOptions(in: String($0.dropFirst("  hint: ".count))) }
    guard !options.isEmpty else { return [] }
    let command = arguments.prefix { !$0.hasPrefix("-") }
      .prefix(["history", "import"].contains(arguments.first) ? 2 : 1)
    let help = try helps.value(for: Array(command)) {
      try RunningProcess(Built.orderfile, ["help"] + command).end().text
    }
    let known = Set(help.split { !($0.isASCII && ($0.isLetter || $0 == "-")) })
    return options.filter { !known.contains(Substring($0)) }
  }

  /// The options in a hint, apart from those of other commands and other programs.
  static func ownOptions(in hint: String) -> [String] {
    var found: [String] = []
    let hint = hint.split(separator: " ").filter { !$0.contains("-Wl,") }.joined(separator: " ")
    for clause in hint.split(whereSeparator: { ";,".contains($0) }) {
      let words = clause.split { " '\"()=:".contains($0) }
      let programs: Set<Substring> = [
        "orderfile", "auto", "cargo", "docker", "git", "make", "perf", "pages", "swift", "gen",
        "strip",
      ]
      guard !words.contains(where: programs.contains) else { continue }
      found += words.filter { $0.hasPrefix("--") && $0.count > 2 }.map(String.init)
    }
    return found
  }
}

@Suite struct CommandHintTests {
  @Test(.needs(.recording)) func anOptionThatTheCommandLacksIsNoticed() throws {
    for (arguments, hint, unknown) in [
      (
        ["record", "x"], "use the image, or give its debug file with '--debug-file'",
        ["--debug-file"]
      ),
      (["gen", "x"], "use the image, or give its debug file with '--debug-file'", []),
      (["record", "x"], "see 'orderfile gen --image'; or docker run --cap-add=X", []),
      (["history", "add", "x"], "leave out '--arch'; --keep", ["--keep"]),
    ] {
      let errors = "orderfile: error: x\n  hint: \(hint)\n"
      #expect(try CommandHints.unknownOptions(in: errors, of: arguments) == unknown)
    }
  }
}
