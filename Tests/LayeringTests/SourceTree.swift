import Foundation
import Synchronization
import TestSupport

/// A text file of the project.
struct SourceFile: Sendable {
  /// The path from the project's folder: "Sources/Bytes/Addresses/Address.swift".
  let path: String
  let lines: [String]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    code = Self.code(of: lines)
  }

  /// The name of the folder in a storey of Sources, or in Runtime; empty elsewhere.
  var target: String {
    let parts = path.split(separator: "/").map(String.init)
    switch parts.first {
    case "Sources" where parts.count > 3: return parts[2]
    case "Runtime" where parts.count > 2: return parts[1]
    default: return ""
    }
  }

  /// The modules that the file imports, with the numbers of the lines.
  var imports: [(number: Int, name: String)] {
    let statement =
      /^\s*(?:@\w+\s+)*(?:\w+\s+)?import\s+(?:(?:struct|enum|class|func|protocol|typealias|var|let)\s+)?(\w+)/
    return code.compactMap { number, text in
      text.firstMatch(of: statement).map { (number, String($0.1)) }
    }
  }

  /// The lines without comments and without text between quotes, numbered from 1.
  ///
  /// This is not a parser: it takes block comments, and quotes inside an interpolation, as code.
  let code: [(number: Int, text: String)]

  private static func code(of lines: [String]) -> [(number: Int, text: String)] {
    var isInLiteral = false
    return lines.enumerated().map { index, line in
      var text = line
      if isInLiteral || line.contains("\"\"\"") {
        text = ""
        let parts = line.components(separatedBy: "\"\"\"")
        for (position, part) in parts.enumerated() {
          if position > 0 { isInLiteral.toggle() }
          if !isInLiteral { text += part }
        }
      }
      if text.utf8.contains(UInt8(ascii: "\"")) {
        text = text.replacing(/"(\\.|[^"\\])*"/, with: "\"\"")
      }
      if text.utf8.contains(UInt8(ascii: "/")), let comment = text.range(of: "//") {
        text.removeSubrange(comment.lowerBound...)
      }
      return (index + 1, text)
    }
  }

  /// Returns the places in the code at which a match of `expression` ends, as "path:line: text".
  ///
  /// For all sources, `NSRegularExpression` takes a tenth of the time of `Regex`.
  func places(of expression: NSRegularExpression) -> [String] {
    let text = code.map(\.text).joined(separator: "\n")
    let matches = expression.matches(
      in: text, range: NSRange(location: 0, length: text.utf16.count))
    guard !matches.isEmpty else { return [] }
    var end = 0
    return code.compactMap { number, line in
      let start = end
      end += line.utf16.count + 1
      guard matches.contains(where: { (start..<end).contains($0.range.upperBound - 1) }) else {
        return nil
      }
      return "\(path):\(number): \(lines[number - 1].trimmingCharacters(in: .whitespaces))"
    }
  }
}

/// Returns the regular expression `pattern`, in which `^` and `$` are the bounds of a line.
func expression(_ pattern: String) throws -> NSRegularExpression {
  try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
}

/// Returns the project's files below `folder` with one of `extensions`, by path. Names that start with a dot, such as
/// those of build folders, are no part of the project.
func sourceFiles(_ folder: String, _ extensions: Set<String>) throws -> [SourceFile] {
  try sourcePaths(folder, extensions).map(sourceFile)
}

/// Returns the paths of the files that `sourceFiles` reads, relative to the project's folder.
func sourcePaths(_ folder: String, _ extensions: Set<String>) -> [String] {
  let root = folder.isEmpty ? projectFolder : projectFolder.appendingPathComponent(folder)
  let found = FileManager.default.enumerator(
    at: root, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
  let prefix = projectFolder.path + "/"
  return (found?.compactMap { $0 as? URL } ?? [])
    .filter { extensions.contains($0.pathExtension) }
    .map { String($0.path.dropFirst(prefix.count)) }
    .sorted()
}

/// Returns a file, which is read once for all tests.
private func sourceFile(_ path: String) throws -> SourceFile {
  if let file = filesRead.withLock({ $0[path] }) { return file }
  let text = try String(contentsOf: projectFolder.appendingPathComponent(path), encoding: .utf8)
  let file = SourceFile(path: path, text: text)
  filesRead.withLock { $0[path] = file }
  return file
}

private let filesRead = Mutex<[String: SourceFile]>([:])
