import Foundation
import TestSupport
import Testing

/// A program whose functions, constants and variables have a page each, so that it is known which pages it
/// touches: text `f1` to `f8` (stubs and the like stand behind `f9`), read-only `ro[0..<8]`, data `rw[0..<8]`.
struct PagesWorkshop {
  /// The first argument selects what the program does.
  static let program = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <pthread.h>
    #include <setjmp.h>
    #include <signal.h>
    #include <spawn.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <sys/prctl.h>
    #include <sys/ptrace.h>
    #include <sys/syscall.h>
    #include <sys/uio.h>
    #include <sys/wait.h>
    #include <unistd.h>
    #define F(n) __attribute__((section(".text.page" #n), aligned(4096), noinline)) \\
      int f##n(void) { __asm__ volatile(".rept 64\\n nop\\n .endr"); return n; }
    F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9)
    const char ro[8][4096] __attribute__((aligned(4096))) = {"0", "1", "2", "/dev/null", "4", "5", "6", "7"};
    char rw[8][4096] __attribute__((aligned(4096))) = {"0", "1", "2", "3", "4", "5", "6", "7"};
    __attribute__((weak)) void orderfile_rt_mark(const char *);
    extern char **environ;
    static volatile char sink;
    #define READ(place) (sink = *(const volatile char *)&(place))
    #define WRITE(place) (*(volatile char *)&(place) = 9)
    static sigjmp_buf out;
    static void on_fault(int signal, siginfo_t *info, void *context) {
      (void)signal, (void)context;
      f4();
      printf("%s ", info->si_addr == (void *)8 ? "null" : info->si_addr == ro[6] ? "constant" : "other");
      siglongjmp(out, 1);
    }
    static void on_signal(int signal) { (void)signal; f2(); WRITE(rw[2]); }
    static void *in_thread(void *unused) { f2(); f3(); READ(ro[1]); WRITE(rw[1]); return unused; }
    /* Down to the last bytes of a thread's stack, where not even a signal finds room. */
    static int at_the_bottom(char *lowest) {
      volatile char frame[64];
      frame[0] = 1;
      if ((char *)frame - lowest > 1500) return at_the_bottom(lowest) + frame[0];
      f2();
      READ(ro[1]);
      getppid();
      return frame[0];
    }
    static void *in_small_stack(void *lowest) { getppid(); at_the_bottom(lowest); return NULL; }
    static char own_stack[65536];
    static volatile int was_on_own_stack;
    static void on_own_stack(int signal) {
      char *here = (char *)__builtin_frame_address(0);
      was_on_own_stack = signal && here >= own_stack && here < own_stack + sizeof own_stack;
      f3();
    }
    static void *with_own_stack(void *unused) {
      stack_t wanted = {.ss_sp = own_stack, .ss_size = sizeof own_stack}, found;
      struct sigaction action = {.sa_handler = on_own_stack, .sa_flags = SA_ONSTACK};
      sigaction(SIGUSR1, &action, NULL);
      if (sigaltstack(NULL, &found) || found.ss_flags != SS_DISABLE || found.ss_sp) _exit(9);
      if (sigaltstack(&wanted, &found) || found.ss_flags != SS_DISABLE) _exit(8);
      if (sigaltstack(NULL, &found) || found.ss_flags || found.ss_sp != own_stack) _exit(7);
      raise(SIGUSR1);
      if (!was_on_own_stack) _exit(6);
      return unused;
    }
    /* Makes what stands there a function that returns at once. */
    static void put_return(char *place) {
      #if defined(__aarch64__)
      unsigned code = 0xd65f03c0;
      #else
      unsigned char code = 0xc3;
      #endif
      memcpy(place, &code, sizeof code);
      __builtin___clear_cache(place, place + sizeof code);
    }
    void in_new_stack(void) {
      char *words[] = {"sh", "-c", "exit 7", NULL};
      execv("/bin/sh", words);
      _exit(127);
    }
    int main(int n, char **v) {
      const char *what = n > 1 ? v[1] : "";
      f1();
      if (!strcmp(what, "touch")) { f3(); READ(ro[1]); READ(rw[2]); WRITE(rw[0]); READ(rw[1]); WRITE(rw[1]); }
      if (!strcmp(what, "code")) { READ(*((char *)f4 + 3)); f4(); READ(*((char *)f5 + 3)); }
      if (!strcmp(what, "kernel")) {
        int pipes[2];
        if (pipe(pipes)) return 9;
        struct iovec parts[2] = {{(void *)ro[4], 4096}, {(void *)ro[5], 4096}};
        if (write(pipes[1], ro[1], 8192) != 8192 || read(pipes[0], rw[3], 8192) != 8192) return 8;
        if (writev(pipes[1], parts, 2) != 8192) return 7;
        if (open(ro[3], O_RDONLY) < 0) return 6;
        if (memcmp(rw[3], ro[1], 4096)) return 5;
      }
      if (!strcmp(what, "threads")) {
        pthread_t threads[32];
        for (int i = 0; i < 32; i++) if (pthread_create(&threads[i], NULL, in_thread, NULL)) return 9;
        for (int i = 0; i < 32; i++) pthread_join(threads[i], NULL);
      }
      if (!strcmp(what, "small stacks")) {
        size_t size = sysconf(_SC_THREAD_STACK_MIN);
        size = (size + 4095) & ~(size_t)4095;
        char *stack = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stack == MAP_FAILED || mprotect(stack, 4096, PROT_NONE)) return 9;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        if (pthread_attr_setstack(&attributes, stack + 4096, size)) return 8;
        pthread_t thread;
        /* More than there are stacks for signals. */
        for (int i = 0; i < 1100; i++) {
          if (pthread_create(&thread, &attributes, in_small_stack, stack + 4096)) return 7;
          pthread_join(thread, NULL);
        }
        if (pthread_create(&thread, NULL, with_own_stack, NULL)) return 5;
        pthread_join(thread, NULL);
      }
      if (!strcmp(what, "fork") || !strcmp(what, "vfork")) {
        pid_t child = what[0] == 'f' ? fork() : vfork();
        if (child == 0) { f5(); WRITE(rw[5]); _exit(3); }
        int status;
        if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3) return 9;
        f5();
        f6();
        WRITE(rw[5]);
      }
      if (!strcmp(what, "spawn")) {
        pid_t child;
        char *words[] = {v[0], "touch", NULL};
        if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ)) return 9;
        int status;
        if (waitpid(child, &status, 0) != child || status) return 8;
        f7();
      }
      if (!strcmp(what, "spawn with default actions")) {
        struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
        sigaction(SIGSEGV, &action, NULL);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        sigset_t all;
        sigfillset(&all);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        pid_t child;
        char *words[] = {v[0], "exit", "3", NULL};
        if (posix_spawn(&child, "/proc/self/exe", NULL, &attributes, words, environ)) return 9;
        int status;
        if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3) return 8;
        if (!sigsetjmp(out, 1)) WRITE(*(char *)8);
        puts("alive");
      }
      if (!strcmp(what, "clear actions")) {
        /* What posix_spawn, system and popen of glibc 2.38 and later do. */
        static char stack[65536] __attribute__((aligned(16)));
        struct { unsigned long flags, pidfd, child, parent, signal, stack, size, tls, set, sets, group; }
            arguments = {0x100004100, 0, 0, 0, SIGCHLD, (unsigned long)stack, sizeof stack};
        #if defined(__aarch64__)
        register long child __asm__("x0") = (long)&arguments;
        register long size __asm__("x1") = sizeof arguments, number __asm__("x8") = SYS_clone3;
        __asm__ volatile(
          "svc 0\\n cbnz x0, 1f\\n bl in_new_stack\\n brk 0\\n 1:"
          : "+r"(child) : "r"(size), "r"(number) : "memory");
        #else
        long child;
        __asm__ volatile(
          "syscall\\n test %%rax, %%rax\\n jnz 1f\\n call in_new_stack\\n hlt\\n 1:"
          : "=a"(child) : "a"(SYS_clone3), "D"(&arguments), "S"(sizeof arguments)
          : "rcx", "r11", "memory");
        #endif
        int status;
        if (waitpid((int)child, &status, 0) != child || WEXITSTATUS(status) != 7) return 9;
        f7();
      }
      if (!strcmp(what, "traced child")) {
        /* What gdb does, which waits in vfork for a child that stops for it. */
        pid_t child = vfork();
        if (child == 0) { ptrace(PTRACE_TRACEME, 0, 0, 0); f5(); _exit(3); }
        int status;
        if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3) return 9;
        puts("alive");
      }
      if (!strcmp(what, "probe for filters")) {
        if (syscall(SYS_seccomp, 1, 0, NULL) != -1 || prctl(PR_SET_SECCOMP, 2, NULL) != -1) return 9;
        f6();
      }
      if (!strcmp(what, "again")) { execv("/proc/self/exe", (char *[]){v[0], "touch", NULL}); return 9; }
      if (!strcmp(what, "faults")) {
        struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
        sigaction(SIGSEGV, &action, NULL);
        if (!sigsetjmp(out, 1)) WRITE(*(char *)8);
        f5();
        if (!sigsetjmp(out, 1)) WRITE(ro[6]);
        READ(ro[5]);
        puts("alive");
      }
      if (!strcmp(what, "signals")) {
        struct sigaction action = {.sa_handler = on_signal};
        sigfillset(&action.sa_mask);
        sigaction(SIGUSR1, &action, NULL);
        raise(SIGUSR1);
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        f3();
        READ(ro[3]);
        pthread_t thread;
        if (pthread_create(&thread, NULL, in_thread, NULL)) return 9;
        pthread_join(thread, NULL);
      }
      if (!strcmp(what, "code that changes")) {
        char *page = (char *)f3;
        if (mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC)) return 9;
        put_return(page + 512);
        ((void (*)(void))(page + 512))();
        char *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        put_return(made);
        ((void (*)(void))made)();
        munmap((void *)f4, 4096);
        f5();
        if (mmap((void *)f4, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != (void *)f4) return 8;
        put_return((char *)f4);
        f4();
      }
      if (!strcmp(what, "plugin")) {
        for (int i = 0; i < 2; i++) {
          void *plugin = dlopen(v[2], RTLD_NOW);
          if (!plugin) return 9;
          ((int (*)(void))dlsym(plugin, "plugin_entry"))();
          dlclose(plugin);
        }
        f2();
      }
      if (!strcmp(what, "mark")) { f2(); if (orderfile_rt_mark) orderfile_rt_mark("other"); f3();
        if (orderfile_rt_mark) orderfile_rt_mark("ready"); f4(); READ(ro[4]); fork() ? wait(NULL) : (void)f5(); }
      if (!strcmp(what, "crash")) WRITE(*(char *)8);
      if (!strcmp(what, "raise")) raise(SIGSEGV);
      if (!strcmp(what, "exit")) return atoi(v[2]);
      if (!strcmp(what, "wait")) { printf("waiting %d\\n", getpid()); fflush(stdout); for (;;) pause(); }
      if (!strcmp(what, "leave") && fork() == 0) {
        while (access("go", F_OK) != 0) usleep(1000);
        f8();
        return rename("app", "left") != 0;
      }
      if (!strcmp(what, "sleep")) for (;;) pause();
      if (!strcmp(what, "much")) { char line[65536]; memset(line, 'x', sizeof line);
        for (;;) if (write(1, line, sizeof line) < 0) return 0; }
      if (!strcmp(what, "seccomp")) { f2(); extern int forbid(void); if (forbid()) return 9; f3(); }
      return 0;
    }
    """

  static let seccomp = """
    #include <linux/filter.h>
    #include <linux/seccomp.h>
    #include <stddef.h>
    #include <sys/prctl.h>
    #include <sys/syscall.h>
    int forbid(void) {
      struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      };
      struct sock_fprog program = {4, filter};
      return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    }
    """

  static let plugin = """
    __attribute__((section(".text.page"), aligned(4096))) int plugin_entry(void) { return 1; }
    __attribute__((section(".text.page2"), aligned(4096))) int plugin_unused(void) { return 2; }
    __attribute__((section(".text.page3"), aligned(4096))) int plugin_end(void) { return 3; }
    """

  static let preinit = """
    static void early(int n, char **v, char **e) { (void)n, (void)v, (void)e; }
    __attribute__((section(".preinit_array"), used)) static void (*entry)(int, char **, char **) = early;
    """

  let workshop: Workshop
  private let symbols: [String: UInt64]
  private static let built = PreparedFolder<Workshop> { try build([], in: $0) }

  /// - Parameter flags: the compiler flags for the link of `app`.
  init(_ flags: [String] = []) throws {
    if flags.isEmpty {
      workshop = try Self.built.copy()
    } else {
      workshop = try Workshop()
      try Self.build(flags, in: workshop)
    }
    symbols = try Self.symbols(workshop, "app")
  }

  private static func build(_ flags: [String], in workshop: Workshop) throws {
    try workshop.write(Self.program.utf8, "main.c")
    try workshop.write(Self.seccomp.utf8, "seccomp.c")
    try workshop.write(Self.plugin.utf8, "plugin.c")
    try workshop.write(Self.preinit.utf8, "preinit.c")
    try workshop.must(
      "clang",
      [
        "-O1", "-w", "-fuse-ld=lld", "-Wl,--build-id", "main.c", "seccomp.c", "-o", "app",
        "-lpthread",
      ] + flags)
    try workshop.must("clang", ["-shared", "-fPIC", "-fuse-ld=lld", "plugin.c", "-o", "plugin.so"])
  }

  static func symbols(_ workshop: Workshop, _ image: String) throws -> [String: UInt64] {
    let lines = try workshop.must("nm", [image]).text.split(separator: "\n")
    return Dictionary(
      lines.compactMap { line in
        let fields = line.split(separator: " ")
        guard fields.count == 3, let address = UInt64(fields[0], radix: 16) else { return nil }
        return (String(fields[2]), address)
      }, uniquingKeysWith: { a, _ in a })
  }

  /// Runs `orderfile pages` with `app` and `arguments`, and returns the run.
  func pages(
    _ method: String, _ arguments: [String], options: [String] = []
  ) throws -> Run {
    try start(method, arguments, options: options).end()
  }

  func start(
    _ method: String, _ arguments: [String], options: [String] = []
  ) throws -> RunningProcess {
    try workshop.start(
      Built.orderfile,
      ["pages", "--method", method, "--json", "-o", "pages.json"] + options + ["--", "./app"]
        + arguments)
  }

  /// Returns what the last run of `pages` found in `app`.
  func report() throws -> [String: Any] {
    let data = try Data(contentsOf: URL(fileURLWithPath: workshop.path("pages.json")))
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }

  static func image(_ name: String, in report: [String: Any]) -> [String: Any] {
    let images = report["images"] as? [[String: Any]] ?? []
    return images.first { ($0["path"] as? String ?? "").hasSuffix("/\(name)") } ?? [:]
  }

  /// Returns the touches of pages with known names, such as `f1 execute`, ascending.
  func touches() throws -> [String] {
    let pages = Self.image("app", in: try report())["pages"] as? [[String: Any]] ?? []
    return pages.compactMap { page -> String? in
      guard let address = Self.address(page["address"]), let access = page["access"] else {
        return nil
      }
      for (name, count) in [("ro", 8), ("rw", 8)] {
        if let start = symbols[name], address >= start, address < start + UInt64(count) * 4096 {
          return "\(name)\((address - start) / 4096) \(access)"
        }
      }
      let function = (1...8).first { symbols["f\($0)"] == address }
      return function.map { "f\($0) \(access)" }
    }.sorted()
  }

  static func address(_ value: Any?) -> UInt64? {
    (value as? String).flatMap { UInt64($0.dropFirst(2), radix: 16) }
  }
}
