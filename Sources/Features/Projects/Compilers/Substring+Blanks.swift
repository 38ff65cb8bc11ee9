extension Substring {
  /// The text without the blanks and tabs at both ends.
  var withoutBlanksAround: String {
    var text = drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" || text.last == "\r" { text.removeLast() }
    return String(text)
  }
}
