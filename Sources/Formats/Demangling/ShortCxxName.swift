import ByteReading

/// A demangled C++ name without its return type and its parameters: `int app::run<int>(int) const` becomes
/// `app::run<int>`. Parameters of enclosing functions stay, because only they distinguish two lambdas.
///
/// It works on the text, where demanglers differ only in details. A text with an unmatched opening bracket is
/// returned unchanged.
func shortCxxName(_ text: String) -> String {
  var bytes = Array(text.utf8)
  var suffix = ""
  while bytes.last == UInt8(ascii: "]"), let open = firstRange(of: " [clone ", in: bytes) {
    suffix = String(decoding: bytes[open...], as: UTF8.self)
    bytes.removeSubrange(open...)
  }
  if !tellsPartsApart(suffix) { suffix = "" }
  guard let outline = CxxOutline(bytes) else { return text }
  return String(decoding: bytes[outline.name], as: UTF8.self) + suffix
}

/// The place of the name itself within a demangled C++ name.
private struct CxxOutline {
  let name: Range<Int>

  init?(_ text: [UInt8]) {
    var closers: [UInt8] = []
    var start = 0
    var parameters: Int?
    var isOperator = false
    var position = 0
    // The name of a thunk or a table keeps its first words: `vtable for A`, `non-virtual thunk to A::f()`.
    for words in [" for ", " to "] {
      if let found = firstRange(of: words, in: text), !text[..<found].contains(UInt8(ascii: "(")),
        !text[..<found].contains(UInt8(ascii: "<"))
      {
        position = found + words.utf8.count
      }
    }
    let firstWords = position
    while position < text.count {
      let byte = text[position]
      if closers.isEmpty, let end = endOfOperator(text, position) {
        isOperator = true
        parameters = nil
        position = end
        continue
      }
      switch byte {
      case UInt8(ascii: "("):
        // `(anonymous namespace)::f` is a name; `f(int)::{lambda()#1}::operator()() const` has two lists.
        // `decltype(auto)` is a return type.
        if closers.isEmpty, position > 0, text[position - 1] != UInt8(ascii: " "),
          !text[..<position].reversed().starts(with: "decltype".utf8.reversed()),
          text[position - 1] != UInt8(ascii: ":"), position != firstWords
        {
          parameters = position
        }
        closers.append(UInt8(ascii: ")"))
      case UInt8(ascii: "<"): closers.append(UInt8(ascii: ">"))
      case UInt8(ascii: "{"): closers.append(UInt8(ascii: "}"))
      case UInt8(ascii: "["): closers.append(UInt8(ascii: "]"))
      case UInt8(ascii: ")"), UInt8(ascii: ">"), UInt8(ascii: "}"), UInt8(ascii: "]"):
        // The `>` in `->` and in `(4)>(1)` does not close template arguments.
        if byte == UInt8(ascii: ">"),
          closers.last != byte || text[position - 1] == UInt8(ascii: "-")
        {
          break
        }
        guard closers.popLast() == byte else { return nil }
      case UInt8(ascii: ":") where closers.isEmpty:
        // a list of parameters with `::` after it belongs to an enclosing function
        parameters = nil
        isOperator = false
      case UInt8(ascii: " ") where closers.isEmpty && parameters == nil && !isOperator:
        start = position + 1  // the last blank so far may be the end of a return type
      default: break
      }
      position += 1
    }
    guard closers.isEmpty else { return nil }
    if firstWords > 0 { start = 0 }
    name = start..<max(start, parameters ?? text.count)
    if name.isEmpty { return nil }
  }
}

/// The end of `operator` and its symbol, before the parameters; `nil` if there is none at `position`.
private func endOfOperator(_ text: [UInt8], _ position: Int) -> Int? {
  let word = Array("operator".utf8)
  guard text[position...].starts(with: word),
    position == 0 || !isIdentifierByte(text[position - 1])
  else { return nil }
  let end = position + word.count
  guard end < text.count, !isIdentifierByte(text[end]) else { return nil }
  // `operator new[]`, `operator bool`: the name of a conversion may contain brackets.
  if text[end] == UInt8(ascii: " ") { return end + 1 }
  return operators.first { text[end...].starts(with: $0.utf8) }.map { end + $0.utf8.count } ?? end
}

/// The names of operators, the longest first.
private let operators = [
  "<=>", "<<=", ">>=", "->*", "()", "[]", "\"\"", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
  "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "->", "+", "-", "*", "/", "%", "^",
  "&", "|", "~", "!", "=", "<", ">", ",",
]

private func isIdentifierByte(_ byte: UInt8) -> Bool {
  isWordByte(byte) || isDigit(byte) || byte >= 0x80 || byte == UInt8(ascii: "$")
}

/// The index of the first occurrence of `pattern`.
func firstRange(of pattern: String, in text: [UInt8]) -> Int? {
  let pattern = Array(pattern.utf8)
  guard text.count >= pattern.count else { return nil }
  return (0...text.count - pattern.count).first { text[$0...].starts(with: pattern) }
}
