import Foundation
import TestSupport
import Testing

/// `pages` must not need a signal stack that a program has given up.
@Suite(.needs("clang", "ld.lld"), .needs(.x8664Machine)) struct PageStackTests {
  /// The words of the first argument select where the stack lies and what the program does with it.
  static let program = #"""
    #define _GNU_SOURCE
    #include <pthread.h>
    #include <setjmp.h>
    #include <signal.h>
    #include <stdio.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    #define F(n) __attribute__((aligned(4096), noinline)) int f##n(int x) { __asm__ volatile(""); return x + n; }
    F(1) F(2) F(3) F(4)
    enum { SIZE = 65536 };
    static char data[SIZE] __attribute__((aligned(4096))) = {1};
    static char *memory = data;
    static volatile int sink, was_on_it;
    static const char *what;
    static sigjmp_buf out;
    static stack_t none = {.ss_flags = SS_DISABLE};
    static int is(const char *word) { return strstr(what, word) != NULL; }
    static void give_up(void) {
      stack_t found, small = {.ss_sp = data, .ss_size = 8192};
      if (is("disabled") && (sigaltstack(&none, &found) || found.ss_sp != memory)) _exit(10);
      if (is("replaced by a small stack") && (sigaltstack(&small, &found) || found.ss_sp != memory)) _exit(11);
      if (is("unmapped") && munmap(memory, SIZE)) _exit(12);
      if (is("cut") && munmap(memory + SIZE - 4096, 4096)) _exit(13);
      if (is("protected") && mprotect(memory, SIZE, PROT_READ)) _exit(14);
      if (is("covered") && mmap(memory, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != memory) _exit(15);
      if (is("moved") && mremap(memory, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED,
                                mmap(NULL, SIZE, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) == MAP_FAILED) _exit(16);
      if (is("returned") && brk(memory)) _exit(17);
      if (is("not") && munmap(memory + 1, SIZE) == 0) _exit(18);
    }
    static void on_signal(int signal) {
      char here = (char)signal;
      was_on_it = &here >= memory && &here < memory + SIZE;
      sink += f2(here);
      if (is("by a handler")) give_up();
      if (is("jump")) siglongjmp(out, 1);
    }
    static void *run(void *unused) {
      if (is("heap")) memory = sbrk(SIZE);
      else if (!is("data")) memory = mmap(NULL, SIZE, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      stack_t stack = {.ss_sp = memory, .ss_size = SIZE}, found;
      struct sigaction action = {.sa_handler = on_signal, .sa_flags = is("by a handler") ? 0 : SA_ONSTACK};
      if (sigaction(SIGUSR1, &action, NULL) || sigaltstack(&stack, NULL)) _exit(5);
      if (is("used") && !sigsetjmp(out, 1)) raise(SIGUSR1);
      if (!is("by a handler")) give_up();
      sink += f3(1);
      syscall(SYS_getppid);
      sink += f4(1);
      if (sigaltstack(NULL, &found)) _exit(6);
      printf("%d %d %d\n", found.ss_flags, found.ss_sp == memory, (int)found.ss_size);
      if (is("set again") && (sigaltstack(&stack, &found) || raise(SIGUSR1))) _exit(7);
      printf("%d\n", was_on_it);
      return unused;
    }
    int main(int n, char **v) {
      what = n > 1 ? v[1] : "";
      setvbuf(stdout, NULL, _IOLBF, 256);
      pthread_t thread;
      if (!is("thread")) run(NULL);
      else if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL)) return 9;
      sink += f1(1);
      return 3;
    }
    """#

  private static let built = PreparedFolder<Workshop> { try $0.makeApp(program) }

  @Test(
    arguments: [
      "disabled", "used, disabled", "used, disabled, set again", "used, disabled, unmapped",
      "used, jump, disabled, unmapped", "replaced by a small stack, unmapped", "unmapped",
      "used, unmapped", "used, unmapped by a handler", "used, disabled, unmapped by a handler",
      "used, cut", "used, protected", "used, covered", "used, moved", "heap, used, returned",
      "used, not freed, set again", "data, used, disabled, set again", "data, unmapped",
      "data, used, protected", "data, used, covered", "data, used, moved",
      "thread, used, disabled, unmapped", "thread, used, unmapped", "thread, data, unmapped",
    ], PagesTests.methods)
  func aProgramMayGiveItsSignalStackUp(what: String, method: String) throws {
    let workshop = try Self.built.copy()
    let plain = try workshop.start("./app", [what]).end()
    #expect(plain.status == 3)
    let run = try workshop.orderfile(
      "pages", "--method", method, "-o", "pages.txt", "--", "./app", what)
    #expect(run.status == 3 && run.errors.isEmpty, "\(run.errors)")
    #expect(run.text == plain.text)
  }
}
