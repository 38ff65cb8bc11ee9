import TestSupport
import Testing

/// `pages` without a method launches a program again if the library can't see all of it.
@Suite(.needs("clang", "ld.lld"), .needs(.x8664Machine)) struct RepeatedPageLaunchTests {
  /// Reads a word, and then executes itself without the library. The exit status is 3 if it could read the word.
  private static let built = PreparedFolder<Workshop> { workshop in
    try workshop.makeApp(
      """
      #include <stdio.h>
      #include <string.h>
      #include <unistd.h>
      int main(int n, char **v) {
        char word[16] = "";
        if (n > 1) return 3;
        if (scanf("%15s", word) != 1 || strcmp(word, "word")) return 5;
        return execve(v[0], (char *[]){v[0], "again", NULL}, (char *[]){NULL});
      }
      """)
    try workshop.write("first\nword\n".utf8, "input")
  }

  private static let again = "orderfile: ./app: launched again with --method ptrace: "
  private static let onlyOnce = "standard input is a pipe or a socket, which can be read only once"

  @Test(arguments: [
    ("{ read -r first; \"$0\" pages -o pages.txt -- ./app; } <input", again),
    ("tail -n 1 input | \"$0\" pages -o pages.txt -- ./app", onlyOnce),
    ("tail -n 1 input | \"$0\" pages --method ptrace -o pages.txt -- ./app", nil),
  ]) func eachLaunchReadsTheSameInput(line: String, note: String?) throws {
    let workshop = try Self.built.copy()
    let run = try workshop.start("sh", ["-c", line, Built.orderfile]).end()
    #expect(run.status == 3)
    #expect(note.map { run.errors.contains($0) } ?? run.errors.isEmpty, "\(run.errors)")
  }
}
