import Foundation
import TestSupport
import Testing

/// `pages --method preload` must not change how a program's signals, stacks and system calls work.
@Suite(.needs("clang", "ld.lld"), .needs(.x8664Machine)) struct PageHazardTests {
  /// The first argument selects what the program does. The exit status is 3 if all went well.
  static let program = #"""
    #define _GNU_SOURCE
    #include <poll.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/auxv.h>
    #include <sys/epoll.h>
    #include <sys/mman.h>
    #include <sys/select.h>
    #include <sys/syscall.h>
    #include <sys/uio.h>
    #include <ucontext.h>
    #include <unistd.h>
    static volatile sig_atomic_t got;
    static char own[65536] = {1};
    __attribute__((aligned(4096))) static char border[8][8192] = {{1}};
    __attribute__((aligned(4096), noinline)) static int far_away(void) { __asm__ volatile(""); return 1; }
    static void on_signal(int signal) { got = signal; syscall(SYS_getppid); }
    static void fill_mask(int signal, siginfo_t *info, void *context) {
      (void)signal, (void)info;
      sigfillset(&((ucontext_t *)context)->uc_sigmask);
    }
    int main(int n, char **v) {
      const char *what = n > 1 ? v[1] : "";
      struct sigaction action = {.sa_handler = on_signal};
      sigset_t blocked, wanted;
      sigemptyset(&blocked);
      sigaddset(&blocked, SIGUSR1);
      sigfillset(&wanted);
      sigdelset(&wanted, SIGUSR1);
      struct timespec patience = {60, 0};
      if (!strncmp(what, "wait", 4)) {
        /* The signal is pending, and is delivered when the call replaces the mask. */
        sigaction(SIGUSR1, &action, NULL);
        sigprocmask(SIG_BLOCK, &blocked, NULL);
        raise(SIGUSR1);
        struct epoll_event event;
        if (!strcmp(what, "wait sigsuspend")) sigsuspend(&wanted);
        if (!strcmp(what, "wait ppoll")) ppoll(NULL, 0, &patience, &wanted);
        if (!strcmp(what, "wait pselect")) pselect(0, NULL, NULL, NULL, &patience, &wanted);
        if (!strcmp(what, "wait epoll")) epoll_pwait(epoll_create1(0), &event, 1, 60000, &wanted);
        return got == SIGUSR1 ? 3 : 5;
      }
      if (!strcmp(what, "mask of a context")) {
        action.sa_sigaction = fill_mask;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGUSR1, &action, NULL);
        raise(SIGUSR1);
        return far_away() && getppid() ? 3 : 5;
      }
      if (!strcmp(what, "small stack")) {
        size_t size = getauxval(AT_MINSIGSTKSZ) > 2048 ? getauxval(AT_MINSIGSTKSZ) : 2048;
        size_t pages = (size + 4095) & ~4095ul;
        char *memory = mmap(NULL, pages + 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        stack_t stack = {.ss_sp = memory + pages + 4096 - size, .ss_size = size}, found;
        if (sigaltstack(&stack, NULL)) return 6;
        for (int i = 0; i < 10; i++) syscall(SYS_getppid);
        far_away();
        for (char *at = memory; at < (char *)stack.ss_sp; at++) if (*at) return 5;
        return sigaltstack(NULL, &found) || found.ss_sp != stack.ss_sp || found.ss_size != size ? 7 : 3;
      }
      if (!strcmp(what, "stack in data")) {
        stack_t stack = {.ss_sp = own, .ss_size = sizeof own};
        sigaltstack(&stack, NULL);
        action.sa_flags = SA_ONSTACK;
        sigaction(SIGUSR1, &action, NULL);
        raise(SIGUSR1);
        return got ? 3 : 5;
      }
      if (!strcmp(what, "32-bit call")) {
        long result;
        __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory");
        return result == getpid() ? 3 : 5;
      }
      if (!strcmp(what, "borders")) {
        struct iovec vector = {border[4] + 4000, 200};
        int pipes[2], failed = 0;
        if (pipe(pipes) || write(pipes[1], "text", 4) != 4) return 9;
        failed += syscall(SYS_getrusage, 0, border[0] + 4090) < 0;
        failed += syscall(SYS_statfs, "/", border[1] + 4090) < 0;
        failed += syscall(SYS_setitimer, 0, border[2] + 4088, 0) < 0;
        failed += syscall(SYS_select, 1000, border[3] + 4088, 0, 0, (long[]){0, 0}) < 0;
        failed += syscall(SYS_readv, pipes[0], &vector, 1) != 4;
        failed += syscall(SYS_epoll_ctl, epoll_create1(0), EPOLL_CTL_ADD, pipes[0], border[5] + 4090) < 0;
        return failed ? 5 : 3;
      }
      if (!strcmp(what, "again")) return execve(v[0], (char *[]){v[0], "far", NULL}, (char *[]){NULL});
      if (!strcmp(what, "far")) return far_away() ? 3 : 5;
      return 9;
    }
    """#

  private static let built = PreparedFolder<Workshop> { try $0.makeApp(program) }

  @Test(arguments: [
    "wait sigsuspend", "wait ppoll", "wait pselect", "wait epoll", "mask of a context",
    "small stack",
    "stack in data", "borders",
  ]) func aProgramEndsAsWithoutTheTracer(what: String) throws {
    let workshop = try Self.built.copy()
    #expect(try workshop.start("./app", [what]).end().status == 3)
    let run = try workshop.orderfile(
      "pages", "--method", "preload", "-o", "pages.txt", "--", "./app", what)
    #expect(run.status == 3 && run.errors.isEmpty, "\(run.errors)")
  }

  @Test(arguments: [
    ("again", "also ran without the library that counts pages"),
    ("32-bit call", "the program makes system calls of 32 bits"),
  ]) func whatTheLibraryCannotSeeIsCountedFromOutside(what: String, reason: String) throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile("pages", "--json", "-o", "pages.json", "--", "./app", what)
    #expect(run.status == 3)
    #expect(
      run.errors.contains("launched again with --method ptrace") && run.errors.contains(reason))
    let text = String(
      decoding: try Data(contentsOf: URL(fileURLWithPath: workshop.path("pages.json"))),
      as: UTF8.self)
    #expect(text.contains("\"ptrace\""))
  }

  /// The situation is that of a container without the right to trace.
  @Test func whereNothingCanBeTracedTheHintSaysHowToAllowIt() throws {
    let workshop = try Self.built.copy()
    try AutoProject.buildUntraced(in: workshop)
    let run = try workshop.start(
      "untraced", [Built.orderfile, "pages", "-o", "pages.txt", "--", "./app", "again"]
    ).end()
    #expect(
      run.errors.contains("so these pages are missing\n  hint: allow ptrace: sysctl "),
      "\(run.errors)")
    let chosen = try workshop.orderfile(
      "pages", "--method", "preload", "-o", "pages.txt", "--", "./app", "again")
    #expect(
      chosen.errors.contains("so these pages are missing\n  hint: try --method ptrace"),
      "\(chosen.errors)")
  }

  @Test func resolversCount() throws {
    let workshop = try Workshop()
    let source = """
      static int impl(void) { return 3; }
      static void *resolve(void) { __asm__ volatile(""); return impl; }
      int chosen(void) __attribute__((ifunc("resolve")));
      int main(void) { return chosen(); }
      """
    try workshop.write(source.utf8, "main.c")
    try workshop.must("clang", ["-O1", "-fuse-ld=lld", "-Wl,--build-id", "main.c", "-o", "app"])
    let run = try workshop.orderfile("pages", "--json", "-o", "pages.json", "--", "./app")
    #expect(run.status == 3 && run.errors.contains("(ifunc)"), "\(run.errors)")
  }
}
