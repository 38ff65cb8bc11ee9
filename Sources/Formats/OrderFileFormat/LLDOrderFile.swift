import ByteReading
import ImageModel

extension OrderFileDialect {
  /// ld.lld's `--symbol-ordering-file` for ELF, as LLD 19 to 22 read it: one mangled symbol a line.
  ///
  /// Blanks around a name are removed. Empty lines, and lines whose first byte after blanks is `#`, are skipped.
  /// Everything else is a name, including blanks and `#` inside it. A byte order mark is part of the first name. Of two
  /// equal lines the first counts. Every symbol of that name moves, local symbols in all objects; a section moves with
  /// its first-listed symbol.
  /// <https://github.com/llvm/llvm-project/blob/main/lld/Common/Args.cpp> (`getLines`),
  /// <https://github.com/llvm/llvm-project/blob/main/lld/ELF/Writer.cpp> (`buildSectionOrder`)
  package static let lld = OrderFileDialect(
    name: "lld", imageFormat: .elf, namesSections: false, lastDuplicateWins: false,
    reader: readLLD, writer: writeLLD, recognizes: { _ in false }
  ).with {
    $0.mayBeOtherText = true
    $0.ordersZeroFilledData = true
    $0.driverName = "lld"
    $0.statements = ["LLD"]
    $0.linkOption = "-Wl,--symbol-ordering-file="
    $0.quietArgument = "--no-warn-symbol-ordering"
    $0.undefinedVersionArgument = "--undefined-version"
    $0.machOName = "ld64.lld"
  }
}

@Sendable private func readLLD(_ bytes: FileBytes) throws(ParseError) -> OrderFile {
  var file = OrderFile(dialect: .lld)
  var lines = OrderFileLines(bytes)
  while let line = try lines.next() {
    let name = trimmed(line[...])
    guard let first = name.first else { continue }
    if first == UInt8(ascii: "#") {
      try file.append(OrderFileComment(text: Array(name.dropFirst()), line: lines.number))
      continue
    }
    if lines.number == 1, name.starts(with: byteOrderMark) {
      file.warnings.append(OrderFileWarning(kind: .byteOrderMark, line: 1))
    }
    if holdsTrailingComment(name) {
      file.warnings.append(OrderFileWarning(kind: .trailingComment, line: lines.number))
    }
    try file.append(
      OrderFileEntry(symbol: Array(name)), line: lines.number, nameRange: lines.range(of: name),
      at: lines.offset)
  }
  return file
}

@Sendable private func writeLLD(
  _ entries: [OrderFileEntry], header: [String]
) -> WrittenOrderFile {
  var writer = OrderFileWriter()
  writer.appendHashComment(header)
  for (i, entry) in entries.enumerated() {
    if let reason = reasonAgainstLine(entry.symbol) {
      writer.leaveOut(entry, at: i, reason)
    } else {
      writer.mark(entry)
      writer.append(entry.symbol, for: entry, at: i)
    }
  }
  return writer.written
}

/// The reason why a line can't contain `name`; `nil` if it can. A carriage return inside a name would work,
/// but tools that convert line ends would change it.
private func reasonAgainstLine(_ name: [UInt8]) -> UnwritableEntry.Reason? {
  guard let first = name.first, let last = name.last else { return .emptyName }
  if name.contains(0) { return .zeroByte }
  if name.contains(UInt8(ascii: "\n")) || name.contains(UInt8(ascii: "\r")) { return .lineBreak }
  if isBlank(first) || isBlank(last) { return .outerBlank }
  return first == UInt8(ascii: "#") ? .leadingHash : nil
}

let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

/// `line` without the blanks at its ends.
func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  guard let first = line.firstIndex(where: { !isBlank($0) }),
    let last = line.lastIndex(where: { !isBlank($0) })
  else { return [] }
  return line[first...last]
}

/// Whether a `#` follows a blank, as it would before a comment.
func holdsTrailingComment(_ name: ArraySlice<UInt8>) -> Bool {
  zip(name, name.dropFirst()).contains { isBlank($0) && $1 == UInt8(ascii: "#") }
}
