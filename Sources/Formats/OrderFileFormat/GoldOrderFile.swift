import Addresses
import ByteReading
import ImageModel

extension OrderFileDialect {
  /// gold's `--section-ordering-file`, as gold 1.16 (binutils 2.40) reads it: one input section or one
  /// glob a line.
  ///
  /// Only a carriage return at the end is removed: blanks are part of a name. A line that begins with `#` is
  /// a comment. A plain name takes precedence over a glob; of globs the first that matches counts, of equal
  /// names the *last*. Sections that no line names are placed *before* all listed ones, so each list ends
  /// with `.text.*` and `.text`, which moves the rest to the end. gold says nothing about names it doesn't
  /// find. The comment `# function: f` names the function of the section in the next line, if the section is
  /// not named for it; that is our own form.
  /// <https://sourceware.org/git/?p=binutils-gdb.git;f=gold/layout.cc> (`read_layout_from_file`,
  /// `find_section_order_index`)
  package static let gold = OrderFileDialect(
    name: "gold", imageFormat: .elf, namesSections: true, lastDuplicateWins: true,
    reader: readGold, writer: writeGold, recognizes: looksLikeGold
  ).with {
    $0.mayBeOtherText = true
    $0.orderOfVariables = { $0.map { ".data.\($0)\n" }.joined() }
    $0.driverName = "gold"
    $0.statements = ["GNU gold", "gold"]
    $0.linkOption = "-Wl,--section-ordering-file="
  }
}

@Sendable private func readGold(_ bytes: FileBytes) throws(ParseError) -> OrderFile {
  var file = OrderFile(dialect: .gold)
  var lines = OrderFileLines(bytes)
  var function: CommentedFunction?
  while var line = try lines.next() {
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard let first = line.first, let last = line.last else { continue }
    if first == UInt8(ascii: "#") {
      let text = Array(line.dropFirst())
      if let name = OrderFileComment.functionName(in: text) {
        function = CommentedFunction(
          name: Array(text[name]), range: lines.range(of: line[(name.lowerBound + 1)...]),
          line: lines.number)
      }
      try file.append(OrderFileComment(text: text, line: lines.number))
      continue
    }
    if lines.number == 1, line.starts(with: [0xef, 0xbb, 0xbf]) {
      file.warnings.append(OrderFileWarning(kind: .byteOrderMark, line: 1))
    }
    if isBlank(first) || isBlank(last) {
      file.warnings.append(OrderFileWarning(kind: .outerBlank, line: lines.number))
    }
    if holdsTrailingComment(line[...]) {
      file.warnings.append(OrderFileWarning(kind: .trailingComment, line: lines.number))
    }
    try file.appendSection(
      matching: line, line: lines.number, range: lines.range(of: line[...]),
      of: function?.line == lines.number - 1 ? function : nil, at: lines.offset)
  }
  return file
}

@Sendable private func writeGold(
  _ entries: [OrderFileEntry], header: [String]
) -> WrittenOrderFile {
  var writer = OrderFileWriter()
  writer.appendHashComment(header)
  for (i, entry) in entries.enumerated() {
    guard let section = entry.section else {
      writer.leaveOut(entry, at: i, .noInputSection)
      continue
    }
    if let reason = reasonAgainstSection(section, of: entry) {
      writer.leaveOut(entry, at: i, reason)
    } else {
      let line = glob(matchingOnly: section) { index in
        // `#` would begin a comment, and a carriage return at the end would be cut off.
        (index == 0 && section[index] == UInt8(ascii: "#"))
          || (index == section.count - 1 && section[index] == UInt8(ascii: "\r"))
      }
      let comment = functionInComment(entry).map { [UInt8(ascii: "#")] + $0 + [UInt8(ascii: "\n")] }
      writer.append(line, for: entry, at: i, after: comment ?? [])
    }
  }
  writer.append(".text.*\n.text\n")
  return writer.written
}

/// Whether the first line that is neither empty nor a comment begins with `.text`.
@Sendable private func looksLikeGold(_ bytes: FileBytes) -> Bool {
  var lines = OrderFileLines(bytes)
  while let line = try? lines.next() {
    if line.isEmpty || line.first == UInt8(ascii: "#") || line == [UInt8(ascii: "\r")] { continue }
    return line.starts(with: ".text".utf8)
  }
  return false
}
