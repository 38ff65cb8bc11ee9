import Foundation
import TestSupport
import Testing

/// The program that is recorded, and the contents of its traces.
extension RecordTests {
  /// The first argument selects what the program does.
  static let program = """
    #define _GNU_SOURCE
    #include <orderfile_runtime.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/wait.h>
    #include <unistd.h>
    __attribute__((noinline)) void work(void) { __asm__ volatile(""); }
    __attribute__((noinline)) void late(void) { __asm__ volatile(""); }
    __attribute__((noinline)) void in_child(void) { __asm__ volatile(""); }
    static void say(const char *text) { fputs(text, stdout); fflush(stdout); }
    int main(int n, char **v) {
      const char *what = n > 1 ? v[1] : "";
      work();
      if (!strcmp(what, "exit")) return atoi(v[2]);
      if (!strcmp(what, "kill")) raise(atoi(v[2]));
      if (!strcmp(what, "abort")) abort();
      if (!strcmp(what, "arguments")) for (int i = 2; i < n; i++) { say(v[i]); say("|"); }
      if (!strcmp(what, "copy")) for (int c; (c = getchar()) != EOF;) putchar(c);
      if (!strcmp(what, "mark")) { orderfile_mark("ready"); late(); }
      if (!strcmp(what, "slow")) { usleep(atoi(v[2]) * 1000); late(); }
      if (!strcmp(what, "wait")) { say("waiting\\n"); for (;;) pause(); }
      if (!strcmp(what, "stubborn")) {
        signal(SIGTERM, SIG_IGN);
        if (fork() == 0) { in_child(); for (;;) pause(); }
        for (;;) pause();
      }
      if (!strcmp(what, "fork")) {
        pid_t child = fork();
        if (child == 0) { in_child(); _exit(0); }
        waitpid(child, NULL, 0);
      }
      if (!strcmp(what, "daemon")) {
        int ready[2];
        char byte;
        if (pipe(ready)) return 9;
        if (fork() == 0) {
          in_child();
          setsid();
          if (write(ready[1], "", 1) != 1) _exit(9);
          while (access("stop", F_OK) != 0) usleep(1000);
          late();
          _exit(0);
        }
        if (read(ready[0], &byte, 1) != 1) return 9;
      }
      if (!strcmp(what, "quiet daemon") && fork() == 0) {
        setsid();
        while (access("stop", F_OK) != 0) usleep(1000);
        late();
        _exit(0);
      }
      return 0;
    }
    """

  /// A folder with the instrumented program `app`.
  static func workshop() throws -> Workshop { try built.copy() }

  private static let built = PreparedFolder<Workshop> { workshop in
    let build = Build(testDescription: "", sources: [("main.c", program)], order: [])
    try workshop.link(build, workshop.compile(build, isRecorded: true), isRecorded: true, as: "app")
    try FileManager.default.removeItem(atPath: workshop.path("main.c"))
    try FileManager.default.removeItem(atPath: workshop.path("main.c.rec.o"))
  }

  /// Returns the names of the functions in a trace, in the order of the trace.
  static func functions(_ workshop: Workshop, in trace: String) throws -> [String] {
    let show = try workshop.mustOrderfile("show", "--json", trace)
    let hits = show.json["hits"] as? [[String: Any]] ?? []
    return hits.compactMap { ($0["names"] as? [String])?.first }
  }

  static func isSealed(_ workshop: Workshop, _ trace: String) throws -> Bool {
    try workshop.mustOrderfile("show", "--json", trace).json["sealed"] as? Bool ?? false
  }
}
