import Foundation
import TestSupport
import Testing

/// The program that gets breakpoints.
extension BreakpointTests {
  /// The first argument selects what the program does. The program contains no recorder.
  static let program = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <pthread.h>
    #include <signal.h>
    #include <spawn.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <sys/wait.h>
    #include <unistd.h>
    #define FUNCTION(name) __attribute__((noinline)) void name(void) { __asm__ volatile(""); }
    FUNCTION(early) FUNCTION(work) FUNCTION(late) FUNCTION(in_child) FUNCTION(handled) FUNCTION(never)
    extern char **environ;
    static void say(const char *text) { fputs(text, stdout); fflush(stdout); }
    __attribute__((constructor)) static void begin(void) { early(); }
    static void on_trap(int signal) { (void)signal; handled(); }
    static void on_request(int signal) { (void)signal; handled(); say("fresh "); }
    __attribute__((noinline)) int added(int n) { return n + 1; }
    static volatile int sums[8];
    static void *add_at_once(void *place) {
      while (access("go", F_OK) != 0) usleep(1000);
      *(volatile int *)place = added((int)((volatile int *)place - sums));
      return NULL;
    }
    static void *in_thread(void *unused) { work(); late(); return unused; }
    static int is_trap_blocked(void) {
      sigset_t mask;
      sigprocmask(SIG_BLOCK, NULL, &mask);
      return sigismember(&mask, SIGTRAP);
    }
    static int is_traced(void) {
      FILE *status = fopen("/proc/self/status", "r");
      int tracer = 0;
      for (char line[400]; fgets(line, sizeof line, status);) sscanf(line, "TracerPid: %d", &tracer);
      fclose(status);
      return tracer != 0;
    }
    static unsigned char first_byte;
    static int has_changed(void) { return *(volatile unsigned char *)late != first_byte; }
    int main(int n, char **v) {
      const char *what = n > 1 ? v[1] : "";
      first_byte = *(volatile unsigned char *)late;
      work();
      work();
      if (!strcmp(what, "exit")) return atoi(v[2]);
      if (!strcmp(what, "kill")) raise(atoi(v[2]));
      if (!strcmp(what, "crash")) *(volatile int *)8 = 1;
      if (!strcmp(what, "trap")) {
        signal(SIGTRAP, on_trap);
        raise(SIGTRAP);
        late();
        __asm__ volatile("int3");
        say("alive");
      }
      if (!strcmp(what, "blocked")) {
        printf("%d", is_trap_blocked());
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        late();
        printf("%d", is_trap_blocked());
      }
      if (!strcmp(what, "threads")) {
        pthread_t threads[64];
        for (int i = 0; i < 64; i++) pthread_create(&threads[i], NULL, in_thread, NULL);
        for (int i = 0; i < 64; i++) pthread_join(threads[i], NULL);
      }
      if (!strcmp(what, "fork")) {
        pid_t child = fork();
        if (child == 0) { work(); in_child(); _exit(0); }
        waitpid(child, NULL, 0);
        late();
      }
      if (!strcmp(what, "spawn")) {
        pid_t child;
        char *words[] = {v[2], "exit", "3", NULL};
        if (posix_spawn(&child, v[2], NULL, NULL, words, environ) != 0) return 9;
        int status;
        waitpid(child, &status, 0);
        late();
        return WEXITSTATUS(status);
      }
      if (!strcmp(what, "at once")) {
        pthread_t threads[8];
        for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, add_at_once, (void *)&sums[i]);
        say("waiting\\n");
        for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
        for (int i = 0; i < 8; i++) printf("%d", sums[i]);
      }
      if (!strcmp(what, "forks")) {
        say("waiting\\n");
        for (;;) {
          if (fork() == 0) { late(); in_child(); _exit(0); }
          wait(NULL);
        }
      }
      if (!strcmp(what, "children")) {
        for (int i = 0; i < atoi(v[2]); i++) {
          pid_t child = fork();
          if (child == 0) { in_child(); _exit(0); }
          waitpid(child, NULL, 0);
        }
      }
      if (!strcmp(what, "vfork")) {
        pid_t child = vfork();
        if (child == 0) { in_child(); say("child "); _exit(0); }
        waitpid(child, NULL, 0);
        late();
        say("parent");
      }
      if (!strcmp(what, "vforks")) {
        for (int i = 0;; i++) {
          if (vfork() == 0) {
            if (i == 0) say("waiting\\n");
            in_child();
            _exit(0);
          }
          wait(NULL);
          late();
        }
      }
      if (!strcmp(what, "in vfork")) {
        pid_t child = vfork();
        if (child == 0) { say("waiting\\n"); pause(); _exit(0); }
        printf("%d", waitpid(child, NULL, 0) == child);
      }
      if (!strcmp(what, "again")) {
        char *words[] = {v[0], "exit", "4", NULL};
        execv("/proc/self/exe", words);
      }
      if (!strcmp(what, "plugin")) {
        void *plugin = dlopen(v[2], RTLD_NOW);
        if (!plugin) return 8;
        ((void (*)(void))dlsym(plugin, "plugin_entry"))();
        dlclose(plugin);
        late();
      }
      if (!strcmp(what, "unmap")) {
        long page = (long)&never & -4096;
        unsigned char code[4096];
        memcpy(code, (void *)page, sizeof code);
        mprotect((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
        memcpy((void *)page, code, sizeof code);
        late();
      }
      if (!strcmp(what, "stop")) {
        sigset_t goes_on;
        sigemptyset(&goes_on);
        sigaddset(&goes_on, SIGCONT);
        sigprocmask(SIG_BLOCK, &goes_on, NULL);
        say("waiting\\n");
        raise(SIGSTOP);
        // Stopping took away all that had come before.
        sigpending(&goes_on);
        if (!sigismember(&goes_on, SIGCONT)) return 9;
        late();
      }
      if (!strcmp(what, "slow")) { while (is_traced()) usleep(1000); late(); say("done"); }
      if (!strcmp(what, "wait")) {
        signal(SIGUSR1, on_request);
        say("waiting\\n");
        for (;;) { late(); usleep(1000); }
      }
      if (!strcmp(what, "attached")) {
        say("waiting\\n");
        for (;;) {
          int has_breakpoint = has_changed();
          late();
          if (has_breakpoint) handled();
          usleep(1000);
        }
      }
      return 0;
    }
    """

  /// Makes a folder with the release build of the program, `app`.
  static func workshop(_ flags: [String] = []) throws -> Workshop {
    if flags.isEmpty { return try built.copy() }
    let workshop = try Workshop()
    try build(flags, in: workshop)
    return workshop
  }

  private static let built = PreparedFolder<Workshop> { try build([], in: $0) }

  private static func build(_ flags: [String], in workshop: Workshop) throws {
    try workshop.write(program.utf8, "main.c")
    try workshop.must(
      "clang",
      ["-O1", "-fuse-ld=lld", "-Wl,--build-id", "main.c", "-o", "app", "-lpthread"] + flags)
  }

  /// Records `app` with `arguments` into `t`.
  @discardableResult func record(
    _ workshop: Workshop, _ arguments: [String], options: [String] = []
  ) throws -> Run {
    try workshop.orderfile(
      ["record", "--breakpoints", "-o", "t"] + options + ["--", "./app"] + arguments)
  }

  /// Returns the functions in `trace` that the source above names.
  func functions(_ workshop: Workshop, in trace: String = "t") throws -> [String] {
    let own: Set = [
      "begin", "early", "main", "work", "late", "in_child", "handled", "on_trap", "never",
      "in_thread", "is_trap_blocked", "plugin_entry", "plugin_inner",
    ]
    return try RecordTests.functions(workshop, in: trace).filter(own.contains)
  }

  func files(_ workshop: Workshop) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: workshop.folder.path).sorted()) ?? []
  }
}
