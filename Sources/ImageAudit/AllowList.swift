// The list of libraries that a program may load: a pattern on each line. `#` begins a comment, also behind a pattern
// after a blank; blanks around a pattern and empty lines do not count; lines end with LF or CRLF. In a pattern `*`
// stands for any bytes and `?` for one. A pattern without a slash is compared with the last part of a library's name
// and path, and with the name of the framework that it is in; one with a slash with all of the name or path.

import ByteReading
import ImageModel
import Reporting
import Workflows

package struct AllowList {
  package struct Pattern {
    package var bytes: [UInt8]
    package var line: Int
  }

  private let path: String
  package private(set) var patterns: [Pattern] = []

  /// Lines of one list; far more than any program has libraries.
  package static let limit = 1 << 14

  package init(path: String) throws(Diagnostic) {
    try self.init(try InputFile.bytes(path), path: path)
  }

  package init(_ bytes: FileBytes, path: String) throws(Diagnostic) {
    self.path = path
    let text = bytes.copy(bytes.all.indices)
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
    // A byte order mark, as some editors write.
    if let first = lines.first, first.starts(with: [0xef, 0xbb, 0xbf]) {
      lines[lines.startIndex] = first.dropFirst(3)
    }
    for (number, line) in lines.enumerated() {
      let pattern = Self.pattern(in: line)
      guard !pattern.isEmpty else { continue }
      guard !pattern.contains(0) else {
        throw Diagnostic(
          "invalid list of libraries: expected text, found a zero byte (at line \(number + 1))",
          context: [path])
      }
      patterns.append(Pattern(bytes: pattern, line: number + 1))
      guard patterns.count <= Self.limit else {
        throw Diagnostic("too many lines: expected at most \(Self.limit)", context: [path])
      }
    }
  }

  private static func pattern(in line: ArraySlice<UInt8>) -> [UInt8] {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }
    var text = line.drop(while: isBlank)
    var previous: UInt8 = 0x20
    for (place, byte) in zip(text.indices, text) {
      if byte == UInt8(ascii: "#"), isBlank(previous) {
        text = text[..<place]
        break
      }
      previous = byte
    }
    while let last = text.last, isBlank(last) { text = text.dropLast() }
    return Array(text)
  }

  package func allows(_ library: AuditedLibrary) -> Bool {
    patterns.contains { Self.matches($0.bytes, library) }
  }

  /// A warning for each pattern that is for none of `libraries`.
  package func unused(by libraries: [AuditedLibrary]) -> [Diagnostic] {
    patterns.filter { pattern in !libraries.contains { Self.matches(pattern.bytes, $0) } }.map {
      Diagnostic(
        "line \($0.line): no library is called '\(SymbolName(bytes: $0.bytes))'", context: [path])
    }
  }

  private static func matches(_ pattern: [UInt8], _ library: AuditedLibrary) -> Bool {
    let texts = [library.name.bytes, library.path.map { Array($0.utf8) }].compactMap { $0 }
    if pattern.contains(UInt8(ascii: "/")) {
      return texts.contains { glob(pattern, matches: $0[...]) }
    }
    return texts.contains { text in
      let parts = text.split(separator: UInt8(ascii: "/"))
      return parts.indices.contains { index in
        let isLast = index == parts.indices.last
        let isFramework = parts[index].suffix(10).elementsEqual(".framework".utf8)
        return (isLast || isFramework) && glob(pattern, matches: parts[index])
      }
    }
  }

  /// Whether `pattern` matches all of `text`.
  ///
  /// - Complexity: O(*p* × *t*) for both lengths: after a mismatch only the last `*` is tried again.
  package static func glob(_ pattern: [UInt8], matches text: ArraySlice<UInt8>) -> Bool {
    var place = 0
    var at = text.startIndex
    var star: (place: Int, at: Int)?
    while at < text.endIndex {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        star = (place, at)
        place += 1
      } else if place < pattern.count,
        pattern[place] == UInt8(ascii: "?") || pattern[place] == text[at]
      {
        place += 1
        at += 1
      } else if let last = star {
        place = last.place + 1
        at = last.at + 1
        star = (last.place, at)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
