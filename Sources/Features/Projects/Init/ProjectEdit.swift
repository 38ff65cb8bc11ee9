// Changes of a project's files that can be undone byte by byte.
//
// A change is a new file, or one line in a file of the project. The line has a mark, so that it is found again if other
// lines were added or removed, and fixed text, so that an edit of it is noticed. The last line of a new file has a hash
// of the lines above it. By the hash this command recognizes a file that another version of it wrote, or that it wrote
// for another project(). If the new line follows a last line without a line feed, the new line has no line feed either.
// Removing the new line then also removes the line feed before it.

import ByteReading
import ImageModel

/// A change of one file.
package struct ProjectEdit: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    /// The change is a new file with this text. The other value has the characters with which comments of the file
    /// begin; `nil` if it can't have comments. A file without comments is recognized by its contents alone.
    case file(String, comment: String?)
    /// The change is a new file that the user edits afterwards. An existing file is not replaced, and an edited file is
    /// not removed.
    case userFile(String)
    case line(String, behind: Call)
  }
  /// The path of the changed file, relative to the project's folder.
  package var path: String
  package var change: Change

  package init(_ path: String, _ change: Change) {
    self.path = path
    self.change = change
  }

  /// The mark of the lines that this command writes.
  package static let mark = "orderfile init"

  /// Returns the contents of the file with the change.
  ///
  /// - Parameter contents: the contents of the file; `nil` if there is no file.
  /// - Throws: if the file has other contents where the change would be, or if the file or the call for a line is
  ///   missing.
  /// - Complexity: O(*n*) for *n* bytes.
  package func applied(to contents: [UInt8]?) throws(Diagnostic) -> [UInt8]? {
    switch change {
    case .userFile(let text): return contents ?? Array(text.utf8)
    case .file(let text, let comment):
      let new = Self.sealed(Array(text.utf8), comment)
      guard contents.map({ $0 == new || Self.isSealed($0, comment) }) ?? true else {
        throw Diagnostic(
          "unable to write this file: it exists, and has other contents", context: [path],
          hint: path == "build.rs"
            ? "call link_in_order() in that build script: docs/how-to/INIT.md" : "rename it")
      }
      return new
    case .line(let line, let call):
      guard let contents else { throw Diagnostic("No such file or directory", context: [path]) }
      if try marked(line, in: contents) != nil { return contents }
      guard let end = call.arguments(in: contents)?.upperBound else {
        throw Diagnostic("missing a call of \(call.name)()", context: [path])
      }
      let lines = TextLines(contents)
      let place = lines.ranges.first { $0.upperBound > end }?.upperBound ?? contents.count
      let hasFeed = contents[..<place].last == UInt8(ascii: "\n")
      let new = Array(line.utf8)
      return contents[..<place] + (hasFeed ? new + lines.feed : lines.feed + new)
        + contents[place...]
    }
  }

  /// Returns the contents of the file without the change; `nil` if no file is left.
  ///
  /// - Throws: if somebody has edited the file or the line that is to be removed.
  package func removed(from contents: [UInt8]?) throws(Diagnostic) -> [UInt8]? {
    guard let contents else { return nil }
    switch change {
    case .userFile(let text): return contents == Array(text.utf8) ? nil : contents
    case .file(let text, let comment):
      guard contents == Array(text.utf8) || Self.isSealed(contents, comment) else {
        throw Diagnostic(
          "unable to remove this file: it was changed after 'orderfile init' had written it",
          context: [path],
          hint: "remove the file by hand")
      }
      return nil
    case .line(let line, _):
      guard let range = try marked(line, in: contents) else { return contents }
      let hasFeed = contents[range].last == UInt8(ascii: "\n")
      var start = range.lowerBound
      if !hasFeed, start > 0 {
        start -= 1
        if start > 0, contents[start - 1] == UInt8(ascii: "\r") { start -= 1 }
      }
      return Array(contents[..<start] + contents[range.upperBound...])
    }
  }

  /// Returns the range of the line with the mark, its line feed included; `nil` if no line has the mark.
  ///
  /// - Throws: if the line with the mark differs from `line`.
  private func marked(_ line: String, in contents: [UInt8]) throws(Diagnostic) -> Range<Int>? {
    let mark = Array(Self.mark.utf8)
    let lines = TextLines(contents)
    guard let number = lines.ranges.firstIndex(where: { contents[$0].firstRange(of: mark) != nil })
    else { return nil }
    var text = contents[lines.ranges[number]]
    while text.last == UInt8(ascii: "\n") || text.last == UInt8(ascii: "\r") { text.removeLast() }
    guard text.elementsEqual(line.utf8) else {
      throw Diagnostic(
        "the line was changed: expected '\(line)', found '\(String(decoding: text, as: UTF8.self))'",
        context: ["\(path):\(number + 1)"], hint: "restore the line, or remove it by hand")
    }
    return lines.ranges[number]
  }

  /// Appends the last line, which has the hash, to `text`; returns `text` alone if the file can't have comments.
  private static func sealed(_ text: [UInt8], _ comment: String?) -> [UInt8] {
    guard let comment else { return text }
    let hash = String(nameHash(text.span.bytes), radix: 16)
    return text + Array("\(comment) \(mark) \(hash)\n".utf8)
  }

  /// Whether this command wrote the file, and nobody has edited it since.
  private static func isSealed(_ contents: [UInt8], _ comment: String?) -> Bool {
    guard comment != nil, let last = TextLines(contents).ranges.last else { return false }
    return sealed(Array(contents[..<last.lowerBound]), comment) == contents
  }
}

/// The lines of a text.
struct TextLines {
  /// The range of each line, its line feed included.
  let ranges: [Range<Int>]
  /// The characters that end the first line: `\r\n`, else a line feed.
  let feed: [UInt8]

  init(_ contents: [UInt8]) {
    var ranges: [Range<Int>] = []
    var start = 0
    for index in contents.indices where contents[index] == UInt8(ascii: "\n") {
      ranges.append(start..<index + 1)
      start = index + 1
    }
    if start < contents.count { ranges.append(start..<contents.count) }
    self.ranges = ranges
    let isWindows =
      ranges.first.map { contents[$0].suffix(2).elementsEqual([0x0d, 0x0a]) } ?? false
    feed = Array((isWindows ? "\r\n" : "\n").utf8)
  }
}
