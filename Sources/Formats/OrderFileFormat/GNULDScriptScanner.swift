import Addresses
import ByteReading

/// A word or sign of a linker script.
enum GNULDToken: Equatable {
  /// A name or a glob, quoted or not: GNU ld 2.40 does not distinguish them after reading.
  case word([UInt8], isQuoted: Bool)
  /// One of `{ } ( ) ;`.
  case sign(UInt8)

  /// Whether this is the unquoted word `text`.
  func isWord(_ text: StaticString) -> Bool {
    self == .word(Array(text.description.utf8), isQuoted: false)
  }
}

/// Splits a linker script into words and signs, and collects its comments.
/// <https://sourceware.org/git/?p=binutils-gdb.git;f=ld/ldlex.l> (the `WILD` state)
struct GNULDScriptScanner {
  private let bytes: FileBytes
  private var position = 0
  private(set) var comments: [OrderFileComment] = []
  /// The line of the token that `next` returned last, from 1.
  private(set) var line = 1
  private(set) var offset = FileOffset(rawValue: 0)
  /// The range of the word that `next` returned last, without quotation marks.
  private(set) var wordRange = 0..<0
  /// The function that is named in the last comment before the token that `next` returned last.
  private(set) var function: CommentedFunction?
  /// The number of the line that contains `position`.
  private var currentLine = 1

  init(_ bytes: FileBytes) { self.bytes = bytes }

  /// Reads the next word or sign; `nil` at the end of the file.
  ///
  /// - Throws: `invalid` for a zero byte, `missing` for an unterminated comment or quotation.
  mutating func next() throws(ParseError) -> GNULDToken? {
    function = nil
    try skipBlanksAndComments()
    markStart()
    guard position < bytes.count else { return nil }
    let byte = bytes[position]
    if isSign(byte) {
      position += 1
      return .sign(byte)
    }
    if byte == UInt8(ascii: "\"") { return .word(try quotation(), isQuoted: true) }
    let start = position
    while position < bytes.count, !endsWord(at: position) { position += 1 }
    wordRange = start..<position
    return .word(bytes.copy(wordRange), isQuoted: false)
  }

  /// Returns an error at the token that `next` returned last.
  func error(_ reason: ParseError.Reason, _ field: String) -> ParseError {
    ParseError(reason, field, at: offset, line: line)
  }

  private mutating func markStart() {
    line = currentLine
    offset = FileOffset(rawValue: UInt64(position))
  }

  private mutating func skipBlanksAndComments() throws(ParseError) {
    while position < bytes.count {
      if isBlank(bytes[position]) {
        if bytes[position] == UInt8(ascii: "\n") { currentLine += 1 }
        position += 1
      } else if bytes.hasPrefix("/*", at: position) {
        try skipComment()
      } else if bytes[position] == 0 {
        markStart()
        throw error(.invalid(expected: "text", found: "a zero byte"), "order file")
      } else {
        return
      }
    }
  }

  private mutating func skipComment() throws(ParseError) {
    markStart()
    let start = position + 2
    var end = start
    while !bytes.hasPrefix("*/", at: end) {
      guard end < bytes.count else { throw error(.missing, "end of comment") }
      if bytes[end] == UInt8(ascii: "\n") { currentLine += 1 }
      end += 1
    }
    guard UInt64(comments.count) < ParsingLimits.orderFileLines else {
      throw error(
        .tooLarge(limit: ParsingLimits.orderFileLines, found: UInt64(comments.count) + 1),
        "order file")
    }
    let text = bytes.copy(start..<end)
    comments.append(OrderFileComment(text: text, line: line))
    let name = OrderFileComment.functionName(
      in: text.last == UInt8(ascii: " ") ? text.dropLast() : text)
    function = name.map {
      CommentedFunction(
        name: Array(text[$0]), range: start + $0.lowerBound..<start + $0.upperBound, line: line)
    }
    position = end + 2
  }

  private mutating func quotation() throws(ParseError) -> [UInt8] {
    let start = position + 1
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\""), in: start..<bytes.count) else {
      throw error(.missing, "closing quotation mark")
    }
    guard bytes.firstIndex(of: 0, in: start..<end) == nil else {
      throw error(.invalid(expected: "text", found: "a zero byte"), "order file")
    }
    wordRange = start..<end
    let text = bytes.copy(wordRange)
    currentLine += text.count { $0 == UInt8(ascii: "\n") }
    position = end + 1
    return text
  }

  private func endsWord(at index: Int) -> Bool {
    let byte = bytes[index]
    return byte == 0 || isBlank(byte) || isSign(byte) || byte == UInt8(ascii: "\"")
  }

  /// `:` and `=` are not signs: unquoted names may contain them, as in `libx.a:x.o`.
  private func isSign(_ byte: UInt8) -> Bool { "{}();".utf8.contains(byte) }
}
