import ImageModel

/// Splits a command line into words as a shell does. Variables and patterns are not expanded.
package enum ShellWords {
  /// Splits `text` at blanks. In single quotes every character is literal. A backslash makes the next character
  /// literal; in double quotes it does so only before `"`, `\`, `$` and a backquote.
  ///
  /// - Throws: for an unterminated quote, and for characters with another meaning in a shell, because no shell runs the
  ///   command.
  package static func split(_ text: String) throws(Diagnostic) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var rest = text[...]
    while let character = rest.popFirst() {
      switch (character, quote) {
      case (quote, _?): quote = nil
      case (_, "'"): word = (word ?? "") + String(character)
      case ("\\", "\""):
        let isEscape = rest.first.map { "\"\\$`".contains($0) } ?? false
        word = (word ?? "") + String(isEscape ? rest.removeFirst() : character)
      case ("\\", nil):
        guard let next = rest.popFirst() else { throw incomplete("\\", text) }
        word = (word ?? "") + String(next)
      case ("'", nil), ("\"", nil):
        quote = character
        word = word ?? ""
      case (" ", nil), ("\t", nil), ("\n", nil):
        if let complete = word { words.append(complete) }
        word = nil
      case ("$", _), ("`", _): throw shellNeeded(character, text)
      case (_, nil) where "|&;<>()*?[".contains(character):
        throw shellNeeded(character, text)
      default: word = (word ?? "") + String(character)
      }
    }
    if let quote { throw incomplete(quote, text) }
    if let word { words.append(word) }
    return words
  }

  private static func incomplete(_ character: Character, _ text: String) -> Diagnostic {
    Diagnostic("invalid command: unterminated '\(character)'", context: [text])
  }

  private static func shellNeeded(_ character: Character, _ text: String) -> Diagnostic {
    Diagnostic(
      "unsupported '\(character)' in a command: it runs without a shell", context: [text],
      hint: "put it in single quotes if it is literal; else use sh -c '…'")
  }
}
