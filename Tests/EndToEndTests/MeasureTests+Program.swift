import Foundation
import TestSupport
import Testing

/// The program that is measured, and the results of measuring it.
extension MeasureTests {
  /// The first argument selects what the program does. Its code has 64 windows of 64 KiB, the size that a fault maps.
  static let program = """
    #define _GNU_SOURCE
    #include <fcntl.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    #define W(n) __attribute__((noinline, aligned(65536))) int window##n(int x) { return x + n; }
    #define W8(n) W(n##0) W(n##1) W(n##2) W(n##3) W(n##4) W(n##5) W(n##6) W(n##7)
    W8(10) W8(11) W8(12) W8(13) W8(14) W8(15) W8(16) W8(17)
    #define N(n) window##n,
    #define N8(n) N(n##0) N(n##1) N(n##2) N(n##3) N(n##4) N(n##5) N(n##6) N(n##7)
    int (*const windows[])(int) = {N8(10) N8(11) N8(12) N8(13) N8(14) N8(15) N8(16) N8(17)};
    static void note(void) {
      int file = open("pids", O_WRONLY | O_CREAT | O_APPEND, 0600);
      dprintf(file, "%d\\n", (int)getpid());
    }
    int main(int n, char **v) {
      const char *what = n > 1 ? v[1] : "";
      if (!strcmp(what, "touch")) {
        int sum = 0;
        for (int i = 0; i < atoi(v[2]); i++) sum += windows[i](i);
        return sum < 0;
      }
      if (!strcmp(what, "exit")) return atoi(v[2]);
      if (!strcmp(what, "work")) for (volatile int i = 0; i < atoi(v[2]) * 1000000; i++) {}
      if (!strcmp(what, "kill")) raise(atoi(v[2]));
      if (!strcmp(what, "say")) fputs("said\\n", stderr);
      if (!strcmp(what, "byte")) return v[2][0] == (char)0xff && !v[2][1] ? 0 : 9;
      if (!strcmp(what, "input")) return getchar() == (n > 2 ? v[2][0] : EOF) ? 0 : 9;
      if (!strcmp(what, "flood")) {
        static char block[1 << 20];
        for (int i = 0; i < 4096; i++) if (write(1, block, sizeof block) < 0) return 9;
      }
      if (!strcmp(what, "wait") || !strcmp(what, "stubborn")) {
        if (what[0] == 's') { signal(SIGTERM, SIG_IGN); signal(SIGINT, SIG_IGN); signal(SIGHUP, SIG_IGN); }
        fork();
        note();
        for (;;) pause();
      }
      if (!strcmp(what, "leave")) {
        int ready[2];
        char byte;
        if (pipe(ready)) return 9;
        if (fork() == 0) {
          if (n > 2) setsid();
          note();
          if (write(ready[1], "", 1) != 1) _exit(9);
          for (;;) pause();
        }
        if (read(ready[0], &byte, 1) != 1) return 9;
      }
      return 0;
    }
    """

  /// A folder with two builds of the program, `a` and `b`.
  static func workshop() throws -> Workshop {
    let workshop = try Workshop(in: DiskFolder.path)
    try workshop.write(Array(program.utf8), "main.c")
    // Not position-independent, so that windows lie in memory as they do in the file.
    try workshop.must("clang", ["-O1", "-no-pie", "-fno-pie", "main.c", "-o", "a"])
    try workshop.must("cp", ["a", "b"])
    return workshop
  }

  static func measure(_ workshop: Workshop, _ arguments: String...) throws -> Run {
    try workshop.orderfile(["measure", "--before", "./a", "--after", "./b"] + arguments)
  }

  /// Returns the measured programs of each state, by the name of the state.
  static func sides(_ json: [String: Any]) -> [String: [[String: Any]]] {
    let states = json["states"] as? [[String: Any]] ?? []
    return Dictionary(
      states.map { ($0["state"] as? String ?? "", $0["sides"] as? [[String: Any]] ?? []) }
    ) { first, _ in first }
  }

  static func figures(_ side: [String: Any], _ key: String) -> [Int] {
    (side["launches"] as? [[String: Any]] ?? []).compactMap { $0[key] as? Int }
  }

  /// Returns the number of processes that have noted that they run.
  static func noted(_ workshop: Workshop) -> Int {
    workshop.text("pids").split(separator: "\n").count
  }
}
