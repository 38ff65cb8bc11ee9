import Foundation
import TestSupport
import Testing

/// `pages` must not change what a program's system calls and signals do.
@Suite(.needs("clang", "ld.lld"), .needs(.x8664Machine)) struct PageCallTests {
  /// The first argument selects what the program does. The exit status is 3 if all went well.
  static let program = #"""
    #define _GNU_SOURCE
    #include <errno.h>
    #include <fcntl.h>
    #include <sched.h>
    #include <setjmp.h>
    #include <signal.h>
    #include <stdint.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/auxv.h>
    #include <sys/ipc.h>
    #include <sys/mman.h>
    #include <sys/prctl.h>
    #include <sys/ptrace.h>
    #include <sys/sem.h>
    #include <sys/syscall.h>
    #include <sys/time.h>
    #include <sys/wait.h>
    #include <unistd.h>
    #define F(n) __attribute__((aligned(4096), noinline)) int f##n(int x) { __asm__ volatile(""); return x + n; }
    F(1) F(2) F(3) F(4)
    static char data[8][4096] __attribute__((aligned(4096))) = {{1}};
    static volatile int sink;
    static volatile sig_atomic_t count;
    static sigjmp_buf out;
    static void touch_all(void) {
      sink = f1(1) + f2(1) + f3(1) + f4(1);
      for (int i = 0; i < 8; i++) data[i][5]++;
    }
    static void fault_again(int signal) {
      if (write(1, "handler ", 8) == 8) *(volatile int *)0 = signal;
    }
    static void note(int signal) { count += signal > 0; }
    static void jump(int signal) { count += signal > 0; siglongjmp(out, 1); }
    static int recurse(int n) {
      volatile char frame[512];
      frame[n & 511] = 1;
      return recurse(n + 1) + frame[0];
    }
    static void handle(int signal, void (*handler)(int), int flags) {
      struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
      sigaction(signal, &action, NULL);
    }
    static int status_of(pid_t child) {
      int status;
      return waitpid(child, &status, __WALL) == child ? status : -1;
    }
    static char state_of(pid_t process) {
      char path[64], text[256] = "";
      snprintf(path, sizeof path, "/proc/%d/stat", process);
      int file = open(path, O_RDONLY);
      if (read(file, text, sizeof text - 1) <= 0) return 0;
      close(file);
      return strrchr(text, ')')[2];
    }
    int main(int n, char **v) {
      const char *what = n > 1 ? v[1] : "";
      char *text = (char *)((uintptr_t)f1 & ~4095ul);
      if (!strcmp(what, "touch")) { touch_all(); return 3; }
      if (!strcmp(what, "faulting handler")) {
        handle(SIGSEGV, fault_again, 0);
        *(volatile int *)0 = 1;
      }
      if (!strcmp(what, "fault while blocked")) {
        sigset_t all;
        sigfillset(&all);
        handle(SIGSEGV, fault_again, 0);
        sigprocmask(SIG_SETMASK, &all, NULL);
        f2(1);
        *(volatile int *)0 = 1;
      }
      if (!strcmp(what, "stack overflows")) {
        size_t size = getauxval(AT_MINSIGSTKSZ) + 4096;
        stack_t stack = {.ss_sp = malloc(size), .ss_size = size};
        if (sigaltstack(&stack, NULL)) return 8;
        handle(SIGSEGV, jump, SA_ONSTACK);
        for (volatile int i = 0; i < 4; i++) if (!sigsetjmp(out, 1)) recurse(0);
        return count == 4 ? 3 : 5;
      }
      if (!strcmp(what, "calls that fail")) {
        int done = 0;
        done += munmap(text + 1, 4096) == 0;
        done += munmap(text, 0) == 0;
        done += mmap(text, 4 * 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED, -1, 0) != MAP_FAILED;
        done += mmap(data[0], 8 * 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED, 1000000, 0) != MAP_FAILED;
        done += mmap(text, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | 0x100000, -1, 0) != MAP_FAILED;
        done += mremap(text, 4096, 4096, 0x80) != MAP_FAILED;
        done += mremap(text, 4096, 1ul << 46, 0) != MAP_FAILED;
        touch_all();
        return done ? 5 : 3;
      }
      if (!strcmp(what, "text moved over")) {
        size_t size = 2 * 4096;
        char *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memcpy(copy, text, size);
        mprotect(copy, size, PROT_READ | PROT_WRITE | PROT_EXEC);
        if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, text) == MAP_FAILED) return 8;
        touch_all();
        text[200] = 1;
        return 3;
      }
      if (!strcmp(what, "data moved away")) {
        char *new = mremap(data[2], 2 * 4096, 2 * 4096, MREMAP_MAYMOVE | MREMAP_FIXED,
                           mmap(NULL, 2 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (new == MAP_FAILED) return 8;
        new[5000] = 1;
        f1(1);
        return new[0] == 0 ? 3 : 5;
      }
      if (!strcmp(what, "blocked signals")) {
        sigset_t ours, old, pending;
        sigemptyset(&ours);
        sigaddset(&ours, SIGSEGV);
        sigaddset(&ours, SIGSYS);
        handle(SIGSEGV, note, 0);
        handle(SIGSYS, note, 0);
        sigprocmask(SIG_BLOCK, &ours, NULL);
        raise(SIGSEGV);
        raise(SIGSYS);
        touch_all();
        sigprocmask(SIG_BLOCK, NULL, &old);
        sigpending(&pending);
        if (count || !sigismember(&old, SIGSEGV) || !sigismember(&old, SIGSYS)) return 5;
        if (!sigismember(&pending, SIGSEGV) || !sigismember(&pending, SIGSYS)) return 6;
        sigprocmask(SIG_UNBLOCK, &ours, NULL);
        return count == 2 ? 3 : 7;
      }
      if (!strcmp(what, "waits with all signals blocked")) {
        sigset_t all, none, now;
        struct timeval soon = {0, 100000};
        sigfillset(&all);
        sigemptyset(&none);
        handle(SIGALRM, note, 0);
        sigprocmask(SIG_SETMASK, &all, NULL);
        setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, soon}, NULL);
        sigsuspend(&none);
        touch_all();
        if (count != 1 || sigprocmask(SIG_BLOCK, NULL, &now) || !sigismember(&now, SIGALRM)) return 5;
        return sigismember(&now, SIGSEGV) ? 3 : 6;
      }
      if (!strcmp(what, "fast timer")) {
        struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
        handle(SIGALRM, note, SA_RESTART);
        setitimer(ITIMER_REAL, &often, NULL);
        for (int i = 0; i < 100 || count < 3; i++) syscall(SYS_getppid);
        setitimer(ITIMER_REAL, &never, NULL);
        return 3;
      }
      if (!strcmp(what, "no new code")) {
        if (prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0)) puts("unknown");
        touch_all();
        return 3;
      }
      if (!strcmp(what, "no new code, inherited")) {
        if (prctl(65, 1, 0, 0, 0)) puts("unknown");
        return execl("/proc/self/exe", v[0], "touch", (char *)NULL);
      }
      if (!strcmp(what, "sealed")) {
        if (syscall(462 /* mseal */, text, 4096, 0)) puts("unknown");
        touch_all();
        return 3;
      }
      if (!strcmp(what, "traced child")) {
        pid_t child = fork();
        if (child == 0) {
          if (ptrace(PTRACE_TRACEME, 0, 0, 0)) _exit(8);
          execl("/proc/self/exe", v[0], "touch", (char *)NULL);
        }
        if (status_of(child) != (SIGTRAP << 8 | 0x7f)) return 7;
        ptrace(PTRACE_CONT, child, 0, 0);
        return status_of(child) == 0x300 ? 3 : 5;
      }
      if (!strcmp(what, "attached child")) {
        pid_t child = fork();
        if (child == 0) for (;;) pause();
        /* A debugger would see the signals that `pages` sends before the process sleeps. */
        while (state_of(child) != 'S') sched_yield();
        if (ptrace(PTRACE_ATTACH, child, 0, 0)) return 8;
        if (status_of(child) != (SIGSTOP << 8 | 0x7f)) return 7;
        kill(child, SIGKILL);
        return status_of(child) == SIGKILL ? 3 : 5;
      }
      if (!strcmp(what, "semaphores")) {
        int semaphores = semget(IPC_PRIVATE, 500, 0600);
        touch_all();
        static unsigned short values[4096 * 2] __attribute__((aligned(4096))) = {1};
        int error = syscall(SYS_semctl, semaphores, 0, GETALL, values + 4096 / 2 * 2 - 100);
        semctl(semaphores, 0, IPC_RMID);
        return error ? 5 : 3;
      }
      if (!strcmp(what, "numbers of prctl")) {
        /* PR_SET_SHADOW_STACK_STATUS, PR_LOCK_SHADOW_STACK_STATUS, PR_TIMER_CREATE_RESTORE_IDS, PR_FUTEX_HASH, PR_SET_PTRACER */
        static const long calls[][2] = {{75, 0}, {76, 0}, {77, 2}, {78, 2}, {0x59616d61, 0}};
        for (int i = 0; i < 5; i++) syscall(SYS_prctl, calls[i][0], calls[i][1], 0, 0, 0);
        touch_all();
        return 3;
      }
      if (!strcmp(what, "io_uring")) {
        char parameters[120] = {0};
        syscall(425, 4, parameters);
        touch_all();
        return 3;
      }
      return 9;
    }
    """#

  private static let built = PreparedFolder<Workshop> { try $0.makeApp(program) }

  @Test(
    arguments: [
      "faulting handler", "fault while blocked", "stack overflows", "calls that fail",
      "text moved over", "data moved away", "blocked signals", "fast timer", "semaphores",
      "io_uring", "numbers of prctl", "waits with all signals blocked",
    ], PagesTests.methods)
  func aProgramEndsAsItDoesAlone(what: String, method: String) throws {
    let workshop = try Self.built.copy()
    let plain = try workshop.start("./app", [what]).end()
    let run = try workshop.orderfile(
      "pages", "--method", method, "-o", "pages.txt", "--", "./app", what)
    #expect(run.status == (what.contains("fault") ? 128 + SIGSEGV : 3), "\(run.errors)")
    #expect(run.text == plain.text)
    #expect(run.errors.isEmpty || what == "semaphores" || what == "io_uring", "\(run.errors)")
  }

  /// The program does the same as alone, but its pages can't be counted any more. Linux before 6.10 lacks some of the calls.
  @Test(
    arguments: [
      ("no new code", "Permission denied"), ("no new code, inherited", "Permission denied"),
      ("sealed", "Operation not permitted"),
      ("traced child", "another process, such as a debugger"),
      ("attached child", "another process, such as a debugger"),
    ], PagesTests.methods)
  func aProgramThatCannotBeWatchedIsLeftAlone(
    launch: (what: String, reason: String), method: String
  ) throws {
    let workshop = try Self.built.copy()
    let script = "./app '\(launch.what)'; echo status $?"
    let plain = try workshop.start("sh", ["-c", script]).end()
    #expect(plain.text.hasSuffix("status 3\n"))
    let run = try workshop.orderfile(
      "pages", "--method", method, "--also", "app", "-o", "pages.txt", "--", "sh", "-c", script)
    #expect(run.text == plain.text)
    #expect(run.status == 1 && run.errors.contains(launch.reason), "\(run.errors)")
  }

  /// The tracer sees the call fail, and repeats it. The library knows before the call that it can't know which memory the call
  /// uses.
  @Test(arguments: [("semaphores", 66), ("io_uring", 425)], PagesTests.methods)
  func afterACallOfUnknownMemoryThereIsAWarning(
    launch: (what: String, number: Int), method: String
  ) throws {
    let workshop = try Self.built.copy()
    let run = try workshop.orderfile(
      "pages", "--method", method, "-o", "pages.txt", "--", "./app", launch.what)
    #expect(run.status == 3)
    #expect(
      run.errors.contains("after system call \(launch.number) are not counted"), "\(run.errors)")
  }

  // MARK: The table of system calls

  /// Calls that use memory but are not tested: they need rights, end the process, wait, or change the system.
  private static let others = [
    56, 101, 103, 116, 130, 164, 170, 171, 175, 176, 205, 211, 227, 237, 256, 273, 313, 320, 334,
    425, 426, 427, 431, 456, 460, 463, 464,
  ]

  @Test(arguments: PagesTests.methods)
  func callsWhoseMemoryLiesAcrossABorderDoWhatTheyDoAlone(method: String) throws {
    let workshop = try Workshop()
    try workshop.write(fixture("pages/system_calls.c"), "calls.c")
    let runtime = projectFolder.appendingPathComponent("Runtime").path
    try workshop.must(
      "clang",
      [
        "-O1", "-w", "-fuse-ld=lld", "-Wl,--build-id", "-I\(runtime)/InProcess/include",
        "-I\(runtime)/PageTrace/include", "calls.c", "\(runtime)/PageTrace/system_call_table.c",
        "-o", "calls",
      ])
    let results = try ["plain", "counted"].map { folder in
      try workshop.must("mkdir", [folder])
      let command = ["cd \(folder) && exec \"$@\"", "sh"]
      let counting = [Built.orderfile, "pages", "--method", method, "-o", "../pages.txt", "--"]
      let run = try workshop.start(
        "sh", ["-c"] + command + (folder == "plain" ? [] : counting) + ["../calls"]
      ).end()
      #expect(run.status == 3, "\(run.errors)")
      return run.text.split(separator: "\n")
    }
    #expect(zip(results[0], results[1]).filter { $0 != $1 }.map { "\($0), \($1)" } == [])
    #expect(results[0].count == results[1].count)
    let leftOut = results[0].filter { $0.hasSuffix("left out") }
      .compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
    #expect(leftOut == Self.others)
  }
}
