import Foundation
import TestSupport
import Testing

/// `--timeout` works alike in every command that launches a program: the program and the processes that it started get
/// SIGTERM, and SIGKILL 2 s later.
@Suite(.needs(.recording)) struct TimeLimitTests {
  /// The program and its child note that they have begun, and that they got SIGTERM. The program ends when both got
  /// SIGTERM, and the child stays.
  private static let program = """
    #include <fcntl.h>
    #include <signal.h>
    #include <string.h>
    #include <unistd.h>
    __attribute__((noinline)) void note(const char *text) {
      int file = open("notes", O_WRONLY | O_CREAT | O_APPEND, 0600);
      if (write(file, text, strlen(text)) < 0) _exit(9);
      close(file);
    }
    static const char *own;
    static int told[2];
    static void end(int signal) {
      char byte = 0;
      (void)signal;
      note(own);
      if (own[0] == 'p') _exit(read(told[0], &byte, 1) == 1 ? 0 : 9);
      if (write(told[1], &byte, 1) != 1) _exit(9);
    }
    int main(void) {
      if (pipe(told)) return 9;
      own = fork() == 0 ? "child told\\n" : "parent told\\n";
      signal(SIGTERM, end);
      note(own[0] == 'c' ? "child began\\n" : "parent began\\n");
      for (;;) pause();
    }
    """

  static let commands: [(words: [String], command: [String])] = [
    (["record", "-o", "t"], ["--", "./app"]),
    (["record", "--breakpoints", "-o", "t"], ["--", "./app"]),
    (["pages", "--method", "preload"], ["--", "./app"]),
    (["pages", "--method", "ptrace"], ["--", "./app"]),
    (["measure", "--before", "./app", "--after", "./app"], []),
    (
      ["refine", "--order", "app.order", "--image", "app", "--relink", "cp kept app"],
      ["--", "./app"]
    ),
  ]

  @Test(arguments: commands.indices)
  func theProgramAndItsChildrenAreToldBeforeTheyAreKilled(index: Int) throws {
    let (words, command) = Self.commands[index]
    let workshop = try Workshop()
    try workshop.write(Self.program.utf8, "app.c")
    try workshop.must(
      "clang",
      [
        "-O1", "-ffunction-sections", "-fsanitize-coverage=func,trace-pc-guard,pc-table", "-c",
        "app.c", "-o", "app.o",
      ])
    try workshop.must(
      "clang",
      ["-fuse-ld=lld", "-Wl,--build-id", "app.o", try #require(Built.recorder), "-o", "app"])
    try workshop.must("cp", ["app", "kept"])
    try workshop.write("main\nnote\n".utf8, "app.order")
    try withGrowingTime(from: 500) { milliseconds in
      let seconds = Double(milliseconds) / 1000
      try workshop.write([], "notes")
      let running = try workshop.start(
        Built.orderfile, words + ["--timeout", "\(seconds)"] + command)
      let run = running.endAlone()
      #expect(running.leavesNothing())
      let notes = Set(workshop.text("notes").split(separator: "\n").map(String.init))
      guard notes.isSuperset(of: ["parent began", "child began"]) else { return false }
      #expect(notes.contains("parent told") && notes.contains("child told"), "\(words): \(notes)")
      #expect(
        run.errors.contains("./app: the program ran longer than \(seconds) s and was ended"),
        "\(run.errors)")
      // A part of a launch can be recorded and counted, but not timed or compared.
      #expect(run.status == (["measure", "refine"].contains(words[0]) ? 1 : 0))
      return true
    }
  }
}
