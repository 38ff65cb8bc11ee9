import Foundation
import TestSupport
import Testing

/// `pages` must not change the behaviour of a program that handles its own system calls (PR_SET_SYSCALL_USER_DISPATCH).
@Suite(.needs("clang", "ld.lld"), .needs(.x8664Machine)) struct PageDispatchTests {
  /// The first argument is the mode. In mode 1 the program handles the system calls of all its code, in mode 2 only the calls of
  /// the code in a range of addresses. Linux before 6.17 lacks mode 2: the program then uses mode 1.
  static let program = #"""
    #define _GNU_SOURCE
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/prctl.h>
    #include <sys/syscall.h>
    #include <ucontext.h>
    #include <unistd.h>
    #define F(n) __attribute__((aligned(4096), noinline)) int f##n(int x) { __asm__ volatile(""); return x + n; }
    F(1) F(2) F(3) F(4) F(5) F(6)
    static char data[8][4096] __attribute__((aligned(4096))) = {{1}};
    static volatile char selector;
    static volatile int sink, count;
    static void on_call(int signal, siginfo_t *info, void *context) {
      sink = f2(signal);
      data[1][5]++;
      selector = 0; /* the return from this handler is a system call */
      count++;
      ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 42 + info->si_syscall;
    }
    static void on_fault(int signal, siginfo_t *info, void *context) {
      (void)signal, (void)info;
      sink = f5(1);
      selector = 0;
      ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2; /* UD2 */
    }
    int main(int n, char **v) {
      struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};
      sigaction(SIGSYS, &action, NULL);
      action.sa_sigaction = on_fault;
      sigaction(SIGILL, &action, NULL);
      long size = n > 1 && atoi(v[1]) == 2 ? (1l << 47) - 8192 : 0;
      if ((!size || prctl(59, 2, 4096, size, &selector)) && prctl(59, 1, 0, 0, &selector)) return 4;
      selector = 1;
      sink = f1(1);
      data[2][5]++;
      long first = syscall(SYS_getppid);
      selector = 1;
      sink = f3(1);
      data[3][5]++;
      long second = syscall(SYS_getpid);
      selector = 1;
      __asm__ volatile("ud2");
      prctl(59, 0, 0, 0, 0);
      sink = f4(1);
      printf("%ld %ld %d\n", first, second, count);
      return 3;
    }
    """#

  private static let built = PreparedFolder<Workshop> { try $0.makeApp(program) }

  @Test(arguments: ["1", "2"]) func aTracedProgramHandlesItsOwnCalls(mode: String) throws {
    let workshop = try Self.built.copy()
    let plain = try workshop.start("./app", [mode]).end()
    #expect(plain.status == 3 && plain.text == "152 81 2\n")
    let run = try workshop.orderfile(
      "pages", "--method", "ptrace", "-o", "pages.txt", "--", "./app", mode)
    #expect(run.status == 3 && run.errors.isEmpty, "\(run.errors)")
    #expect(run.text == plain.text)
  }

  @Test(arguments: ["1", "2"]) func theLibraryLeavesTheProgramAlone(mode: String) throws {
    let workshop = try Self.built.copy()
    let script = "./app \(mode); echo status $?"
    let run = try workshop.orderfile(
      "pages", "--method", "preload", "--also", "app", "-o", "pages.txt", "--", "sh", "-c", script)
    #expect(run.text == "152 81 2\nstatus 3\n")
    #expect(
      run.status == 1 && run.errors.contains("intercepts its own system calls"), "\(run.errors)")
  }
}
