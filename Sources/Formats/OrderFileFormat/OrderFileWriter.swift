import ByteReading

/// Collects the lines of an order file, each once.
package struct OrderFileWriter {
  package private(set) var written = WrittenOrderFile()
  private var seen: Set<NameKey> = []
  private var isInData = false

  package init() {}

  /// Adds a comment where data begin, or end, with `entry`; in dialects whose comments begin with `#`.
  package mutating func mark(_ entry: OrderFileEntry) {
    guard entry.isData != isInData else { return }
    isInData = entry.isData
    append("# \(isInData ? OrderFileComment.data : OrderFileComment.functions)\n")
  }

  /// Adds `line` and a line feed, unless the file already has that line: then `entry` is left out.
  ///
  /// - Parameter comment: the text before the line, with its line feed.
  package mutating func append(
    _ line: [UInt8], for entry: OrderFileEntry, at index: Int, after comment: [UInt8] = []
  ) {
    guard seen.insert(NameKey(line)).inserted else {
      leaveOut(entry, at: index, .duplicate)
      return
    }
    written.bytes += comment
    written.bytes += line
    written.bytes.append(UInt8(ascii: "\n"))
  }

  package mutating func leaveOut(
    _ entry: OrderFileEntry, at index: Int, _ reason: UnwritableEntry.Reason
  ) {
    written.unwritable.append(UnwritableEntry(index: index, entry: entry, reason: reason))
  }

  /// Adds text that is not an entry: comments, and the frame around the entries.
  package mutating func append(_ text: String) { written.bytes += Array(text.utf8) }

  /// Adds the lines of `header`, each preceded by `#`.
  package mutating func appendHashComment(_ header: [String]) {
    for line in header.flatMap(separateLines) { append(line.isEmpty ? "#\n" : "# \(line)\n") }
  }
}

/// `text` split at line breaks of every kind, because a comment must not end before its text does.
func separateLines(_ text: String) -> [String] {
  text.split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
}
