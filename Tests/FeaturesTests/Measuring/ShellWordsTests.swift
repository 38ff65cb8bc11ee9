import Measuring
import Testing

@Suite struct ShellWordsTests {
  @Test(arguments: [
    ("", []), (" \t ", []), ("a", ["a"]), (" a  b\tc\n", ["a", "b", "c"]),
    ("'a b' c", ["a b", "c"]), ("a'b c'd", ["ab cd"]), ("''", [""]), ("\"\"", [""]),
    ("a '' b", ["a", "", "b"]), ("\"a 'b' c\"", ["a 'b' c"]), ("'a \"b\" c'", ["a \"b\" c"]),
    ("a\\ b", ["a b"]), ("\\'a\\\"", ["'a\""]), ("\"a\\\"b\\\\c\\d\"", ["a\"b\\c\\d"]),
    ("'a\\b'", ["a\\b"]), ("'$x|*' \\$y", ["$x|*", "$y"]), ("--x=größe", ["--x=größe"]),
    ("\"\\$x\"", ["$x"]), ("\"a|b\"", ["a|b"]),
  ])
  func wordsArePartedAsInAShell(text: String, words: [String]) throws {
    #expect(try ShellWords.split(text) == words)
  }

  @Test(arguments: [
    ("a 'b", "invalid command: unterminated '''"),
    ("a \"b'", "invalid command: unterminated '\"'"),
    ("a \\", "invalid command: unterminated '\\'"),
    ("a | b", "unsupported '|' in a command: it runs without a shell"),
    ("a > b", "unsupported '>' in a command: it runs without a shell"),
    ("a; b", "unsupported ';' in a command: it runs without a shell"),
    ("a *.c", "unsupported '*' in a command: it runs without a shell"),
    ("a $HOME", "unsupported '$' in a command: it runs without a shell"),
    ("a \"$HOME\"", "unsupported '$' in a command: it runs without a shell"),
    ("`a`", "unsupported '`' in a command: it runs without a shell"),
  ])
  func whatNeedsAShellIsRefused(text: String, message: String) {
    #expect {
      try ShellWords.split(text)
    } throws: {
      "\($0)".hasPrefix("\(text): \(message)")
    }
  }
}
