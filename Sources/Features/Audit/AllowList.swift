// The list of libraries that a program may load: a pattern on each line. `#` begins a comment, also after a pattern and
// a blank; blanks around a pattern and empty lines do not count; lines end with LF or CRLF.

import ByteReading
import CommandSupport
import ImageModel

package struct AllowList {
  package struct Pattern {
    package var pattern: LibraryPattern
    package var line: Int
  }

  private let path: String
  package private(set) var patterns: [Pattern] = []

  /// The maximum number of patterns in a list, which is far more than any program has libraries.
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
      if let marker = bytes.mergeConflictMarker(at: line.startIndex) {
        throw Diagnostic(
          "invalid list of libraries: found the merge-conflict marker '\(marker)' (at line \(number + 1))",
          context: [path], hint: "keep the lines that are meant, and remove the markers")
      }
      patterns.append(Pattern(pattern: LibraryPattern(bytes: pattern), line: number + 1))
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
    patterns.contains { $0.pattern.matches(library) }
  }

  /// A warning for each pattern that matches none of `libraries`.
  package func unused(by libraries: [AuditedLibrary]) -> [Diagnostic] {
    patterns.filter { line in !libraries.contains { line.pattern.matches($0) } }.map {
      Diagnostic(
        "line \($0.line): no library is called '\(SymbolName(bytes: $0.pattern.bytes))'",
        context: [path])
    }
  }
}
