// Changes of a project's files that can be undone byte by byte.
//
// A change is a file of its own, or one line in a file of the project. The line has a mark, so that it is found again
// wherever it is by then, and fixed text, so that it shows if somebody has changed it. The last line of a file has the
// hash of those above: what another version of this command wrote, or for another project(), is recognized, too. If a
// line is put behind the last one, and that has no line feed, neither has the new one: what is removed is then the line
// with the line feed before it.

import ByteReading
import ImageModel

/// A change of one file.
package struct ProjectEdit: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    /// A new file, with what comments start with; without comments it is recognized by its contents alone.
    case file(String, comment: String?)
    /// A new file that belongs to the user from then on: another one stays, in both directions.
    case userFile(String)
    case line(String, behind: Call)
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
    case .file(let text, let comment):
      let new = Self.sealed(Array(text.utf8), comment)
      guard contents.map({ $0 == new || Self.isSealed($0, comment) }) ?? true else {
        throw Diagnostic(
          "unable to write: the file exists, with other contents", context: [path],
          hint: path == "build.rs"
            ? "call link_in_order() of docs/how-to/INIT.md in it" : "rename it")
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

  /// The contents of the file without the change; `nil` for no file.
  ///
  /// - Throws: if somebody has changed what is to be removed.
  package func removed(from contents: [UInt8]?) throws(Diagnostic) -> [UInt8]? {
    guard let contents else { return nil }
    switch change {
    case .userFile(let text): return contents == Array(text.utf8) ? nil : contents
    case .file(let text, let comment):
      guard contents == Array(text.utf8) || Self.isSealed(contents, comment) else {
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

  /// `text` and its last line.
  private static func sealed(_ text: [UInt8], _ comment: String?) -> [UInt8] {
    guard let comment else { return text }
    let hash = String(nameHash(text.span.bytes), radix: 16)
    return text + Array("\(comment) \(mark) \(hash)\n".utf8)
  }

  /// Whether nobody has edited a file that this command wrote.
  private static func isSealed(_ contents: [UInt8], _ comment: String?) -> Bool {
    guard comment != nil, let last = TextLines(contents).ranges.last else { return false }
    return sealed(Array(contents[..<last.lowerBound]), comment) == contents
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
