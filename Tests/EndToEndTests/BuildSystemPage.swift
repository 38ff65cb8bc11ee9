import Foundation
import TestSupport
import Testing

/// docs/how-to/BUILD-SYSTEMS.md, whose recipes the tests run, and the program that they order.
enum BuildSystemPage {
  /// `main` runs `third`, then `first`.
  static let program = """
    __attribute__((noinline)) int first(int n) { __asm__ volatile(""); return n + 1; }
    __attribute__((noinline)) int second(int n) { __asm__ volatile(""); return n + 2; }
    __attribute__((noinline)) int third(int n) { __asm__ volatile(""); return n + 3; }
    int main(int n, char **v) { return v[0] == 0 ? second(n) : first(third(n)) < 0; }
    """

  /// Returns the text of docs/how-to/BUILD-SYSTEMS.md below a heading, up to the next heading.
  static func section(_ heading: String) throws -> String {
    let file = projectFolder.appendingPathComponent("docs/how-to/BUILD-SYSTEMS.md")
    let sections = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n## ")
    return try #require(sections.first { $0.hasPrefix(heading + "\n") })
  }

  /// Returns the blocks of code in `text`: `cmake` blocks, or shell blocks, which have no language name.
  static func blocks(_ text: String, _ language: String = "") -> [String] {
    text.components(separatedBy: "\n```").enumerated().filter { $0.offset % 2 == 1 }
      .map(\.element).filter { $0.hasPrefix(language + "\n") }
      .map { String($0.dropFirst(language.count + 1)) + "\n" }
  }

  static func order(_ workshop: Workshop, _ image: String) throws -> [String] {
    try workshop.functions(in: image).filter {
      ["main", "first", "second", "third"].contains($0)
    }
  }

  /// Runs a script with the command as `orderfile`, which must succeed.
  static func sh(_ workshop: Workshop, _ script: String) throws {
    let folder = URL(fileURLWithPath: Built.orderfile).deletingLastPathComponent().path
    try workshop.must("/bin/sh", ["-ec", "PATH=\"\(folder):$PATH\"\n" + script])
  }
}
