import OrderFileCommands
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
    ("a 'b", "invalid command: ''' without its end"),
    ("a \"b'", "invalid command: '\"' without its end"),
    ("a \\", "invalid command: '\\' without its end"),
    ("a | b", "unsupported '|' in a command: no shell runs it"),
    ("a > b", "unsupported '>' in a command: no shell runs it"),
    ("a; b", "unsupported ';' in a command: no shell runs it"),
    ("a *.c", "unsupported '*' in a command: no shell runs it"),
    ("a $HOME", "unsupported '$' in a command: no shell runs it"),
    ("a \"$HOME\"", "unsupported '$' in a command: no shell runs it"),
    ("`a`", "unsupported '`' in a command: no shell runs it"),
  ])
  func whatNeedsAShellIsRefused(text: String, message: String) {
    #expect {
      try ShellWords.split(text)
    } throws: {
      "\($0)".hasPrefix("\(text): \(message)")
    }
  }

  @Test func sharesAreReadAsPercentagesAndAsNumbers() {
    #expect(PrecisionOption(argument: "3%")?.share == 0.03)
    #expect(PrecisionOption(argument: "0.5%")?.share == 0.005)
    #expect(PrecisionOption(argument: "0.03")?.share == 0.03)
    for text in ["0", "0%", "1", "100%", "-1%", "nan", "inf%", "", "%", "3 %", "x"] {
      #expect(PrecisionOption(argument: text) == nil, "\(text)")
    }
  }
}
