import Foundation
import TestSupport
import Testing

/// A program that QEMU's emulator runs, and the contents of its trace.
enum QEMUWorkshop {
  /// A program with a function of which half runs, a function that is never called, and a function that a thread runs.
  static let source = """
    #include <pthread.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/resource.h>
    #include <sys/wait.h>
    #include <unistd.h>
    #define ALONE __attribute__((noinline, noipa))
    ALONE int half(int n) { return n > 5 ? puts("many") + puts("words") : n + 1; }
    ALONE int never(int n) { return n * 3; }
    ALONE int of_child(int n) { return n * 7; }
    ALONE void *of_thread(void *n) { return (char *)n + half(7); }
    ALONE void handler(int n) { (void)n; }
    ALONE int last(int n) { return n + 2; }
    int main(int n, char **v) {
      const char *what = n > 1 ? v[1] : "";
      half(n);
      if (n > 5) never(n);
      if (!strcmp(what, "fork without a file")) setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
      if (!strncmp(what, "fork", 4)) {
        if (!fork()) _exit(of_child(n) != 14);
        wait(NULL);
      } else if (!strcmp(what, "exec")) {
        if (!fork()) execlp(v[2], v[2], "child", NULL);
        wait(NULL);
      } else if (!strcmp(what, "thread")) {
        pthread_t thread;
        pthread_create(&thread, NULL, of_thread, v);
        pthread_join(thread, NULL);
      } else if (!strcmp(what, "signal")) {
        signal(SIGUSR1, handler);
        raise(SIGUSR1);
      } else if (!strcmp(what, "crash")) {
        raise(SIGSEGV);
      } else if (!strcmp(what, "wait")) {
        puts("waiting");
        fflush(stdout);
        for (;;) pause();
      } else if (!strcmp(what, "echo")) {
        int c;
        while ((c = getchar()) >= 0) putchar(c);
        fputs("complaint", stderr);
        return 3;
      }
      return last(n) < 0;
    }
    """

  static func workshop(
    _ compiler: String = "gcc", _ flags: [String] = []
  ) throws -> Workshop {
    let workshop = try Workshop()
    try workshop.write(source.utf8, "main.c")
    try workshop.must(
      compiler, ["-O1", "-g0", "-Wl,--build-id", "main.c", "-o", "app", "-pthread"] + flags)
    return workshop
  }

  static func record(
    _ workshop: Workshop, options: [String] = [], _ arguments: String..., input: [UInt8] = []
  ) throws -> Run {
    try workshop.orderfile(
      ["record", "--qemu", "-o", "t"] + options + ["--", "./app"] + arguments, input: input)
  }

  static func number(_ text: Any?) -> UInt64 {
    (text as? String).flatMap { UInt64($0.dropFirst(2), radix: 16) } ?? .max
  }

  /// Returns the functions of a trace, by their entries, and its blocks, both in the order of first uses.
  static func uses(
    _ workshop: Workshop, in trace: String = "t"
  ) throws -> (entries: [UInt64], blocks: [Range<UInt64>]) {
    let json = try workshop.mustOrderfile("show", "--json", trace).json
    let hits = try #require(json["hits"] as? [[String: Any]])
    let blocks = try #require(json["blocks"] as? [[String: Any]])
    return (
      hits.map { number($0["entry"]) },
      blocks.map {
        let start = number($0["address"])
        return start..<start + UInt64($0["sizeBytes"] as? Int ?? 0)
      }
    )
  }

  static func names(_ workshop: Workshop, in trace: String = "t") throws -> [String] {
    let json = try workshop.mustOrderfile("show", "--json", trace).json
    return try #require(json["hits"] as? [[String: Any]]).flatMap {
      $0["names"] as? [String] ?? []
    }
  }
}
