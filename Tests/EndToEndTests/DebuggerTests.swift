import TestSupport
import Testing

/// A launch that is recorded with breakpoints, or whose pages are counted, may contain debuggers.
@Suite(.needs(.recording)) struct DebuggerTests {
  /// A program that traces its own child. The first argument says how the program becomes the tracer.
  private static let program = """
    #define _GNU_SOURCE
    #include <pthread.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/ptrace.h>
    #include <sys/syscall.h>
    #include <sys/wait.h>
    #include <unistd.h>
    #define FUNCTION(name) __attribute__((noinline)) int name(int n) { __asm__ volatile(""); return n + 1; }
    FUNCTION(early) FUNCTION(in_child) FUNCTION(in_thread) FUNCTION(late) FUNCTION(unused)
    static volatile int is_over;
    static void *other(void *unused) {
      (void)unused;
      in_thread(1);
      while (!is_over) pause();
      return NULL;
    }
    static void wake(int signal) { (void)signal; is_over = 1; }
    /* Whether the code of the stopped child has a breakpoint that is not its own. */
    static int is_changed(pid_t child, int (*function)(int)) {
      long word = ptrace(PTRACE_PEEKTEXT, child, function, 0);
    #if defined(__x86_64__)
      return (word & 0xff) == 0xcc;
    #else
      return (unsigned)word == 0xd4200000;
    #endif
    }
    static int wait_for(pid_t child) { int status = 0; waitpid(child, &status, __WALL); return status; }
    int main(int argc, char **v) {
      const char *what = argc > 1 ? v[1] : "";
      if (!strcmp(what, "executed")) return in_child(2);
      early(1);
      int is_seized = strstr(what, "seized") != NULL;
      pid_t child;
      if (!strncmp(what, "traced", 6)) {
        child = strstr(what, "vfork") ? vfork() : fork();
        if (child == 0) {
          if (strstr(what, "system call") ? syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0) : ptrace(PTRACE_TRACEME, 0, 0, 0))
            _exit(20);
          if (!strstr(what, "executing")) _exit(in_child(5));
          execl("/proc/self/exe", v[0], "executed", NULL);
          _exit(21);
        }
      } else {
        int ends[2];
        char byte;
        if (pipe(ends)) return 9;
        child = fork();
        if (child == 0) {
          signal(SIGUSR1, wake);
          pthread_t thread;
          if (strstr(what, "threads")) pthread_create(&thread, NULL, other, NULL);
          if (strstr(what, "stopped")) raise(SIGSTOP);
          if (write(ends[1], "x", 1) != 1) _exit(22);
          while (!is_over) usleep(1000);
          _exit(in_child(5));
        }
        if (strstr(what, "stopped")) {
          int status;
          waitpid(child, &status, WUNTRACED);
          printf("stopped %d ", WIFSTOPPED(status));
        } else if (read(ends[0], &byte, 1) != 1) return 9;
        long failed = is_seized ? ptrace(PTRACE_SEIZE, child, 0, 0) : ptrace(PTRACE_ATTACH, child, 0, 0);
        if (failed) { perror("ptrace"); kill(child, SIGKILL); wait_for(child); return 10; }
        if (is_seized) ptrace(PTRACE_INTERRUPT, child, 0, 0);
        int status = wait_for(child);
        printf("%d changed %d ", WIFSTOPPED(status), is_changed(child, unused));
        if (strstr(what, "stopped")) kill(child, SIGCONT);
        kill(child, SIGUSR1);
        if (is_seized || strstr(what, "stopped")) {
          ptrace(PTRACE_DETACH, child, 0, 0);
          kill(child, SIGCONT);
        } else ptrace(PTRACE_CONT, child, 0, 0);
      }
      int end;
      while ((end = wait_for(child)), WIFSTOPPED(end)) {
        /* Any thread may get SIGUSR1, also one that is not traced. */
        if (WSTOPSIG(end) != SIGUSR1) printf("%d ", WSTOPSIG(end));
        ptrace(PTRACE_CONT, child, 0, WSTOPSIG(end) == SIGTRAP ? 0 : WSTOPSIG(end));
      }
      printf("child %d ", WEXITSTATUS(end));
      int status;
      pid_t last = fork();
      if (last == 0) _exit(late(6));
      waitpid(last, &status, 0);
      printf("%d\\n", WEXITSTATUS(status));
      return late(2);
    }
    """

  static let built = PreparedFolder<Workshop> { workshop in
    try workshop.write(program.utf8, "main.c")
    try workshop.must(
      "clang", ["-O1", "-w", "-fuse-ld=lld", "-Wl,--build-id", "main.c", "-o", "app", "-lpthread"])
  }

  func record(_ workshop: Workshop, _ options: [String], _ command: [String]) throws -> Run {
    try workshop.orderfile(["record", "--breakpoints", "-o", "t"] + options + ["--"] + command)
  }

  private func functions(_ workshop: Workshop, in trace: String) throws -> [String] {
    let own: Set = ["early", "in_child", "in_thread", "late", "unused"]
    return try RecordTests.functions(workshop, in: trace).filter { own.contains($0) }
  }

  static let warning = "the program traces another process of the launch"

  @Test(
    arguments: [
      "traced, fork", "traced, vfork", "traced, fork, system call", "traced, vfork, executing",
      "traced, fork, executing", "attached", "attached, threads", "attached, stopped", "seized",
      "seized, threads", "seized, stopped",
    ], [[], ["--all-images"]])
  func aDebuggerInTheLaunchDoesWhatItDoesAlone(what: String, options: [String]) throws {
    let workshop = try Self.built.copy()
    let plain = try workshop.start("./app", [what]).end()
    let run = try record(workshop, options, ["./app", what])
    #expect(plain.status == 3 && plain.text.hasSuffix("7\n"), "\(plain.text) \(plain.errors)")
    #expect(run.text == plain.text && run.status == plain.status, "\(run.text) \(run.errors)")
    #expect(run.errors.contains("/app: \(Self.warning)"), "\(run.errors)")
    // The functions that the debugger ran after it had started its child are recorded, too.
    #expect(try functions(workshop, in: "t") == ["early", "late"])
  }

  /// Before strace starts the program, it tests the kernel with children of its own.
  @Test(.needs("strace"), arguments: [[], ["-f"], ["-D"]])
  func straceInTheLaunchPrintsWhatItPrintsAlone(options: [String]) throws {
    let workshop = try Self.built.copy()
    let script =
      "strace \(options.joined(separator: " ")) -o log ./app executed; echo $?; ./app executed"
    let plain = try workshop.start("sh", ["-c", script]).end()
    #expect(plain.text == "3\n" && plain.status == 3, "\(plain.errors)")
    let run = try record(workshop, ["--also", "app"], ["sh", "-c", script])
    #expect(run.text == plain.text && run.status == plain.status, "\(run.text) \(run.errors)")
    #expect(run.errors.contains("/strace: \(Self.warning)"), "\(run.errors)")
    #expect(try workshop.must("cat", ["log"]).text.contains("exit_group(3)"))
    let traces = workshop.fileNames.filter { $0 == "t" || $0.hasPrefix("t.") }
    let uses = try traces.map { try functions(workshop, in: $0) }.filter { !$0.isEmpty }
    #expect(uses == [["in_child"]])
  }

  private static let debuggers = [
    "./app 'traced, fork'", "./app 'traced, vfork'", "./app 'traced, fork, executing'",
    "./app seized", "strace -o log ./app executed", "strace -D -o log ./app executed",
    "strace -f -o log sh -c './app executed; ./app executed'; ./app executed",
  ]
  /// Debuggers that attach are tested only with `ptrace`: with `preload` they see a SIGSYS for each system call of the process.
  private static let countedDebuggers =
    PagesTests.methods.flatMap { method in debuggers.map { (method, $0) } }
    + ["./app attached", "./app 'attached, threads'"].map { ("ptrace", $0) }

  /// No page of a program in a debugger is seen.
  @Test(.needs("strace"), arguments: countedDebuggers)
  func aDebuggerDoesWhatItDoesAloneWherePagesAreCounted(method: String, script: String) throws {
    let workshop = try Self.built.copy()
    let plain = try workshop.start("sh", ["-c", script]).end()
    #expect(plain.status == 3, "\(plain.text) \(plain.errors)")
    let run = try workshop.orderfile(
      "pages", "--method", method, "--also", "app", "-o", "pages.txt", "--", "sh", "-c",
      "(\(script)); echo $?")
    #expect(run.text == plain.text + "3\n" && run.status == 1, "\(run.text) \(run.errors)")
    #expect(run.errors.contains("another process, such as a debugger"), "\(run.errors)")
  }
}
