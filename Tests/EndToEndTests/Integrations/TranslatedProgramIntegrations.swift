import TestSupport
import Testing

/// A program whose code another program translates: breakpoints in it would be part of the translation.
@Suite(.needs(.recording, "valgrind")) struct TranslatedProgramIntegrations {
  static let tools = ["memcheck", "none", "callgrind"]

  private static let built = PreparedFolder<Workshop> { workshop in
    try workshop.write(
      """
      #include <stdio.h>
      #include <stdlib.h>
      #include <unistd.h>
      #include <sys/wait.h>
      int main(void) {
        if (!fork()) _exit(7);
        int status = 0;
        wait(&status);
        printf("%d %s\\n", WEXITSTATUS(status), getenv("HOME") ? "home" : "none");
        return 5;
      }
      """.utf8, "main.c")
    try workshop.must("gcc", ["main.c", "-o", "app"])
  }

  @Test(arguments: tools, [["--all-images"], ["--also", "app"]])
  func aProgramInValgrindRunsAndIsNotRecorded(tool: String, options: [String]) throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      ["record", "--breakpoints", "-o", "t"] + options + [
        "--", "valgrind", "-q", "--tool=\(tool)", "./app",
      ], environment: ["HOME": "/", "TMPDIR": workshop.folder.path])
    #expect(run.status == 5 && run.text == "7 home\n", "\(run.errors)")
    #expect(
      run.errors.contains("-linux: the program that valgrind examines is not recorded: "),
      "\(run.errors)")
    #expect(!run.errors.contains("no process loaded it"), "\(run.errors)")
  }

  @Test(.needs(.x8664Machine), arguments: [[], ["--method", "preload"]])
  func aProgramInValgrindRunsWherePagesAreCounted(options: [String]) throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      ["pages", "-o", "pages.txt"] + options + ["--", "valgrind", "-q", "./app"],
      environment: ["HOME": "/", "TMPDIR": workshop.folder.path])
    #expect(run.status == 5 && run.text.hasSuffix("7 home\n"), "\(run.text) \(run.errors)")
  }
}
