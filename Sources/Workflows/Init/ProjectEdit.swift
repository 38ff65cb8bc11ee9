// Changes of a project's files that can be undone byte by byte.
//
// A change is a file of its own, or one line in a file of the project. The line has a mark, so that it is found again
// wherever it is by then, and fixed text, so that it shows if somebody has changed it. If a line is put behind the last
// one, and that has no line feed, neither has the new one: what is removed is then the line with the line feed before it.

import ImageModel

/// A change of one file.
package struct ProjectEdit: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    /// A new file.
    case file(String)
    /// A new file that belongs to the user from then on: another one stays, in both directions.
    case userFile(String)
    /// A line behind a call of that function.
    case line(String, behind: String)
  }
  /// Relative to the project's folder.
  package var path: String
  package var change: Change

  package init(_ path: String, _ change: Change) {
    self.path = path
    self.change = change
  }

  /// What marks a line as this command's.
  package static let mark = "orderfile init"

  /// The contents of the file with the change.
  ///
  /// - Parameter contents: of the file; `nil` if there is none.
  /// - Throws: if the file has something else where the change would be.
  /// - Complexity: O(*n*) for *n* bytes.
  package func applied(to contents: [UInt8]?) throws(Diagnostic) -> [UInt8]? {
    switch change {
    case .userFile(let text): return contents ?? Array(text.utf8)
    case .file(let text):
      guard contents == nil || contents == Array(text.utf8) else {
        throw Diagnostic(
          "unable to write: the file exists, with other contents", context: [path],
          hint: "rename it, or add the lines of docs/INIT.md to it by hand")
      }
      return Array(text.utf8)
    case .line(let line, let function):
      guard let contents else { throw Diagnostic("No such file or directory", context: [path]) }
      if try marked(line, in: contents) != nil { return contents }
      guard let end = Self.endOfCall(function, in: contents) else {
        throw Diagnostic("missing a call of \(function)()", context: [path])
      }
      let lines = TextLines(contents)
      let place = lines.ranges.first { $0.upperBound > end }?.upperBound ?? contents.count
      let hasFeed = contents[..<place].last == UInt8(ascii: "\n")
      let new = Array(line.utf8)
      return contents[..<place] + (hasFeed ? new + lines.feed : lines.feed + new)
        + contents[place...]
    }
  }

  /// The contents of the file without the change; `nil` for no file.
  ///
  /// - Throws: if somebody has changed what is to be removed.
  package func removed(from contents: [UInt8]?) throws(Diagnostic) -> [UInt8]? {
    guard let contents else { return nil }
    switch change {
    case .userFile(let text): return contents == Array(text.utf8) ? nil : contents
    case .file(let text):
      guard contents == Array(text.utf8) else {
        throw Diagnostic(
          "unable to remove: the file was changed since 'orderfile init' wrote it", context: [path],
          hint: "remove it by hand")
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

  /// The range of the line with the mark, and with its line feed; `nil` if there is none.
  ///
  /// - Throws: if it is another line.
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
        context: ["\(path):\(number + 1)"], hint: "restore it, or remove it by hand")
    }
    return lines.ranges[number]
  }

  /// The offset of the parenthesis that closes the first call of `function` at the start of a line; `nil` if there is none.
  /// Comments from `#` on and quoted words are passed over.
  static func endOfCall(_ function: String, in contents: [UInt8]) -> Int? {
    var index = 0
    var isAtStart = true
    var depth = 0
    while index < contents.count {
      let byte = contents[index]
      switch byte {
      case UInt8(ascii: "#"):
        while index < contents.count, contents[index] != UInt8(ascii: "\n") { index += 1 }
        continue
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        index += 1
        while index < contents.count, contents[index] != byte {
          index += contents[index] == UInt8(ascii: "\\") ? 2 : 1
        }
      case UInt8(ascii: "("): if depth > 0 { depth += 1 }
      case UInt8(ascii: ")"):
        if depth == 1 { return index }
        if depth > 1 { depth -= 1 }
      default:
        let name = function.utf8
        if depth == 0, isAtStart, contents.count - index > name.count,
          contents[index..<index + name.count].map({ $0 | 0x20 }).elementsEqual(name)
        {
          var next = index + name.count
          while next < contents.count, contents[next] == UInt8(ascii: " ") { next += 1 }
          if next < contents.count, contents[next] == UInt8(ascii: "(") {
            depth = 1
            index = next
          }
        }
      }
      if depth == 0, byte == UInt8(ascii: "\n") {
        isAtStart = true
      } else if byte != UInt8(ascii: " "), byte != UInt8(ascii: "\t") {
        isAtStart = false
      }
      index += 1
    }
    return nil
  }
}

/// The lines of a text.
struct TextLines {
  /// Each with its line feed.
  let ranges: [Range<Int>]
  /// What ends its first line; a line feed if it has none.
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
