import Addresses
import ByteReading

/// Reads the linker scripts that order functions: output sections that list input sections, inside
/// `SECTIONS { … } INSERT BEFORE …;` or bare, as `--section-ordering-file` of GNU ld 2.43 takes them.
///
///     file       = { "SECTIONS" "{" output* "}" | output | "INSERT" ("BEFORE" | "AFTER") name ";" }
///     output     = name ":" "{" statement* "}"
///     statement  = file-name "(" section-name* ")" [";"]
///
/// Other commands of scripts (`KEEP`, `SORT`, assignments) are `unsupported`: they do not order functions.
/// <https://sourceware.org/binutils/docs/ld/SECTIONS.html>
@Sendable func readGNULD(_ bytes: FileBytes) throws(ParseError) -> OrderFile {
  var reader = GNULDScriptReader(scanner: GNULDScriptScanner(bytes))
  try reader.readFile()
  for comment in reader.scanner.comments { try reader.file.append(comment) }
  return reader.file
}

/// Whether the file begins with `SECTIONS` or with `name :`, not counting comments.
@Sendable func looksLikeGNULD(_ bytes: FileBytes) -> Bool {
  var scanner = GNULDScriptScanner(bytes)
  guard let first = try? scanner.next() else { return false }
  guard case .word(let name, _) = first, let second = try? scanner.next() else { return false }
  if first.isWord("SECTIONS") { return second == .openingBrace }
  return second.isWord(":") || (name.last == UInt8(ascii: ":") && second == .openingBrace)
}

private struct GNULDScriptReader {
  var scanner: GNULDScriptScanner
  var file = OrderFile(dialect: .gnuLD)

  mutating func readFile() throws(ParseError) {
    while let token = try scanner.next() {
      if token.isWord("SECTIONS") {
        try expect(.openingBrace, "'{' after SECTIONS")
        while true {
          let inner = try required("'}' of SECTIONS")
          if inner == .closingBrace { break }
          try readOutput(inner)
        }
      } else if token.isWord("INSERT") {
        _ = try scanner.next()  // BEFORE or AFTER
        _ = try scanner.next()  // the output section
      } else if token != .semicolon {
        try readOutput(token)
      }
    }
  }

  /// Reads one output section, whose name is `first`.
  private mutating func readOutput(_ first: GNULDToken) throws(ParseError) {
    guard case .word(let name, _) = first else { throw unexpected(first, "output section name") }
    if name.last != UInt8(ascii: ":") {
      let colon = try required("output section")
      if colon.isWord("=") { throw scanner.error(.unsupported(found: "assignment"), "SECTIONS") }
      guard colon.isWord(":") else { throw unexpected(colon, "':' after the output section name") }
    }
    try expect(.openingBrace, "'{' of the output section")
    while true {
      let token = try required("'}' of the output section")
      if token == .closingBrace { return }
      if token != .semicolon { try readStatement(token) }
    }
  }

  /// Reads one list of input sections, which begins with the file name `first`.
  private mutating func readStatement(_ first: GNULDToken) throws(ParseError) {
    guard case .word(let fileName, let isQuoted) = first else {
      throw unexpected(first, "input section")
    }
    if !isQuoted, commands.contains(fileName) {
      throw scanner.error(.unsupported(found: text(fileName)), "input section")
    }
    let line = scanner.line
    let function = scanner.function
    try expect(.openingParenthesis, "'(' after the file name")
    let objectFile =
      fileName == [UInt8(ascii: "*")] ? nil : onlyName(matchedBy: fileName) ?? fileName
    var count = 0
    while true {
      let token = try required("')' of the input sections")
      if token == .closingParenthesis { break }
      guard case .word(let glob, let isQuoted) = token else {
        throw unexpected(token, "input section")
      }
      if !isQuoted, commands.contains(glob) {
        throw scanner.error(.unsupported(found: text(glob)), "input section")
      }
      try file.appendSection(
        matching: glob, objectFile: objectFile, line: scanner.line, range: scanner.wordRange,
        of: count == 0 ? function : nil, at: scanner.offset)
      count += 1
    }
    if count > 1 { file.warnings.append(OrderFileWarning(kind: .sectionsTogether, line: line)) }
  }

  private mutating func required(_ field: String) throws(ParseError) -> GNULDToken {
    guard let token = try scanner.next() else { throw scanner.error(.missing, field) }
    return token
  }

  private mutating func expect(_ wanted: GNULDToken, _ field: String) throws(ParseError) {
    let token = try required(field)
    guard token == wanted else { throw unexpected(token, field) }
  }

  private func unexpected(_ token: GNULDToken, _ field: String) -> ParseError {
    let found =
      switch token {
      case .word(let word, _): "'\(text(word))'"
      case .sign(let sign): "'\(text([sign]))'"
      }
    return scanner.error(.invalid(expected: field, found: found), "linker script")
  }
}

/// Words that may precede a parenthesis but are not file names, or not section names within one.
private let commands: Set<[UInt8]> = Set(
  [
    "KEEP", "SORT", "SORT_BY_NAME", "SORT_BY_ALIGNMENT", "SORT_BY_INIT_PRIORITY", "SORT_NONE",
    "REVERSE", "EXCLUDE_FILE", "INPUT_SECTION_FLAGS", "PROVIDE", "PROVIDE_HIDDEN", "HIDDEN",
    "ASSERT", "BYTE", "SHORT", "LONG", "QUAD", "SQUAD", "FILL", "ASCIZ", "INCLUDE",
  ].map { Array($0.utf8) })

/// Returns the beginning of a word, for messages: in a file that is not a script, a word can be very long.
private func text(_ word: [UInt8]) -> String { String(decoding: word.prefix(60), as: UTF8.self) }

extension GNULDToken {
  fileprivate static let openingBrace = sign(UInt8(ascii: "{"))
  fileprivate static let closingBrace = sign(UInt8(ascii: "}"))
  fileprivate static let openingParenthesis = sign(UInt8(ascii: "("))
  fileprivate static let closingParenthesis = sign(UInt8(ascii: ")"))
  fileprivate static let semicolon = sign(UInt8(ascii: ";"))
}
