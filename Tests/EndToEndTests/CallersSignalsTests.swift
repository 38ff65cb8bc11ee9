import TestSupport
import Testing

/// Programs inherit ignored and blocked signals. Each command must launch its program to the end, whatever
/// signals the caller ignores or blocks, and the program must inherit the caller's signals.
@Suite(.needs("clang", "ld.lld")) struct CallersSignalsTests {
  /// `app ignore N COMMAND...` and `app block N COMMAND...` run a command with a signal ignored or blocked; `app` alone
  /// writes the ignored and blocked signals to `notes`.
  private static let program = """
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    int main(int n, char **v) {
      sigset_t blocked;
      sigemptyset(&blocked);
      if (n > 3) {
        sigaddset(&blocked, atoi(v[2]));
        if (!strcmp(v[1], "ignore")) signal(atoi(v[2]), SIG_IGN);
        else sigprocmask(SIG_BLOCK, &blocked, 0);
        execv(v[3], v + 3);
        return 9;
      }
      sigprocmask(SIG_BLOCK, 0, &blocked);
      FILE *notes = fopen("notes", "a");
      for (int i = 1; i < 32; i++) {
        struct sigaction action;
        if (sigaction(i, 0, &action) == 0 && action.sa_handler == SIG_IGN) fprintf(notes, "ignore %d ", i);
        if (sigismember(&blocked, i) == 1) fprintf(notes, "block %d ", i);
      }
      fputc('\\n', notes);
      return 0;
    }
    """

  private static let built = PreparedFolder<Workshop> { workshop in
    try workshop.write(program.utf8, "app.c")
    try workshop.must(
      "clang", ["-O1", "-fuse-ld=lld", "-Wl,--build-id", "app.c", "-o", "app"])
  }

  private static let commands = [
    ["record", "--breakpoints", "-o", "t", "--", "./app"],
    ["pages", "--method", "preload", "-o", "p", "--", "./app"],
    ["pages", "--method", "ptrace", "-o", "p", "--", "./app"],
    ["stages", "--runs", "2", "-o", "s", "--", "./app"],
    ["measure", "--warm", "--runs", "2", "--before", "./app", "--after", "./app"],
  ]

  /// Signals by number, ascending. Some servers and containers ignore SIGCHLD (17), nohup and scripts in the
  /// background ignore 1 to 3, Python ignores SIGPIPE (13), and waiting shells block signals.
  private static let setups = [
    ["ignore 17"], ["ignore 1", "ignore 2", "ignore 3"], ["ignore 13"],
    ["block 10", "block 17"], ["block 15", "ignore 17"],
  ]

  @Test(arguments: commands, setups)
  func theProgramGetsTheSignalsOfTheCaller(command: [String], setup: [String]) throws {
    try Self.check(command, setup)
  }

  @Test(.needs(.faultEvents), arguments: setups)
  func aLaunchWhoseFaultsAreListedGetsTheSignalsOfTheCaller(setup: [String]) throws {
    try Self.check(["faults", "-o", "f", "--", "./app"], setup)
  }

  private static func check(_ command: [String], _ setup: [String]) throws {
    let workshop = try built.copy()
    let caller = setup.flatMap {
      ["\(workshop.path("app"))"] + $0.split(separator: " ").map(String.init)
    }
    let words = caller + [Built.orderfile] + command
    let run = try workshop.start(words[0], Array(words.dropFirst())).end()
    #expect(run.status == 0, "\(command) with \(setup): \(run.errors)")
    let notes = Set(workshop.text("notes").split(separator: "\n").map(String.init))
    #expect(notes == [setup.joined(separator: " ") + " "], "\(command)")
  }
}
